// SPDX-License-Identifier: Apache-2.0
#include "loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "trammel/base/error.h"

namespace trammel::apps {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds longest_request{5}, longest_answer{30}, longest_farewell{1};
constexpr int look_interval = 100;  // [ms] between looks at `stop`

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Nothing that would have to be decoded, and no way up.
bool is_plain(std::string_view target) {
  const auto known = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+:?=&").find(c) != std::string_view::npos;
  };
  return target.starts_with('/') && std::all_of(target.begin(), target.end(), known) &&
         target.find("..") == target.npos && target.find("//") == target.npos;
}

const char* phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Bad Request";
  }
}

// The page is one text with its script and its style; it may ask us, and nobody else may show it or read it.
std::string with_head(const HttpAnswer& answer) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src "
      "data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n{}\r\n{}",
      answer.status, phrase(answer.status), answer.type, answer.body.size(),
      answer.status == 405 ? "Allow: GET\r\n" : "", answer.body);
}

JudgedRequest refuse(int status, std::string reason) { return {status, std::move(reason) + "\n", {}}; }

// frames=12&steps=30
std::map<std::string, std::string> split_query(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t equal = std::min(one.find('='), one.size());
    query[std::string(one.substr(0, equal))] = std::string(one.substr(std::min(one.size(), equal + 1)));
  }
  return query;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// What answers at a port of this machine, if it says at once that it is one of us: "trammel watches 'a.h5'".
std::string ask_who(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  const timeval patience{0, 300000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const sockaddr_in address = loopback(port);
  std::string said;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string question = fmt::format("GET /who HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port);
    if (send(fd, question.data(), question.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(question.size())) {
      std::array<char, 1024> part{};
      for (ssize_t n = 0; said.size() < 4096 && (n = recv(fd, part.data(), part.size(), 0)) > 0;)
        said.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  close(fd);
  const std::size_t body = said.find("\r\n\r\ntrammel ");
  if (!said.starts_with("HTTP/1.1 200 ") || body == said.npos) return "";
  std::string who = said.substr(body + 4, 200);
  who.resize(std::min(who.find('\n'), who.size()));
  return who;
}

}  // namespace

JudgedRequest judge_request(std::string_view head, int port) {
  const std::size_t line_end = head.find("\r\n");
  const std::string_view line = head.substr(0, line_end);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || last == first) return refuse(400, "not a request");
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse(400, "not HTTP/1.1");
  if (method != "GET") return refuse(405, "nothing can be changed here: only GET");
  int hosts = 0;
  for (std::string_view rest = line_end == head.npos ? "" : head.substr(line_end + 2); !rest.empty();) {
    const std::string_view field = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(rest.size(), field.size() + 2));
    if (field.empty()) break;
    const std::size_t colon = field.find(':');
    if (colon == field.npos) return refuse(400, "a header without a colon");
    const std::string name = lower(field.substr(0, colon));
    const std::string value = lower(trim(field.substr(colon + 1)));
    const auto is_ours = [&](const std::string& scheme) {
      return value == fmt::format("{}127.0.0.1:{}", scheme, port) ||
             value == fmt::format("{}localhost:{}", scheme, port);
    };
    if (name == "host" && (++hosts > 1 || !is_ours("")))
      return refuse(403, "this address is asked for by another name");
    if (name == "origin" && !is_ours("http://")) return refuse(403, "pages of other origins may not ask");
    if (name == "sec-fetch-site" && value != "same-origin" && value != "none")
      return refuse(403, "pages of other sites may not ask; open the address by hand");
    if (name == "transfer-encoding" || (name == "content-length" && value != "0"))
      return refuse(400, "a request with a body");
  }
  if (hosts != 1) return refuse(403, "the request does not say which host it means");
  if (!is_plain(target)) return refuse(400, "not a plain path");
  JudgedRequest judged;
  const std::size_t mark = std::min(target.find('?'), target.size());
  judged.request.path = std::string(target.substr(0, mark));
  judged.request.query = split_query(target.substr(std::min(target.size(), mark + 1)));
  return judged;
}

struct LoopbackServer::Connection {
  int fd = -1;
  std::string in, out;
  std::size_t sent = 0;
  Clock::time_point deadline;
  bool answered = false, over = false;
};

LoopbackServer::LoopbackServer(int port) {
  const auto fail = [&](int reason) {
    if (listener_ >= 0) close(listener_);
    const std::string who = reason == EADDRINUSE ? ask_who(port) : "";
    throw IoError(fmt::format("port {} of this machine is {}; --port takes another, --port 0 any that is free", port,
                              !who.empty()             ? fmt::format("taken: {} (http://127.0.0.1:{}/)", who, port)
                              : (reason == EADDRINUSE) ? std::string("taken by another program")
                                                       : "not to be had: " + std::system_category().message(reason)));
  };
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) fail(errno);
  const int on = 1;  // a port whose last connections are not yet forgotten is free; one with a listener is not
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail(errno);
  if (listen(listener_, 64) != 0) fail(errno);
  socklen_t size = sizeof address;
  if (getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail(errno);
  port_ = ntohs(address.sin_port);
}

LoopbackServer::~LoopbackServer() {
  for (const Connection& connection : connections_) close(connection.fd);
  close(listener_);
}

std::string LoopbackServer::address() const { return fmt::format("http://127.0.0.1:{}/", port_); }

void LoopbackServer::accept_one() {
  Connection connection;
  connection.fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection.fd < 0) return;  // it went away again, or there is no room: the next look finds it
  connection.deadline = Clock::now() + longest_request;
  connections_.push_back(std::move(connection));
}

