// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "trammel/simulation/record.h"

/// What the writer and the reader of results files must agree on.
namespace trammel::layout {

inline constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);  ///< of HDF5, the first bytes of a file
inline const std::string format = "trammel-results";                  ///< root attribute `format`
inline const std::string format_version = "1";                        ///< root attribute `format_version`

/// Texts up to this length are root attributes, longer ones (and always the model) datasets in the root.
inline constexpr std::size_t longest_attribute = 4096;

/// Root dataset like /summary: for each text and list of texts "crc32 <8 digits> of <n> bytes"; the summary's line
/// comes last, when a run ends. (Runs of earlier versions have lines of whole tables as well, and no chunk_checksums.)
inline const std::string checksums = "/checksums";
/// Of the rows: results_chunks.h.
inline const std::string chunk_checksums = "/chunk_checksums";

/// Times of the rows of frames, and of steps.
inline const std::array<std::string, 2> times{"/time", "/solver/time"};

/// Root group of the two places of checkpoints (results_checkpoint.h), and that of the files a model was made of
/// beside itself: "/files/0", … with their name, relative to the model's folder, as an attribute.
inline const std::array<std::string, 2> checkpoints{"/checkpoint/a", "/checkpoint/b"};
inline const std::string files = "/files";

/// Cells of /summary[line, 2] (key, value). A longer value continues in lines with an empty key.
inline constexpr std::size_t summary_cell = 256;

/// "/names/position", "/names/solver/…": the item names of a group; likewise "/units/…" where units differ by item.
inline std::string side_path(const std::string& folder, const RecordGroup& group) {
  const std::string frames = "/frames";
  return folder + (group.path.rfind(frames + "/", 0) == 0 ? group.path.substr(frames.size()) : group.path);
}

/// A single number per row in /solver is stored without item and component axes and without a list of names.
inline bool is_flat(const RecordGroup& group) {
  return group.path.rfind("/solver/", 0) == 0 && group.width() == 1 && group.view.empty() &&
         group.names[0] == group.quantity();
}

}  // namespace trammel::layout
