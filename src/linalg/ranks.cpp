// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/ranks.h"

#include <signal.h>

#include "trammel/base/error.h"

#if TRAMMEL_HAS_MPI
#define OMPI_SKIP_MPICXX 1  // the C interface alone
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <time.h>

#include <cstdlib>
#endif

namespace trammel::ranks {

#if TRAMMEL_HAS_MPI

namespace {

constexpr int end_of_orders = -1;

int n_ranks = 1;
volatile sig_atomic_t at_work = 0;
std::mutex one_order;

MPI_Comm communicator() { return n_ranks > 1 ? MPI_COMM_WORLD : MPI_COMM_SELF; }

void begin_mpi() {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (!begun) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
}

/// Whether a launcher of several processes started this one: Open MPI's, and those of the PMI families.
bool was_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

/// The next order. A rank that waits leaves its core to rank 0, which may have threads: it looks at once for some tens
/// of microseconds, then twenty thousand times per second.
Order wait_for_order() {
  Order order;
  MPI_Request request;
  MPI_Ibcast(&order, sizeof order / sizeof(int), MPI_INT, 0, communicator(), &request);
  constexpr int eager_looks = 200;
  const timespec moment{0, 50000};
  for (int looks = 0, done = 0;; ++looks) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return order;
    if (looks > eager_looks) nanosleep(&moment, nullptr);
  }
}

void give(Order order) {
  if (n_ranks == 1) return;
  MPI_Request request;  // as the others wait for it
  MPI_Ibcast(&order, sizeof order / sizeof(int), MPI_INT, 0, communicator(), &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

std::string find_obstacle() { return {}; }

int join() {
  if (!was_launched()) return 0;
  begin_mpi();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  return rank;
}

int count() { return n_ranks; }

void leave() {
  int begun = 0, over = 0, rank = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (!begun || over) return;
  MPI_Comm_rank(communicator(), &rank);
  if (rank == 0) give({end_of_orders, {}});
  MPI_Finalize();
}

void serve(std::span<const Service> services) {
  for (Order order = wait_for_order(); order.service != end_of_orders; order = wait_for_order())
    services[static_cast<std::size_t>(order.service)](order.words);
}

Together::Together(const Order& order) : lock_(one_order) {
  at_work = n_ranks > 1;
  give(order);
}
Together::~Together() { at_work = 0; }

bool are_at_work() { return at_work != 0; }

int fortran_communicator() {
  begin_mpi();
  return MPI_Comm_c2f(communicator());
}

#else

std::string find_obstacle() {
  return "this build of trammel works in one process; configure it with -DTRAMMEL_MUMPS=ON or -DTRAMMEL_PETSC=ON";
}
int join() { return 0; }
int count() { return 1; }
void leave() {}
void serve(std::span<const Service>) {}
Together::Together(const Order&) {}
Together::~Together() = default;
bool are_at_work() { return false; }
int fortran_communicator() { throw Error(find_obstacle()); }

#endif

}  // namespace trammel::ranks
