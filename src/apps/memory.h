// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel::apps {

/// What happens when memory is exhausted, in two halves:
///
///   (1)  C++ hears of it at once: `new` throws std::bad_alloc, which ends the command in order, with exit code 3.
///        Where nothing can be thrown any more (destructors, initializers before main) the program ends with the same
///        words and code.
///   (2)  Libraries in C do not hear of it: HDF5 1.10 ends the program, or crashes, where malloc returns null, and is
///        needed to close the results. What the system refuses to malloc comes from a reserve of 8 MB, which no page of
///        memory is spent on before.
///
/// The reserve is for ending in order. A run looks at it after each step and ends when half of it is gone; a single
/// allocation of more than 1 MB gets nothing of it. Programs with sanitizers have their own malloc and no reserve.
void require_memory();  ///< throws std::bad_alloc when half of the reserve is in use

/// C++ was refused memory at least once. Libraries may have made another error of it: numbers are read with memory, and
/// a parser takes what it cannot read for wrong.
bool memory_was_refused();

/// The words of both, printed without allocating.
void complain_of_memory();

}  // namespace trammel::apps
