// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel::python {

/// Before the first array: NumPy is imported and its functions are found. Call with the interpreter's lock.
///
/// pybind11 does it where the first array is made, as the initialisation of a static. Importing lets other threads run;
/// one that comes to the same place waits for the static with the lock in its hands, and the import waits for the lock:
/// for ever. Here who must wait gives the lock away first.
void ready_numpy();

}  // namespace trammel::python
