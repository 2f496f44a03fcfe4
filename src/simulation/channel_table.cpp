// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/channel_table.h"

namespace trammel {

namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

template <class Source, class Instant>
void append_rows(std::string& table, const std::string& folder,
                 const std::vector<ChannelKind<Source, Instant>>& channels) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const ChannelKind<Source, Instant>& channel = channels[i];
    const std::string path = folder + channel.quantity;
    std::string name = fmt::format("`{}`", channel.view.empty() ? path : channel.view);
    if (!channel.components.empty()) name += fmt::format(" ({})", fmt::join(channel.components, ", "));
    const std::string meaning = channel.meaning.empty() && i > 0
                                    ? "time derivative of `" + channels[i - 1].quantity + "`"
                                    : cell(channel.meaning);
    table += fmt::format("| {} | {} | {} | {} |\n", name, channel.view.empty() ? "" : "`" + path + "`",
                         cell(channel.unit), meaning);
  }
}

}  // namespace

std::string channel_table(const std::vector<FrameChannel>& frames, const std::vector<StepChannel>& steps) {
  std::string table = "| channel (components) | table | unit | meaning |\n|---|---|---|---|\n";
  append_rows(table, "/frames/", frames);
  append_rows(table, "/solver/", steps);
  return table;
}

std::string channel_table() { return channel_table(frame_channels(), step_channels()); }

}  // namespace trammel
