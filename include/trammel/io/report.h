// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trammel/base/error.h"

namespace trammel {

/// How much of a run goes into a report; the defaults keep a page below 30 MB.
struct ReportOptions {
  /// Channels that are carried with every frame even when a run is too long to carry all of them. Without any, up to
  /// 20 that tell most: measures, energies, constraint drift, joint coordinates, efforts.
  std::vector<std::string> channels;
  std::string title{};                          ///< of the page; default: that of the first run
  std::int64_t max_channel_numbers = 1200000;   ///< numbers of all channels together; beyond, frames are left out
  std::int64_t max_animation_bytes = 12 << 20;  ///< compressed; beyond, frames are left out

  std::vector<Issue> issues() const;
};

/// What a report shows of one run.
struct ReportContents {
  std::int64_t n_frames = 0, n_steps = 0;
  int animation_stride = 1;  ///< every how many frames the animation has one
  bool quantised = false;    ///< positions and orientations of the animation are rounded to 16 bits
  int n_channels = 0;        ///< in the results
  int n_complete = 0;        ///< of these, carried with every frame
  int n_thinned = 0;         ///< of these, carried with some frames
};

/// Throws InputError if this build carries no page (CMake: TRAMMEL_PAGE = OFF). write_report begins with it; what
/// computes long before a report should, too.
void require_report_page();

/// Writes a self-contained page that shows runs in a browser: the machine moving, plots of its channels, and the
/// solver's story; several runs are laid over each other. Nothing is loaded from anywhere, a file can be mailed.
///
/// Numbers are carried as 32-bit floats, compressed. A long run of a large machine does not fit: then the animation
/// has fewer frames (rounded to 16 bits of each body's own range), chosen channels stay complete, the others are
/// thinned or left out, and the page says all that.
///
/// Throws InputError for an unknown channel, for no results at all or without a page, IoError when the page cannot be
/// written. What is not finite stays in the page, which names the channel and its first time.
std::vector<ReportContents> write_report(std::span<const std::filesystem::path> results,
                                         const std::filesystem::path& page, const ReportOptions& options = {});

/// Small motions about a position, for a page that lets them swing.
struct ModeReport {
  std::string title, model_file, model, settings, scene;
  std::string about;                ///< "its equilibrium", "the start"
  std::vector<std::string> bodies;  ///< as the scene numbers them
  std::vector<float> position;      ///< of the position itself: x, y, z of each body [m]
  std::vector<float> orientation;   ///< w, x, y, z of each body
  std::vector<std::string> notes;
  struct Mode {
    int number = 0;
    double frequency = 0.0, damping = 0.0, real = 0.0, imaginary = 0.0;  ///< [Hz], 1, [1/s], [1/s]
    /// Of each body: real parts of its displacement in the world [m] and of its turn in body axes [rad], then their
    /// imaginary parts; of any size.
    std::vector<float> shape;
  };
  std::vector<Mode> modes;
};

/// Writes a page of the same kind that shows modes: each swings with its frequency, without its damping. Throws as
/// write_report does.
void write_mode_report(const ModeReport& report, const std::filesystem::path& page);

/// The cases of a sweep, as a table of texts.
struct SweepReport {
  std::string title, model_file;
  std::vector<std::string> columns;  ///< what each case was set to, how it ended, what it cost, its measures
  int n_settings = 0;                ///< how many of the columns are settings
  struct Case {
    std::vector<std::string> cells;       ///< as many as there are columns, or fewer
    std::filesystem::path results, page;  ///< relative to the sweep's page; empty: there is none
    bool ended = false;                   ///< well
  };
  std::vector<Case> cases;
};

/// Writes a page with the table of the cases, a picture of any column over another, and links to the cases' own pages.
/// Throws as write_report does.
void write_sweep_report(const SweepReport& report, const std::filesystem::path& page);

}  // namespace trammel
