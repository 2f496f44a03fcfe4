// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// For programs: HDF5 does nothing when the program ends. All files of ours are closed before; what a damaged file left
/// behind in the library is not worth "infinite loop closing library" or worse. Call it before any file is opened.
void skip_library_exit();

}  // namespace trammel
