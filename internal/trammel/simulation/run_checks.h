// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/dae/types.h"
#include "trammel/simulation/summary.h"

namespace trammel {

class Memory;

/// Checks of a run's own numbers, step by step and frame by frame; what is wrong with them is an Alarm at the end.
///
///   (1) frame violation     |Φ_i| of a recorded frame beyond its limit
///   (2) noise in reactions  λ_n − λ_{n−1} changes its sign from step to step, many times in a row, by a noticeable
///   part
///                           of the largest λ: no motion that steps resolve does that
///   (3) rank lost in motion σ, the smallest singular value of G, goes through zero between two looks,
///                           σ ∝ |t − t*| on both sides: reactions are unbounded there and motions branch off
///   (4) delay               of a machine that nothing drives or brakes an error δ of its energy changes its speed
///                           by the part δ/2T, T the kinetic energy: it is early by τ = ∫ δ/(2T) dt, and off by
///                           v τ. Of one freedom that never comes to rest this is exact
///   (5) delay of swings     a method of second order, whose energy may be right, errs by h³ v̈/12 in a step, and is
///   late by
///                           that over v. From one top of the kinetic energy to the next, by parts in the metric of the
///                           masses, τ = Σ h³ v̇²/12 over the mean of v², v² = 2T and v̇² = Ṫ²/2T along the motion: of a
///                           vibration Σ ω² h³/12. Only where these times are regular, without kinks between them (a
///                           flight from blow to blow has no error at all), and forces exchange hardly any energy with
///                           the machine: what is driven or damped forgets
class RunChecks {
 public:
  using Name = std::function<std::string(int row)>;

  explicit RunChecks(Name name) : name_(std::move(name)) {}

  void note_violation(double t, int row, double value, double limit);
  /// All multipliers at the end of a step; `smooth`: no kink, impact or restart since the last call.
  void note_reactions(double t, Eigen::Ref<const Eigen::VectorXd> lam, bool smooth);
  /// A recorded frame shows the method's own multipliers, as with a fixed step.
  void note_own_reactions(double t) { own_t_ = t; }
  void note_rank(double t, double sigma, const std::function<std::string()>& rows);
  /// Whether σ should be looked at in this frame: seldom while it hardly changes.
  bool wants_rank();

  /// What a step of a method errs by in a position, c h |Δᵏv| with Δᵏ the k-th difference of velocities at the ends of
  /// steps; `turning`: of rotations of bodies besides, by turning · h² |ω × Δω|.
  struct StepError {
    int difference = 2;
    double constant = 1.0 / 12.0, turning = 0.0;
    double damping = 0.0;  // the same with k = 1, of methods that damp in first order
  };
  /// Velocities at the end of a step, and where those of rotations of bodies begin.
  void note_errors(double t, double h, const StepError& error, Eigen::Ref<const Eigen::VectorXd> v,
                   std::span<const int> charts);
  /// The coordinate whose error is the largest part of its own way.
  struct Unresolved {
    int coordinate = -1;
    double part = 0.0, t = 0.0;
    double way = 0.0;  // from end to end
  };
  static Unresolved find_worst(const Eigen::VectorXd& errors, const Eigen::VectorXd& ways, std::span<const Kind> kinds,
                               std::span<const int> charts);
  /// Of errors of steps, added up.
  Unresolved find_unresolved(std::span<const Kind> kinds, std::span<const int> charts) const;

  /// (4), after every step: kinetic energy, energy that nothing brought in, work of forces and motions so far,
  /// velocities.
  void note_delay(double t, double kinetic, double drift, double work, Eigen::Ref<const Eigen::VectorXd> v);
  /// v τ of the coordinate where it is the largest part of its own way; none if the machine comes to rest, or exchanges
  /// as much energy as it moves with.
  Unresolved find_delay(std::span<const Kind> kinds, std::span<const int> charts) const;

  /// (5), after every step, behind note_delay(): kinetic energy; `smooth` as of reactions.
  void note_swings(double t, double kinetic, bool smooth);
  /// As find_delay(), with the velocity of each swing.
  Unresolved find_late_swings(std::span<const Kind> kinds, std::span<const int> charts) const;

  void raise(std::vector<Alarm>& alarms) const;
  void remember(Memory& memory);

 private:
  /// A rotation of a body, or another coordinate: its way from end to end, and a sum of what it errs by.
  struct Motion {
    Eigen::Index at;
    bool turns;
    double way, error;
  };
  struct Look {
    double t = 0.0, sigma = 0.0;
  };
  Name name_;
  Alarm violation_, noise_, rank_;
  // Of (2), for each row.
  Eigen::VectorXd last_, change_, peak_;
  std::vector<int> alternations_;
  int n_notes_ = 0;
  double largest_peak_ = 0.0, own_t_ = -1e300, noise_until_ = -1e300;
  // Of errors of steps, for each coordinate: differences of velocities (the velocity itself first), Σ h v with its
  // ends, Σ of errors.
  std::array<Eigen::VectorXd, 6> differences_;
  Eigen::VectorXd newest_, way_, least_, most_, errors_;
  int n_steps_ = 0;
  double last_t_ = 0.0;
  // Of (4).
  Eigen::VectorXd fastest_;
  double first_t_ = 0.0, early_ = 0.0, most_early_ = 0.0, most_early_t_ = 0.0, share_ = 0.0;
  double least_kinetic_ = 0.0, kinetic_sum_ = 0.0;
  // Of (5): the last top of the kinetic energy, the next one so far, Σ h³ v̇², Σ h v², and the largest τ √T of a top.
  struct Top {
    double t = 0.0, kinetic = 0.0, cubes = 0.0, squares = 0.0;
  };
  Top last_top_, top_;
  bool has_swings_ = false, rises_ = true;
  int n_tops_ = 0;  // since the last kink
  double half_period_ = 0.0;
  double bottom_ = 0.0, cubes_ = 0.0, squares_ = 0.0, last_kinetic_ = 0.0, late_ = 0.0, latest_ = 0.0, latest_t_ = 0.0,
         most_kinetic_ = 0.0;
  double swings_t_ = 0.0, work_ = 0.0, exchanged_ = 0.0;
  Look looks_[3];  // newest first
  int n_looks_ = 0, interval_ = 1, frames_ = 0;
  double largest_sigma_ = 0.0;
};

}  // namespace trammel
