// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// Which products the dense blocks of large factorizations use. They differ in rounding, so that only one of them gives
/// the same bits on every machine.
enum class DenseKernel : unsigned char {
  automatic,  ///< "auto": the fastest that the processor has, unless the environment has TRAMMEL_DENSE_KERNEL=portable
  portable,   ///< "portable": the same bits everywhere
};

}  // namespace trammel