void LoopbackServer::advance(Connection& connection, const Answer& answer) {
  if (connection.out.empty() || connection.answered) {
    std::array<char, 4096> part{};
    const ssize_t n = recv(connection.fd, part.data(), part.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return void(connection.over = true);
    if (connection.answered) return;  // what comes too late is not read, but a closed door would cost the answer
    connection.in.append(part.data(), static_cast<std::size_t>(n));
    const std::size_t end = connection.in.find("\r\n\r\n");
    HttpAnswer made;
    if (end != connection.in.npos && end <= most_head) {
      JudgedRequest judged = judge_request(std::string_view(connection.in).substr(0, end + 2), port_);
      if (judged.status == 200)
        made = answer(judged.request);
      else
        made = {judged.status, made.type, judged.reason};
    } else if (connection.in.size() > most_head) {
      made = {431, made.type, "a request of more than 8 kB\n"};
    } else {
      return;
    }
    connection.out = with_head(made);
    connection.deadline = Clock::now() + longest_answer;
  }
  const ssize_t n = send(connection.fd, connection.out.data() + connection.sent,
                         connection.out.size() - connection.sent, MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0) return void(connection.over = true);
  connection.sent += static_cast<std::size_t>(n);
  if (connection.sent < connection.out.size()) return;
  shutdown(connection.fd, SHUT_WR);
  connection.answered = true;
  connection.deadline = Clock::now() + longest_farewell;
}

void LoopbackServer::serve(const Answer& answer, const std::function<bool()>& stop) {
  std::vector<pollfd> watched;
  while (!stop()) {
    watched.clear();
    const bool room = connections_.size() < most_connections;
    watched.push_back({listener_, static_cast<short>(room ? POLLIN : 0), 0});
    for (const Connection& connection : connections_)
      watched.push_back(
          {connection.fd, static_cast<short>(connection.out.empty() || connection.answered ? POLLIN : POLLOUT), 0});
    if (poll(watched.data(), watched.size(), look_interval) < 0) {
      if (errno == EINTR) continue;
      throw IoError("the page cannot be served: " + std::system_category().message(errno));
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      Connection& connection = connections_[i];
      if (watched[i + 1].revents != 0) advance(connection, answer);
      if (Clock::now() > connection.deadline) connection.over = true;
    }
    for (const Connection& connection : connections_)
      if (connection.over) close(connection.fd);
    std::erase_if(connections_, [](const Connection& connection) { return connection.over; });
    if (watched[0].revents != 0) accept_one();
  }
}

}  // namespace trammel::apps
