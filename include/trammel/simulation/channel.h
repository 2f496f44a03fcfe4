// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/simulation/record.h"

// A channel is described and written at one place: schema and values come from the same list.
namespace trammel {

/// The numbers of one channel in one row, handed to its writer: item after item, in each item component after
/// component. Room is for exactly the numbers that the channel announced: one too many throws at once, one too few when
/// the writer returns, so that no channel can shift another.
class ChannelValues {
 public:
  ChannelValues(std::span<double> room, const std::string& path)
      : begin_(room.data()), next_(begin_), end_(begin_ + room.size()), path_(path) {}

  void put(double x) {
    take(1);
    next_[-1] = x;
  }
  void put(const Eigen::Vector3d& x) { put(x.data(), 3); }
  void put(const double* x, int n) {
    take(n);
    for (int i = 0; i < n; ++i) next_[i - n] = x[i];
  }

  /// Throws unless everything was written.
  void finish() const {
    if (next_ != end_) [[unlikely]]
      refuse(next_ - begin_);
  }

 private:
  void take(int n) {
    if (end_ - next_ < n) [[unlikely]]
      refuse(next_ - begin_ + n);
    next_ += n;
  }
  [[noreturn]] void refuse(std::ptrdiff_t written) const;

  double *begin_, *next_, *end_;
  const std::string& path_;
};

/// What a channel has in a given machine; no names: the channel is not recorded.
struct ChannelItems {
  std::vector<std::string> names{};
  std::vector<std::string> units{};  ///< empty, or one per name where they differ
};

/// One kind of channel: what it is called, what it means, which items it has, and how its numbers are found.
///
/// `Source` is what items follow from, before the run; `Instant` what numbers follow from: FrameChannel of a recorded
/// frame (frame_channels.h), StepChannel of a step of the integrator (step_channels.h).
template <class Source, class Instant>
struct ChannelKind {
  std::string quantity;                   ///< one word: the table is "/frames/<quantity>" or "/solver/<quantity>"
  std::string view{};                     ///< "/bodies/{name}/position"; empty: only the wide table
  std::vector<std::string> components{};  ///< "x", "y", "z"; empty: one number per item
  std::string unit{};                     ///< "m"; empty: a pure number
  std::string meaning{};                  ///< one line for a person; empty: the rate of the channel before it
  /// Empty: one item, which bears the name of the quantity.
  std::function<ChannelItems(const Source&)> items{};
  std::function<void(const Instant&, ChannelValues&)> write{};
};

/// A list of kinds, instantiated for a machine: makes the groups of a schema and the rows that belong to them.
template <class Source, class Instant>
class ChannelList {
 public:
  using Kind = ChannelKind<Source, Instant>;

  /// `folder`: "/frames/" or "/solver/".
  ChannelList(std::string folder, const std::vector<Kind>& kinds, const Source& source) : folder_(std::move(folder)) {
    for (const Kind& kind : kinds) add(kind, source);
  }

  /// Throws InputError if the kind lacks its writer.
  void add(const Kind& kind, const Source& source) {
    const std::string path = folder_ + kind.quantity;
    if (!kind.write) throw InputError(fmt::format("channel '{}' has no function that writes it", path));
    ChannelItems items = kind.items ? kind.items(source) : ChannelItems{{kind.quantity}, {}};
    if (items.names.empty()) return;
    groups_.push_back(
        {path, std::move(items.names), kind.components, kind.unit, kind.meaning, kind.view, std::move(items.units)});
    const auto width = static_cast<std::size_t>(groups_.back().width());
    writers_.push_back({kind.write, width, path});
    values_.resize(values_.size() + width);
  }

  const std::vector<RecordGroup>& groups() const { return groups_; }

  /// One row, in the order of the groups; valid until the next call. Does not allocate.
  std::span<const double> update(const Instant& instant) {
    double* room = values_.data();
    for (const Writer& writer : writers_) {
      ChannelValues values({room, writer.width}, writer.path);
      writer.write(instant, values);
      values.finish();
      room += writer.width;
    }
    return values_;
  }

 private:
  struct Writer {  // of each group, beside the number of its numbers
    std::function<void(const Instant&, ChannelValues&)> write;
    std::size_t width;
    std::string path;
  };
  std::string folder_;
  std::vector<RecordGroup> groups_;
  std::vector<Writer> writers_;
  std::vector<double> values_;
};

}  // namespace trammel
