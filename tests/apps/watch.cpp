// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <regex>
#include <thread>

#include "program.h"

// `trammel watch` and `trammel run --live`: who gets an answer, what is answered, and what is named when it cannot be.
// The page itself is tested in a browser (web/tests/live.test.mjs).

namespace trammel::test_watch {
namespace {

using namespace std::chrono_literals;
using program::call;
using program::Child;
using program::contains;
using program::Folder;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

/// A server that was started, and where it listens.
struct Server {
  Server(const Folder& folder, const std::vector<std::string>& words) : child(folder, words) {
    const std::regex address("http://127\\.0\\.0\\.1:([0-9]+)/");
    std::smatch found;
    for (int i = 0; i < 3000 && port == 0; ++i) {
      const std::string said = read_text(folder / "stdout.txt");
      if (std::regex_search(said, found, address)) port = std::stoi(found[1]);
      std::this_thread::sleep_for(10ms);
    }
  }
  Child child;
  int port = 0;
};

/// Sends these bytes and reads until the other side closes.
std::string talk(int port, const std::string& bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string said;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    char part[4096];
    for (ssize_t n = 0; (n = recv(fd, part, sizeof part, 0)) > 0;) said.append(part, static_cast<std::size_t>(n));
  }
  close(fd);
  return said;
}

std::string get(int port, const std::string& target, const std::string& headers = "", std::string host = "") {
  if (host.empty()) host = "127.0.0.1:" + std::to_string(port);
  return talk(port, "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n");
}

int status(const std::string& answer) { return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0; }

class Watch : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(call(folder, {"run", pendulum, "-q", "-o", "swing.h5"}).code, 0); }
  Folder folder;
};

