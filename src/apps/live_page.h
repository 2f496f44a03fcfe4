// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

#include "loopback_server.h"
#include "trammel/io/live_report.h"

namespace trammel::apps {

/// Serves the page of a results file, and what it asks for: /, /report, /rows?frames=…&steps=…&time=…, /who. Nothing
/// else, and no other file, has an address. Until `stop`.
void serve_results(LoopbackServer& server, LiveReport& report, const std::filesystem::path& results,
                   const std::function<bool()>& stop);

/// The page of a run that computes in this process, served by another one: the run waits for nobody, and the library
/// that reads results is not the one that writes them.
///
///   LivePage page(port);            // before anything else: the process is copied
///   page.watch(path);               // when it is known where the results will be
///   page.begin();                   // when the first frame is there
class LivePage {
 public:
  /// Listens, then forks. Throws IoError where it cannot.
  explicit LivePage(int port);
  ~LivePage();  ///< the server ends with it, and with this process however that ends
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  const std::string& address() const { return address_; }
  void watch(const std::filesystem::path& results);
  void begin();

 private:
  void tell(const std::string& words) const;

  std::string address_;
  pid_t server_ = -1;
  int pipe_ = -1;
  bool begun_ = false;
};

}  // namespace trammel::apps
