// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "trammel/simulation/record.h"

namespace trammel {

/// Passes a run on to another sink and adds attributes that only the caller knows: when, from which file, by which
/// command. One of the same name as the run's own replaces it.
class AnnotatedSink final : public RecordSink {
 public:
  AnnotatedSink(RecordSink& sink, std::map<std::string, std::string> attributes)
      : sink_(sink), attributes_(std::move(attributes)) {}

  void begin(const RecordSchema& schema) override;
  void frame(double t, std::span<const double> values) override { sink_.frame(t, values); }
  void step(double t, std::span<const double> values) override { sink_.step(t, values); }
  void checkpoint(double t, std::span<const std::byte> memory) override { sink_.checkpoint(t, memory); }
  void end(const SummaryEntries& summary) override;

  bool is_open() const { return open_; }  ///< it began and did not end

 private:
  RecordSink& sink_;
  std::map<std::string, std::string> attributes_;
  bool open_ = false;
};

}  // namespace trammel
