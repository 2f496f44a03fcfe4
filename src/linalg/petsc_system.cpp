// SPDX-License-Identifier: Apache-2.0
#include "petsc_system.h"

#include "trammel/base/error.h"

#if !TRAMMEL_HAS_PETSC

namespace trammel {

std::string find_petsc_obstacle() {
  return "this build of trammel has no PETSc; configure it with -DTRAMMEL_PETSC=ON (Debian: libpetsc-real-dev)";
}
class PetscPart {};
PetscSystem::PetscSystem(int, const PetscOptions&) : number_(0) { throw InputError(find_petsc_obstacle()); }
PetscSystem::~PetscSystem() = default;
int PetscSystem::run(PetscJob, int, int, int) { return number_; }
void take_part_in_petsc(const ranks::Words&) {}

}  // namespace trammel

#else

#define OMPI_SKIP_MPICXX 1  // the C interface alone
#define MPICH_SKIP_MPICXX 1
#include <fmt/format.h>
#include <petscksp.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <type_traits>

namespace trammel {

namespace {

static_assert(std::is_same_v<PetscScalar, double>, "PETSc with real numbers is needed (Debian: libpetsc-real-dev)");

void require(PetscErrorCode code, const char* what) {
  if (code == PETSC_ERR_MEM) throw std::bad_alloc();
  if (code != 0) throw Error(fmt::format("petsc: {} failed (error {})", what, static_cast<int>(code)));
}

MPI_Comm begin_petsc() {
  const MPI_Comm together = MPI_Comm_f2c(ranks::fortran_communicator());
  PetscBool begun = PETSC_FALSE;
  PetscInitialized(&begun);
  if (begun) return together;
  PETSC_COMM_WORLD = together;
  // Nothing but our settings decides how systems are solved, and signals stay ours.
  static char program[] = "trammel", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
  static char* words[] = {program, no_file, no_signals, nullptr};
  int n_words = 3;
  char** first = words;
  require(PetscInitialize(&n_words, &first, nullptr, nullptr), "PetscInitialize");
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  return together;
}

}  // namespace

/// The part of a system that lives on one rank.
class PetscPart {
 public:
  PetscPart(int n, const PetscOptions& options) : n_(n), options_(options), together_(begin_petsc()) {
    for (Mat* matrix : {&A_, &P_}) {
      MatCreate(together_, matrix);
      MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, n, n);
      require(MatSetType(*matrix, MATAIJ), "MatSetType");
    }
    MatSetUp(A_);
    require(MatCreateVecs(A_, &x_, &b_), "MatCreateVecs");
    require(VecScatterCreateToZero(x_, &to_first_, &whole_), "VecScatterCreateToZero");
    KSPCreate(together_, &iteration_);
    set_iteration();
  }
  ~PetscPart() {
    KSPDestroy(&iteration_);
    VecScatterDestroy(&to_first_);
    for (Vec* vector : {&x_, &b_, &whole_}) VecDestroy(vector);
    for (Mat* matrix : {&A_, &P_}) MatDestroy(matrix);
  }
  PetscPart(const PetscPart&) = delete;
  PetscPart& operator=(const PetscPart&) = delete;

  void set_pattern(PetscHanded& handed) {
    set_entries(A_, handed.row, handed.col);
    if (has_constraints()) set_entries(P_, handed.kept_row, handed.kept_col);
  }

