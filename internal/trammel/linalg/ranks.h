// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>

/// Processes that solve linear systems together, as `mpirun -n N trammel run …` starts them. Rank 0 is the program:
/// model, results and words are its own. The others serve: they wait for orders and take part in the library calls that
/// these name, until rank 0 ends. Without mpirun, and for whoever has not called join(), rank 0 is alone.
namespace trammel::ranks {

using Words = std::array<int, 5>;
/// What is asked of the other ranks: a service, and words that it understands.
struct Order {
  int service = 0;
  Words words{};
};
/// Takes part in what rank 0 does at the same time.
using Service = void (*)(const Words& words);
enum Services : int { mumps, petsc };

/// Empty: this program can work with others; else why not.
std::string find_obstacle();
/// Joins the processes that mpirun started beside this one, if it did. Returns this one's rank.
int join();
int count();  ///< of those that work together; 1: rank 0 is alone
/// Rank 0: no order follows. Every rank calls it at its end.
void leave();

/// For ranks other than 0: follows orders until rank 0 leaves, and sleeps between them. The services are those of
/// Services.
void serve(std::span<const Service> services);

/// While it lives, the others take part in what the order names; one order at a time.
class Together {
 public:
  explicit Together(const Order& order);
  ~Together();
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
};
/// Whether such an order is followed at the moment. May be called in a signal's handler.
bool are_at_work();

/// The communicator of those that work together, as Fortran knows it. Begins MPI if nobody has.
int fortran_communicator();

}  // namespace trammel::ranks
