// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/dae/projection.h"
#include "trammel/simulation/branch_motion.h"

namespace trammel {

class Memory;

/// Leads a motion through positions in which constraints that are independent elsewhere become dependent: a flat
/// parallelogram, a slider crank with equal arms. G loses rank there and several motions cross; the machine goes on
/// with the velocity it has.
///
/// The motion itself is smooth, q(t), v(t) and v̇(t), but what a method solves on the way is not: the smallest singular
/// value of G falls with the distance, σ ∝ |t − t*|, multipliers grow like 1/σ in general, Newton with a matrix of this
/// side diverges on the other one (it contracts by 1 − σ/σ_matrix, σ with its sign), and what rounding or a tolerance
/// leaves of a row becomes a motion across the branch that is larger by 1/σ. Smaller steps make all of it worse.
///
/// So the method stops some steps before the position, one long step of order 24 with its stages on the branch and the
/// position in its middle goes over it (BranchMotion), and the method starts again behind it. If that step is too long
/// (its error is tested), a shorter one leads nearer first. How near the position is:
///
///   (1)  ρ = σ/|σ̇|        the time to it, from σ of two steps
///
/// which needs no scale: long chains have a small σ everywhere, but one that does not change. Such a one hides the one
/// that falls until this has become smaller still, which for long steps is too late: the four smallest singular values
/// are looked at, each with its own ρ. They are looked at in every step when they change quickly, in every tenth when
/// they do not; a position is believed when the smallest of all, at the place where the motion is expected after ρ, is
/// small against the smallest now. A method that fails on its way there is helped in the same way.
class SingularPassage {
 public:
  struct Options {
    std::optional<double> fixed_h;  ///< the method's steps: nothing is watched then, and steps over are multiples of it
    Tolerances tolerances;          ///< of the method; over the position not looser than 1e-6
  };
  /// Where rank was lost, and which rows were dependent there, by name.
  struct Passage {
    double t = 0.0;
    std::string rows;
    void remember(Memory& memory);
  };

  SingularPassage(const MechanicalSystem& system, const Options& options);

  /// One step of `method`, or one over a singular position; a report as of the method.
  StepReport advance(MotionIntegrator& method, double t_end, State& state);
  /// Who took the last step and knows what is within it.
  MotionIntegrator& current(MotionIntegrator& method) const {
    return bridging_ ? static_cast<MotionIntegrator&>(*bridge_) : method;
  }
  /// The motion begins in a singular position, and its velocity leads out of it.
  void begin_at_position(const MotionVariables& x, State& state);
  /// The method begins anew elsewhere.
  void forget();

  const std::vector<Passage>& passages() const { return passages_; }
  /// The smallest σ of (1).
  double calc_sigma(const MotionVariables& x, const State& state);
  /// What the rows that come nearest to being dependent belong to, where σ was computed last.
  std::string find_dependent_rows() const;
  void remember(Memory& memory);

 private:
  static constexpr int most_values = 4;
  using Values = std::array<double, most_values>;
  struct Look {
    double t = 0.0, sigma = 0.0;  // the smallest one
    Values values{};              // rising
  };
  Look look_at(const MotionVariables& x, const State& state);
  void look(const MotionIntegrator& method, double h, const State& state);
  void choose_interval(double h, double change, double rho);
  double sigma_ahead(const MotionVariables& x, double dt, const State& state);
  bool is_ahead(const MotionVariables& x, double least, double sigma, double rho, const State& state);
  bool may_lie_within(double from, double to, double rho) const;
  bool lies_within(const MotionIntegrator& method, double h, int value, const Look& end, const State& state);
  bool fails_near_position(const State& state);
  void enter(const MotionVariables& at, const Look& entry, double sigma, double rho, State& state);
  Status leave(MotionIntegrator& method, State& state);
  StepReport step_over(double t_end, State& state);
  double locate(const MotionVariables& x, double sigma, double rho, const State& state);
  void look_over(const State& state);
  double find_zero(Look from, Look middle, Look to, const State& state);
  void note_passage(double t, const State& state);
  void centre_charts(MotionVariables& x, State& state);

  const MechanicalSystem& system_;
  Options options_;
  Index3 index3_;
  std::unique_ptr<Workspace> workspace_;
  Projection projection_;
  std::unique_ptr<BranchMotion> bridge_;
  InputBuffer inputs_;
  int n_values_;
  Eigen::MatrixXd rows_, any_rows_;  // a column per singular value
  Eigen::VectorXd q_rate_;
  MotionVariables before_, sample_;
  State state_before_;

  Look last_;                     // the last look; sigma = 0: none yet
  Values rho_{};                  // at the last look; 0: it did not fall
  Values largest_{};              // of the run so far
  int interval_ = 1, steps_ = 0;  // steps between two looks, and since the last one
  bool bridging_ = false, leaving_ = false, paused_ = false;
  double entering_ = 0.0;  // ρ of the position that the next step begins to pass; 0: none
  Look entry_;
  double entry_sigma_ = 0.0;                   // the value that falls
  double entry_rho_ = 0.0, position_ = 0.0;    // [s], the latter as expected now
  bool over_ = false, behind_ = false;         // behind_: the next passage begins behind the position
  double bridge_from_ = 0.0, method_h_ = 0.0;  // beginning of the last step over, size of the method's last one
  double usual_h_ = 0.0;
  std::vector<MotionVariables> taken_over_;
  int approaches_ = 0;  // steps over that ended before the position
  std::vector<Passage> passages_;
};

}  // namespace trammel
