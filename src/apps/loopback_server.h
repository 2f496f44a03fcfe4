// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::apps {

struct HttpRequest {
  std::string path;                          ///< "/rows"
  std::map<std::string, std::string> query;  ///< "frames" -> "12"
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// What a browser says before it gets anything: parsed and judged. `status` is 200 for a request that is let in; else
/// `reason` says in words why not. Let in are GETs of plain paths
///
///   * whose Host is 127.0.0.1 or localhost with our port: a name that somebody else lets point here is none of these;
///   * whose Origin, if there is one, is such an address, and whose Sec-Fetch-Site, if there is one, is ours or
///   nobody's:
///     pages of other sites, in the same browser, may not ask;
///   * without a body, and with nothing in the target that would have to be decoded.
struct JudgedRequest {
  int status = 200;
  std::string reason;
  HttpRequest request;
};
JudgedRequest judge_request(std::string_view head, int port);

/// Answers requests of browsers on this machine, on the loopback address alone: nothing can be reached from outside.
///
/// One thread, no allocation by what others announce: a request has at most `most_head` bytes and some seconds to
/// arrive, an answer half a minute to be taken, and only so many are served at a time; the others wait. Every
/// connection serves one request.
class LoopbackServer {
 public:
  static constexpr std::size_t most_head = 8192, most_connections = 32;
  static constexpr int usual_port = 8420;

  /// Listens. `port` 0: any that is free. Throws IoError, which names who is there if it is one of us.
  explicit LoopbackServer(int port);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const { return port_; }
  std::string address() const;  ///< "http://127.0.0.1:8420/"

  using Answer = std::function<HttpAnswer(const HttpRequest& request)>;
  /// Until `stop`, which is looked at ten times a second and after each signal.
  void serve(const Answer& answer, const std::function<bool()>& stop);

 private:
  struct Connection;
  void accept_one();
  void advance(Connection& connection, const Answer& answer);

  int listener_ = -1, port_ = 0;
  std::vector<Connection> connections_;
};

}  // namespace trammel::apps
