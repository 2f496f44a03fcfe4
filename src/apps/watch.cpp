// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "live_page.h"
#include "messages.h"
#include "stop_signal.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"

namespace trammel::apps {

int watch(const WatchCommand& command) {
  require_file(command.file);
  require_report_page();
  { const ResultsReader refuses_what_is_none(command.file); }
  LoopbackServer server(command.port);
  LiveReport report(command.file);
  const StopOnSignal signals;
  print_now(
      fmt::format("{} is shown at {} (open it in a browser; Ctrl-C ends)\n", command.file.string(), server.address()));
  serve_results(server, report, command.file, [] { return stop_signal() != 0; });
  return success;
}

}  // namespace trammel::apps
