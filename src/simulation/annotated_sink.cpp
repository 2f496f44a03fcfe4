// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/annotated_sink.h"

namespace trammel {

void AnnotatedSink::begin(const RecordSchema& schema) {
  RecordSchema annotated = schema;
  for (const auto& [key, value] : attributes_) annotated.attributes[key] = value;
  open_ = true;
  sink_.begin(annotated);
}

void AnnotatedSink::end(const SummaryEntries& summary) {
  open_ = false;
  sink_.end(summary);
}

}  // namespace trammel
