// SPDX-License-Identifier: Apache-2.0
#include "live_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "messages.h"
#include "trammel/base/error.h"
#include "trammel/base/processor_time.h"

namespace trammel::apps {

namespace {

template <class Number>
std::optional<Number> read_number(const HttpRequest& request, const char* key) {
  const auto found = request.query.find(key);
  if (found == request.query.end()) return std::nullopt;
  const std::string& text = found->second;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

HttpAnswer answer_rows(LiveReport& report, const HttpRequest& request) {
  const auto frames = read_number<std::int64_t>(request, "frames"), steps = read_number<std::int64_t>(request, "steps");
  const auto time = read_number<double>(request, "time");
  if (request.query.size() != 3 || !frames || !steps || !time)
    return {400, HttpAnswer().type, "/rows takes the numbers frames, steps and time\n"};
  return {200, "application/json", report.rows(*frames, *steps, *time)};
}

HttpAnswer answer(LiveReport& report, const std::string& name, const HttpRequest& request) {
  if (request.path == "/rows") return answer_rows(report, request);
  if (!request.query.empty()) return {404, HttpAnswer().type, "there is nothing at this address\n"};
  if (request.path == "/") return {200, "text/html; charset=utf-8", report.page()};
  if (request.path == "/report") return {200, "application/json", report.report()};
  if (request.path == "/who") return {200, HttpAnswer().type, fmt::format("trammel watches '{}'\n", name)};
  return {404, HttpAnswer().type, "there is nothing at this address\n"};
}

/// What the run tells its server through a pipe: a line with the path of the results, a line when they begin.
class RunWords {
 public:
  explicit RunWords(int pipe) : pipe_(pipe) {}

  /// Takes what was said. False: nobody speaks any more.
  bool listen() {
    pollfd watched{pipe_, POLLIN, 0};
    while (poll(&watched, 1, 0) > 0) {
      std::array<char, 4096> part{};
      const ssize_t n = read(pipe_, part.data(), part.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      said_.append(part.data(), static_cast<std::size_t>(n));
    }
    return true;
  }
  std::optional<std::string> path() const {
    const std::size_t end = said_.find('\0');
    return end == said_.npos ? std::nullopt : std::optional(said_.substr(0, end));
  }
  bool has_begun() const { return std::count(said_.begin(), said_.end(), '\0') > 1; }

 private:
  int pipe_;
  std::string said_;
};

// The other process: serves until the run's end of the pipe is closed.
void serve_run(LoopbackServer& server, int pipe) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) signal(number, SIG_IGN);  // the run decides
  RunWords words(pipe);
  bool alive = true;
  const auto listen = [&] { return alive = alive && words.listen(); };
  server.serve(
      [](const HttpRequest& request) {
        if (request.path == "/who") return HttpAnswer{200, HttpAnswer().type, "trammel makes a run ready\n"};
        return HttpAnswer{404, HttpAnswer().type, "the run is being made ready: come back in a moment\n"};
      },
      [&] { return !listen() || words.path().has_value(); });
  if (!alive) return;
  const std::filesystem::path results = *words.path();
  LiveReport report(results);
  report.begun = false;
  report.run_seconds = processor_seconds_of(getppid());
  serve_results(server, report, results, [&] {
    const bool go_on = listen();
    report.begun = words.has_begun();
    return !go_on;
  });
}

}  // namespace

void serve_results(LoopbackServer& server, LiveReport& report, const std::filesystem::path& results,
                   const std::function<bool()>& stop) {
  const std::string name = results.filename().string();
  server.serve([&](const HttpRequest& request) { return answer(report, name, request); }, stop);
}

LivePage::LivePage(int port) {
  LoopbackServer server(port);
  address_ = server.address();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw IoError("the page cannot be served: " + std::system_category().message(errno));
  server_ = fork();
  if (server_ < 0) throw IoError("the page cannot be served: " + std::system_category().message(errno));
  if (server_ == 0) {
    close(ends[1]);
    int code = 0;
    try {
      serve_run(server, ends[0]);
    } catch (const std::exception& error) {
      complain("trammel: warning: the page is not served any more: {}\n", error.what());
      code = 1;
    }
    _exit(code);  // nothing of the run's is closed or written here
  }
  close(ends[0]);
  pipe_ = ends[1];
}

LivePage::~LivePage() {
  close(pipe_);
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void LivePage::tell(const std::string& words) const {
  // Less than a pipe holds, so that it is taken at once or not at all; whoever serves may have died: the run goes on.
  for (ssize_t n = -1; n < 0;) {
    n = write(pipe_, words.c_str(), words.size() + 1);
    if (n < 0 && errno != EINTR) return;
  }
}

void LivePage::watch(const std::filesystem::path& results) { tell(std::filesystem::absolute(results).string()); }

void LivePage::begin() {
  if (begun_) return;
  begun_ = true;
  tell("");
}

}  // namespace trammel::apps