  /// False: the preconditioner cannot be made.
  bool set_values(PetscHanded& handed) {
    require(MatSetValuesCOO(A_, handed.a.data(), INSERT_VALUES), "MatSetValuesCOO");
    if (has_constraints()) require(MatSetValuesCOO(P_, handed.kept_a.data(), INSERT_VALUES), "MatSetValuesCOO");
    KSPSetOperators(iteration_, A_, has_constraints() ? P_ : A_);
    PetscErrorCode code = KSPSetUp(iteration_);
    if (code == 0) code = KSPSetUpOnBlocks(iteration_);
    PC preconditioner = nullptr;
    KSPGetPC(iteration_, &preconditioner);
    PCFailedReason reason = PC_NOERROR;
    PCGetFailedReasonRank(preconditioner, &reason);
    int failed = code != 0 || reason != PC_NOERROR, any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, together_);
    return any == 0;
  }

  void set_right_side(PetscHanded& handed) {
    fill_whole(handed);
    VecScatterBegin(to_first_, whole_, b_, INSERT_VALUES, SCATTER_REVERSE);
    VecScatterEnd(to_first_, whole_, b_, INSERT_VALUES, SCATTER_REVERSE);
    VecSet(x_, 0.0);
  }

  /// A cycle from where x is; returns its iterations.
  int iterate(PetscHanded& handed, bool transposed) {
    require(transposed ? KSPSolveTranspose(iteration_, b_, x_) : KSPSolve(iteration_, b_, x_), "KSPSolve");
    PetscInt done = 0;
    KSPGetIterationNumber(iteration_, &done);
    VecScatterBegin(to_first_, x_, whole_, INSERT_VALUES, SCATTER_FORWARD);
    VecScatterEnd(to_first_, x_, whole_, INSERT_VALUES, SCATTER_FORWARD);
    const double* values = nullptr;
    VecGetArrayRead(whole_, &values);
    std::copy_n(values, handed.x.size(), handed.x.begin());
    VecRestoreArrayRead(whole_, &values);
    return static_cast<int>(done);
  }

 private:
  bool has_constraints() const { return options_.preconditioner == KrylovPreconditioner::constraint; }

  void set_iteration() {
    const bool is_gmres = options_.krylov == KrylovMethod::gmres;
    KSPSetType(iteration_, is_gmres ? KSPGMRES : options_.krylov == KrylovMethod::gcr ? KSPGCR : KSPBCGS);
    if (is_gmres) {
      KSPGMRESSetRestart(iteration_, petsc_cycle);
      KSPGMRESSetCGSRefinementType(iteration_, KSP_GMRES_CGS_REFINE_ALWAYS);
    }
    if (options_.krylov == KrylovMethod::gcr) KSPGCRSetRestart(iteration_, petsc_cycle);
    KSPSetPCSide(iteration_, PC_RIGHT);  // so that the residual it watches is the true one
    KSPSetNormType(iteration_, KSP_NORM_UNPRECONDITIONED);
    KSPSetInitialGuessNonzero(iteration_, PETSC_TRUE);
    KSPSetTolerances(iteration_, options_.tol, 0.0, 1e30, petsc_cycle);
    PC preconditioner = nullptr;
    KSPGetPC(iteration_, &preconditioner);
    switch (options_.preconditioner) {
      case KrylovPreconditioner::constraint:
        PCSetType(preconditioner, PCLU);
        require(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS), "PCFactorSetMatSolverType");
        break;
      case KrylovPreconditioner::schwarz:
        PCSetType(preconditioner, PCASM);
        PCASMSetOverlap(preconditioner, 1);
        PCASMSetType(preconditioner, PC_ASM_BASIC);  // symmetric in both directions: transposed systems too
        break;
      case KrylovPreconditioner::block_jacobi:
        PCSetType(preconditioner, PCBJACOBI);
        break;
      case KrylovPreconditioner::none:
        PCSetType(preconditioner, PCNONE);
        break;
    }
    KSPSetOptionsPrefix(iteration_, "trammel_");  // parts of one rank are factored with row exchanges
    PetscOptionsSetValue(nullptr, "-trammel_sub_pc_type", "lu");
    PetscOptionsSetValue(nullptr, "-trammel_sub_pc_factor_mat_solver_type", "mumps");
    // Solutions with the preconditioner are refined, so that the iteration ends at rounding.
    for (const auto& [name, value] :
         {std::pair("-trammel_mat_mumps_cntl_1", "0.1"), std::pair("-trammel_mat_mumps_icntl_10", "2"),
          std::pair("-trammel_mat_mumps_icntl_20", "0")})
      PetscOptionsSetValue(nullptr, name, value);
    KSPSetFromOptions(iteration_);
  }

  void set_entries(Mat matrix, std::vector<PetscInt> row, std::vector<PetscInt> col) {  // which PETSc overwrites
    require(MatSetPreallocationCOO(matrix, static_cast<PetscCount>(row.size()), row.data(), col.data()),
            "MatSetPreallocationCOO");
  }

  void fill_whole(const PetscHanded& handed) {
    double* values = nullptr;
    VecGetArray(whole_, &values);
    std::copy(handed.x.begin(), handed.x.end(), values);
    VecRestoreArray(whole_, &values);
  }

  int n_;
  PetscOptions options_;
  MPI_Comm together_;
  Mat A_ = nullptr, P_ = nullptr;
  Vec x_ = nullptr, b_ = nullptr, whole_ = nullptr;  // `whole` on rank 0 alone
  VecScatter to_first_ = nullptr;
  KSP iteration_ = nullptr;
};

namespace {

/// One job of one rank.
int perform(std::unique_ptr<PetscPart>& part, PetscHanded& handed, const ranks::Words& words) {
  switch (PetscJob{words[1]}) {
    case PetscJob::begin:
      part = std::make_unique<PetscPart>(
          words[2], PetscOptions{.krylov = KrylovMethod(words[3]), .preconditioner = KrylovPreconditioner(words[4])});
      break;
    case PetscJob::pattern:
      part->set_pattern(handed);
      break;
    case PetscJob::values:
      return part->set_values(handed) ? 1 : 0;
    case PetscJob::right_side:
      part->set_right_side(handed);
      break;
    case PetscJob::iterate:
      return part->iterate(handed, words[2] != 0);
    case PetscJob::end:
      part.reset();
      break;
  }
  return 0;
}

std::atomic<int> last_system = 0;

}  // namespace

PetscSystem::PetscSystem(int n, const PetscOptions& options) : number_(++last_system) {
  run(PetscJob::begin, n, static_cast<int>(options.krylov), static_cast<int>(options.preconditioner));
}
PetscSystem::~PetscSystem() { run(PetscJob::end); }

int PetscSystem::run(PetscJob job, int a, int b, int c) {
  const ranks::Order order{ranks::petsc, {number_, static_cast<int>(job), a, b, c}};
  const ranks::Together together(order);
  return perform(part_, handed, order.words);
}

std::string find_petsc_obstacle() { return {}; }

void take_part_in_petsc(const ranks::Words& words) {
  static std::map<int, std::unique_ptr<PetscPart>> parts;  // of this rank, by the number that rank 0 gave them
  PetscHanded nothing;
  perform(parts[words[0]], nothing, words);
  if (PetscJob{words[1]} == PetscJob::end) parts.erase(words[0]);
}

}  // namespace trammel

#endif
