// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/io/output_file.h"

/// What the program writes, so that commands can refuse a name before they work for minutes.
namespace trammel {

OutputKind results_kind();
OutputKind page_kind();
OutputKind picture_kind(const std::filesystem::path& path);  ///< by its ending, .svg or .png

}  // namespace trammel
