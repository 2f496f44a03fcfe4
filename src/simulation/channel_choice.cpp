// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/channel_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trammel/base/text.h"
#include "trammel/simulation/channels.h"

namespace trammel {

namespace {

using Kept = std::vector<std::vector<bool>>;  // of each group its items

bool names_steps(std::string_view word) { return word.starts_with("solver.") || word.starts_with("/solver/"); }

// By its name, its path, or one of its components.
bool is_meant(const RecordGroup& group, int item, const std::string& pattern) {
  const std::string name = channel_name(group, item);
  if (matches_pattern(name, pattern)) return true;
  if (!group.view.empty() && matches_pattern(view_path(group, item), pattern)) return true;
  return std::any_of(group.components.begin(), group.components.end(),
                     [&](const std::string& component) { return matches_pattern(name + "." + component, pattern); });
}

// "rod.*" and "*.position" of every name "rod.position": what a pattern may have been meant to be.
std::string nearest_pattern(const std::string& word, const ChannelIndex& index) {
  std::set<std::string> near;
  for (const std::string& name : index.names()) {
    near.insert(name.substr(0, name.find('.')) + ".*");
    const std::size_t cut = name.find('.');
    if (cut != name.npos)
      near.insert("*" + name.substr(cut)), near.insert("*" + name.substr(cut, name.find('.', cut + 1) - cut));
  }
  const std::vector<std::string> candidates(near.begin(), near.end());
  return did_you_mean(word, candidates);
}

class Chooser {
 public:
  explicit Chooser(const RecordSchema& all) : all_(all), index_(all) {
    for (const RecordGroup& group : all.frames) frames_.emplace_back(group.names.size(), false);
    for (const RecordGroup& group : all.solver) steps_.emplace_back(group.names.size(), false);
  }

  /// Why the word names nothing; empty: it does.
  std::string take(const std::string& word) {
    if (is_pattern(word)) {
      const bool found =
          names_steps(word) ? take_pattern(word, all_.solver, steps_) : take_pattern(word, all_.frames, frames_);
      some_steps_ = some_steps_ || (found && names_steps(word));
      return found
                 ? ""
                 : fmt::format("'channels' has '{}', which no channel matches{}", word, nearest_pattern(word, index_));
    }
    try {
      const ChannelPlace place = index_.find(word);
      (place.solver ? steps_ : frames_)[static_cast<std::size_t>(place.group)][static_cast<std::size_t>(place.item)] =
          true;
      some_steps_ = some_steps_ || place.solver;
    } catch (const InputError& error) {
      return fmt::format("'channels': {}", error.issues().front().message);
    }
    return "";
  }

  ChannelChoice result() {
    if (!some_steps_)
      for (std::vector<bool>& items : steps_) items.assign(items.size(), true);
    ChannelChoice choice;
    choice.schema.attributes = all_.attributes;
    choice.schema.files = all_.files, choice.schema.checkpoints = all_.checkpoints;
    keep(all_.frames, frames_, choice.schema.frames, choice.frames);
    keep(all_.solver, steps_, choice.schema.solver, choice.steps);
    return choice;
  }

  /// "position 1 of 3": of each table that is not whole.
  std::string left_out() const {
    std::string text;
    const auto add = [&](const std::vector<RecordGroup>& groups, const Kept& kept, const char* front) {
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto n = std::count(kept[g].begin(), kept[g].end(), true);
        if (n < std::ssize(kept[g]))
          text +=
              fmt::format("{}{}{} {} of {}", text.empty() ? "" : "\n", front, groups[g].quantity(), n, kept[g].size());
      }
    };
    add(all_.frames, frames_, ""), add(all_.solver, steps_, "solver.");
    return text;
  }

 private:
  static bool take_pattern(const std::string& word, const std::vector<RecordGroup>& groups, Kept& kept) {
    bool found = false;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (int item = 0; item < groups[g].n_items(); ++item)
        if (is_meant(groups[g], item, word)) kept[g][static_cast<std::size_t>(item)] = found = true;
    return found;
  }

  static void keep(const std::vector<RecordGroup>& groups, const Kept& kept, std::vector<RecordGroup>& to,
                   std::vector<int>& columns) {
    int column = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      RecordGroup group = groups[g];
      group.names.clear(), group.item_units.clear();
      const int n = group.n_components();
      for (std::size_t item = 0; item < kept[g].size(); ++item, column += n) {
        if (!kept[g][item]) continue;
        group.names.push_back(groups[g].names[item]);
        if (!groups[g].item_units.empty()) group.item_units.push_back(groups[g].item_units[item]);
        for (int k = 0; k < n; ++k) columns.push_back(column + k);
      }
      if (!group.names.empty()) to.push_back(std::move(group));
    }
  }

  const RecordSchema& all_;
  ChannelIndex index_;
  Kept frames_, steps_;
  bool some_steps_ = false;
};

int count_items(const RecordSchema& schema) {
  int n = 0;
  for (const std::vector<RecordGroup>* groups : {&schema.frames, &schema.solver})
    for (const RecordGroup& group : *groups) n += group.n_items();
  return n;
}

}  // namespace

ChannelChoice choose_channels(const RecordSchema& all, std::span<const std::string> words, const std::string& place) {
  std::vector<Issue> issues;
  if (words.empty()) issues.push_back({place, "'channels' is empty: name channels, or leave the key out for all"});
  Chooser chooser(all);
  std::string asked;
  for (const std::string& word : words) {
    if (const std::string trouble = chooser.take(word); !trouble.empty())
      issues.push_back({place, "output: " + trouble});
    asked += (asked.empty() ? "" : ", ") + word;
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  ChannelChoice choice = chooser.result();
  const std::string left_out = chooser.left_out();
  if (left_out.empty()) return choice;
  choice.schema.attributes["channels"] = asked;
  choice.schema.attributes["left_out"] = left_out;
  choice.note = fmt::format("recorded are {} of {} channels: {}", count_items(choice.schema), count_items(all), asked);
  return choice;
}

int count_kept_numbers(const RecordSchema& all, const std::optional<std::vector<std::string>>& words) {
  if (!words) return all.frame_width();
  Chooser chooser(all);
  for (const std::string& word : *words) chooser.take(word);
  return chooser.result().schema.frame_width();
}

ChosenChannelsSink::ChosenChannelsSink(RecordSink& sink, const ChannelChoice& choice)
    : sink_(sink), choice_(choice), frame_(choice.frames.size()), step_(choice.steps.size()) {}

std::span<const double> ChosenChannelsSink::pick(std::span<const double> values, const std::vector<int>& columns,
                                                 std::vector<double>& row) {
  for (std::size_t i = 0; i < columns.size(); ++i) row[i] = values[static_cast<std::size_t>(columns[i])];
  return row;
}

}  // namespace trammel
