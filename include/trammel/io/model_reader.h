// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "trammel/mechanics/kinds.h"
#include "trammel/simulation/checked_study.h"

namespace trammel {

/// Reads a model file (docs/model_file.md) with the command line's `--set key=value` applied: "solver.h=1e-4",
/// "parameters.N=40", "body.rod.mass=3". Everything that can be refused without assembling the machine is refused
/// here, all of it at once.
///
/// Throws InputError with every issue in the order of the text (`where` is "arm.toml:12:7", or "--set solver.h"; a
/// TOML syntax error stands alone), IoError if the model file itself cannot be read.
///
/// `kinds` are the kinds of joints and forces that the file may name.
CheckedStudy read_checked_study(const std::filesystem::path& file, std::span<const std::string> settings = {},
                                const Kinds& kinds = standard_kinds());

/// The same from a text; `name` stands for the file in messages, and files that the text names (tables, includes) are
/// searched relative to its folder.
CheckedStudy read_checked_study_text(const std::string& text, const std::filesystem::path& name,
                                     std::span<const std::string> settings = {}, const Kinds& kinds = standard_kinds());

/// The same as values that may be changed, and are therefore checked again when they are run.
Study read_study(const std::filesystem::path& file, std::span<const std::string> settings = {},
                 const Kinds& kinds = standard_kinds());
Study read_study_text(const std::string& text, const std::filesystem::path& name,
                      std::span<const std::string> settings = {}, const Kinds& kinds = standard_kinds());

}  // namespace trammel
