// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

namespace trammel {

/// Why a law of a library gave no force the last time that it gave none, for whoever explains why a run stopped. All
/// realisations of a force share it, in whatever threads they are.
class LibraryTrouble {
 public:
  void note(std::string reason) {
    const std::lock_guard lock(mutex_);
    reason_ = std::move(reason);
  }
  std::string reason() const {  ///< empty: there was none
    const std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  mutable std::mutex mutex_;
  std::string reason_;
};

/// A force whose law is in a shared library (trammel/mechanics/force_library.h).
struct LibrarySpec {
  std::string file = {};  ///< where it is, from the folder of the program
  std::string law = {};   ///< which of its laws; empty: the only one
  std::shared_ptr<LibraryTrouble> trouble = std::make_shared<LibraryTrouble>();
};

}  // namespace trammel
