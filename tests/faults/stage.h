// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "preload/notes.h"
}

namespace trammel::test_faults {

namespace fs = std::filesystem;

struct Fault {
  int kind = kind_memory;
  bool lasts = false;   ///< all calls after it fail as well
  std::uint64_t n = 0;  ///< which call; 0: none, they are counted
};

/// How a call of the program ended.
struct Ended {
  int code = 0;  ///< −(number) of the signal that ended it
  bool hung = false;
  std::string out, err;
  notes faults{};
};

/// A folder in which a command is called again and again, each time among the same files.
class Stage {
 public:
  Stage();
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  fs::path operator/(const std::string& name) const { return folder_ / name; }
  Ended call(const std::vector<std::string>& words, const Fault& fault = {}) const;

  void keep();     ///< what is there now is what each call finds
  void restore();  ///< puts it there again
  const std::map<std::string, std::string>& kept() const { return kept_; }
  bool is_kept(const std::string& name) const;  ///< byte by byte
  std::vector<std::string> new_names() const;   ///< of files that were not there

 private:
  std::vector<std::string> names() const;
  fs::path folder_, notes_file_, out_file_;
  std::map<std::string, std::string> kept_;
};

}  // namespace trammel::test_faults
