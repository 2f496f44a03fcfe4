// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trammel/simulation/record.h"

namespace trammel {

/// Where a channel stands in a schema.
struct ChannelPlace {
  bool solver = false;  ///< in schema.solver, else in schema.frames
  int group = 0;
  int item = 0;
  int component = -1;  ///< −1: all components
  int column = 0;      ///< of its first number in a row of values (frames or steps)
  int n_columns = 1;   ///< its numbers there
};

/// Finds channels of a schema by the names people use. An item of a group is known as
///
///   /bodies/rod/position   its path, from the group's view "/bodies/{name}/position"
///   rod.position           the same with dots; the folder in front of {name} is dropped when something follows it
///   energy.total           view "/energy/{name}": nothing follows, so the folder stays
///   total                  the bare item name, when only one group without further components has it
///   position.rod, solver.h quantity and item where the group has no view; an item that bears the quantity's name by
///                          its path alone
///
/// and each may be followed by a component: rod.position.x, /bodies/rod/position/x.
class ChannelIndex {
 public:
  explicit ChannelIndex(const RecordSchema& schema);

  /// Throws InputError with the nearest names, or with the candidates when the name fits several channels.
  ChannelPlace find(std::string_view name) const;

  /// Every channel by its dotted name, components included, in schema order.
  std::vector<std::string> names() const;

 private:
  const RecordSchema* schema_;
  std::unordered_map<std::string, std::vector<ChannelPlace>> places_;
};

/// Path of one item: the view with {name} replaced by the name made safe for a path ('/' becomes '_', an empty name
/// or one of dots only becomes "_"). The results file and its reader use this one rule.
std::string view_path(const RecordGroup& group, int item);

/// What was left out by `channels` in [output], for a person; empty: nothing.
std::string describe_left_out(const RecordSchema& schema);
/// Whether a table of frames ("position") has all items of the machine, and not a choice of them (`channels` in
/// [output]).
bool is_whole(const RecordSchema& schema, std::string_view quantity);

/// "rod.position"; see ChannelIndex.
std::string channel_name(const RecordGroup& group, int item);

}  // namespace trammel
