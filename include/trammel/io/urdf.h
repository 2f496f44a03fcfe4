// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// What becomes of an element of a URDF file.
enum class UrdfFate {
  taken,     ///< it is in the model, with the same meaning
  changed,   ///< it is in the model in another form: what and why is said
  left_out,  ///< nothing in the model stands for it
};

struct UrdfNote {
  UrdfFate fate = UrdfFate::taken;
  int line = 0;
  std::string element;  ///< "link", "dynamics", "gazebo"
  std::string text;     ///< what happened; empty for what is simply taken
};

struct UrdfOptions {
  bool floating = false;                        ///< the root link is free, else it is fixed to the ground
  std::vector<std::filesystem::path> packages;  ///< folders in which `package://NAME/…` is searched
};

/// How the text of an imported model begins.
inline constexpr std::string_view imported_mark = "# Imported by trammel from ";

/// A robot as a model file, and what became of every element of its URDF file (docs/urdf.md).
struct UrdfImport {
  std::string toml;  ///< as `[[include]]` of the URDF file reads it, bit by bit
  std::vector<UrdfNote> notes;
  int n_bodies = 0, n_joints = 0, n_frames = 0;
  double mass = 0.0;  ///< [kg]

  /// Lines for a person: what was taken (by element, with lines), changed and left out.
  std::string report(const std::string& name) const;
};

/// Reads a URDF file and everything that the model reader says about it. File names in the text are relative to
/// `folder`. Throws InputError with every issue, IoError if the file cannot be read or this build knows no URDF.
UrdfImport import_urdf(const std::filesystem::path& file, const UrdfOptions& options = {},
                       const std::filesystem::path& folder = {});

}  // namespace trammel