TEST_F(Watch, answers_its_own_page_and_ends_with_ctrl_c) {
  Server server(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(server.port, 0);
  const std::string page = get(server.port, "/");
  EXPECT_EQ(status(page), 200);
  EXPECT_SAYS(page, "id=\"live\">{\"file\":\"swing.h5\"}");
  EXPECT_SAYS(page, "frame-ancestors 'none'");
  EXPECT_SAYS(page, "Cross-Origin-Resource-Policy: same-origin");
  EXPECT_SAYS(get(server.port, "/report"), "\"title\":\"Pendulum\"");
  EXPECT_EQ(status(get(server.port, "/", "", "localhost:" + std::to_string(server.port))), 200);
  EXPECT_EQ(status(get(server.port, "/", "Sec-Fetch-Site: none\r\n")), 200);
  const std::string own = "http://127.0.0.1:" + std::to_string(server.port);
  EXPECT_EQ(status(get(server.port, "/report", "Origin: " + own + "\r\nSec-Fetch-Site: same-origin\r\n")), 200);
  server.child.send(SIGINT);
  EXPECT_EQ(server.child.end(), 0);
  EXPECT_EQ(get(server.port, "/"), "");
}

TEST_F(Watch, refuses_other_origins_other_names_other_files_and_whatever_is_no_plain_get) {
  Server server(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(server.port, 0);
  const int port = server.port;
  folder.write("secret.txt", "a secret");
  // Pages of other sites in the same browser; names that somebody lets point here.
  EXPECT_EQ(status(get(port, "/report", "Origin: http://example.org\r\n")), 403);
  EXPECT_EQ(status(get(port, "/report", "Origin: null\r\n")), 403);
  EXPECT_EQ(status(get(port, "/report", "Origin: http://127.0.0.1:1\r\n")), 403);
  EXPECT_EQ(status(get(port, "/", "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status(get(port, "/", "sec-fetch-site: same-site\r\n")), 403);
  EXPECT_EQ(status(get(port, "/", "", "example.org")), 403);
  EXPECT_EQ(status(get(port, "/", "", "127.0.0.1")), 403);
  EXPECT_EQ(status(get(port, "/", "", "127.0.0.1.example.org:" + std::to_string(port))), 403);
  EXPECT_EQ(status(get(port, "/", "Host: example.org\r\n")), 403) << "two hosts";
  EXPECT_EQ(status(talk(port, "GET / HTTP/1.1\r\n\r\n")), 403) << "no host";
  // Files, among them those beside the results.
  for (const char* other :
       {"/secret.txt", "/swing.h5", "/pendulum.toml", "/report/", "/report.json", "/index.html", "/rows/x"})
    EXPECT_EQ(status(get(port, other)), 404) << other;
  for (const char* odd : {"/../secret.txt", "/%2e%2e/secret.txt", "/./..//secret.txt", "//secret.txt", "secret.txt",
                          "http://127.0.0.1/", "/\\secret.txt", "/~root"}) {
    const std::string answer = get(port, odd);
    EXPECT_EQ(status(answer), 400) << odd;
    EXPECT_FALSE(contains(answer, "a secret"));
  }
  // Rows by numbers alone.
  for (const char* odd :
       {"/rows", "/rows?frames=1", "/rows?frames=x&steps=0&time=0", "/rows?frames=1&steps=0&time=0&file=a"})
    EXPECT_EQ(status(get(port, odd)), 400) << odd;
  EXPECT_EQ(status(get(port, "/?file=secret.txt")), 404);
  // No other words, no bodies, no endless heads.
  const std::string host = "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  for (const char* method : {"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "get"})
    EXPECT_EQ(status(talk(port, std::string(method) + " / HTTP/1.1\r\n" + host + "\r\n")), 405) << method;
  EXPECT_EQ(status(talk(port, "GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc")), 400);
  EXPECT_EQ(status(talk(port, "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n")), 400);
  EXPECT_EQ(status(talk(port, "GET / HTTP/2.0\r\n" + host + "\r\n")), 400);
  EXPECT_EQ(status(talk(port, "GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n")), 400);
  EXPECT_EQ(status(talk(port, "GET / HTTP/1.1\r\n" + host + "X: " + std::string(20000, 'x') + "\r\n\r\n")), 431);
  EXPECT_EQ(status(talk(port, std::string(30000, 'x'))), 431);
  EXPECT_EQ(status(talk(port, "\r\n\r\n")), 400);
  EXPECT_EQ(status(get(port, "/")), 200) << "and goes on serving";
}

TEST_F(Watch, whoever_says_nothing_keeps_nobody_waiting) {
  Server server(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(server.port, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<int> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(connect(silent.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    send(silent.back(), "GET /", 5, MSG_NOSIGNAL);
  }
  EXPECT_EQ(status(get(server.port, "/")), 200);
  for (const int fd : silent) close(fd);
}

// Reading the file costs the machine on which the run computes: who asks too early is told to wait, and nothing is
// read.
TEST_F(Watch, whoever_asks_without_end_gets_as_many_readings_as_there_is_time_for) {
  Server server(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(server.port, 0);
  const auto start = std::chrono::steady_clock::now();
  int readings = 0, told_to_wait = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string answer = get(server.port, "/rows?frames=0&steps=0&time=0");
    EXPECT_EQ(status(answer), 200);
    ++(contains(answer, "\"groups\"") ? readings : told_to_wait);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(readings, 1);
  EXPECT_LE(readings, 1.0 + seconds / 0.5);
  EXPECT_EQ(readings + told_to_wait, 300);
}

// A run that stands still takes nothing of the processor, and is not read however long one waits.
TEST_F(Watch, counts_the_processor_time_of_the_process_that_writes_the_file) {
  Child run(folder, {"run", pendulum, "-q", "-o", "long.h5", "--set", "analysis.end=1e5", "--set", "solver.h=1e-4",
                     "--set", "output.interval=1"});
  for (int i = 0; i < 3000 && !program::fs::exists(folder / "long.h5"); ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(700ms);  // until its first frames are flushed
  const Folder other;
  Server server(other, {"watch", (folder / "long.h5").string(), "--port", "0"});
  ASSERT_NE(server.port, 0);
  EXPECT_SAYS(get(server.port, "/report"), "\"state\":\"running\"");
  run.send(SIGSTOP);
  const auto is_read_within = [&](std::chrono::milliseconds time) {
    for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
      if (contains(get(server.port, "/rows?frames=0&steps=0&time=0"), "\"anew\"")) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  };
  EXPECT_FALSE(is_read_within(1500ms));
  run.send(SIGCONT);
  EXPECT_TRUE(is_read_within(20s));
  run.send(SIGINT);
  run.end();
  // Who has ended computes no more: by the clock it is seen.
  EXPECT_TRUE(is_read_within(20s));
}

TEST_F(Watch, a_port_that_is_taken_names_who_is_there) {
  Server first(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(first.port, 0);
  const std::string port = std::to_string(first.port);
  const Folder other;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"watch", (folder / "swing.h5").string(), "--port", port},
        {"run", pendulum, "--live", "--port", port}}) {
    const Outcome second = call(other, words);
    EXPECT_EQ(second.code, 4);
    EXPECT_SAYS(
        second.err,
        "port " + port + " of this machine is taken: trammel watches 'swing.h5' (http://127.0.0.1:" + port + "/)");
    EXPECT_SAYS(second.err, "--port 0 any that is free");
  }
  EXPECT_FALSE(program::fs::exists(other / "pendulum.h5")) << "nothing is computed before";
  // Two watchers with ports of their own share the file.
  Server second(other, {"watch", (folder / "swing.h5").string(), "--port", "0"});
  ASSERT_NE(second.port, 0);
  for (const Server* server : {&first, &second}) EXPECT_SAYS(get(server->port, "/report"), "\"title\":\"Pendulum\"");
}

TEST_F(Watch, a_port_of_another_program_is_named_as_that) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(fd, 8), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  const Outcome out = call(folder, {"watch", "swing.h5", "--port", std::to_string(ntohs(address.sin_port))});
  EXPECT_EQ(out.code, 4);
  EXPECT_SAYS(out.err, "taken by another program");
  close(fd);
}

TEST_F(Watch, a_file_that_vanishes_or_is_none_is_named) {
  Server server(folder, {"watch", "swing.h5", "--port", "0"});
  ASSERT_NE(server.port, 0);
  program::fs::rename(folder / "swing.h5", folder / "elsewhere.h5");
  EXPECT_SAYS(get(server.port, "/report"), "'swing.h5' is not there any more");
  folder.write("swing.h5", "not HDF5");
  for (int i = 0; i < 600; ++i) {
    if (contains(get(server.port, "/report"), "it is not an HDF5 file")) break;
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_SAYS(get(server.port, "/report"), "it is not an HDF5 file");
  program::fs::rename(folder / "elsewhere.h5", folder / "swing.h5");
  for (int i = 0; i < 600; ++i) {
    if (contains(get(server.port, "/report"), "\"title\":\"Pendulum\"")) break;
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_SAYS(get(server.port, "/report"), "\"title\":\"Pendulum\"");
  const Outcome missing = call(Folder(), {"watch", "swing.h5"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_SAYS(missing.err, "there is no file 'swing.h5'");
}

TEST_F(Watch, a_live_run_that_is_refused_or_killed_leaves_no_server_behind) {
  const Outcome refused = call(folder, {"run", pendulum, "--live", "--port", "0", "--set", "body.rod.mass=-1"});
  EXPECT_EQ(refused.code, 2);
  const std::string said = read_text(folder / "stdout.txt");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(said, found, std::regex("127\\.0\\.0\\.1:([0-9]+)/")));
  EXPECT_EQ(get(std::stoi(found[1]), "/who"), "");
  const Folder other;  // without the words of the one before
  Server server(other, {"run", pendulum, "--live", "--port", "0", "-o", "live.h5"});
  ASSERT_NE(server.port, 0);
  EXPECT_NE(status(get(server.port, "/who")), 0);
  server.child.send(SIGKILL);
  server.child.stop_reading();
  std::string answer = "?";
  for (int i = 0; i < 600 && !answer.empty(); ++i) {
    answer = get(server.port, "/who");
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(answer, "");
}

}  // namespace
}  // namespace trammel::test_watch
