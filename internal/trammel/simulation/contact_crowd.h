// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace trammel {

class Memory;

/// Whether contacts change so often that steps do not end for each of them: a heap.
///
/// An instant that is located costs a step that is taken again and a method that begins anew. Where bodies are many,
/// changes follow each other within steps that accuracy would allow, and the error test alone is cheaper:
///
///   (1) with 30 and more places near to touching, when 10 of at most 100 steps ended where contact began or ended
///   (2) until places are fewer, or contact has not changed in 100 steps nor for as long as there has been a heap
///       before: it is at rest. Steps alone say little of that: friction at small speeds holds them at microseconds,
///       and layer after layer falls on what seemed to rest
class ContactCrowd {
 public:
  bool is_crowd() const { return crowd_; }
  /// A step ended at t; `changes`: within it contact began or ended.
  void note_step(double t, int n_places, bool changes);
  /// "steps were not ended for contacts from t = 0.08 s on, 0.92 s in all: …"; empty: it never was one.
  std::string to_text(double end) const;
  void remember(Memory& memory);

 private:
  bool crowd_ = false;
  long steps_ = 0, changed_ = 0;  // of the present hundred
  long since_change_ = 0;         // steps
  double changed_at_ = 0.0;       // last
  double first_ = 0.0, since_ = 0.0, lasted_ = 0.0;
  long times_ = 0;
};

}  // namespace trammel
