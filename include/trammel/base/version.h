// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// "0.2.0": the version of the library that is linked.
const char* version();

}  // namespace trammel
