// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trammel/linalg/dense_kernel.h"

namespace trammel {

/// The products that large dense blocks use on this machine: "portable", "avx2".
std::string_view kernel_in_use(DenseKernel kernel);

}  // namespace trammel
