// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/slots/slot_element.h"

namespace trammel {

/// What an element remembers from the start of the step.
struct SlotElementStep {
  Eigen::Matrix<double, 3, Eigen::Dynamic> P_0;
  Eigen::VectorXd q_0, m_0, e_0;
};

/// The work of one element: values, forces and exact derivatives of (1)–(4) of slot_element.h. Scratch, used for one
/// element after the other.
class SlotKernel {
 public:
  using Frames = std::span<const SlotFrame>;
  using Steps = std::span<SlotFrameStep>;
  struct Step {
    double h = 0.0, curvature = 1.0;
    double mass = 1.0;          ///< reference mass: scales the rows of soft springs
    const double *u_0, *u_f;    ///< inputs at both ends
    const double *ud_0, *ud_f;  ///< and their rates
    const double* u_mean;       ///< mean over the step
  };

  /// P_0, q_0, m_0, e_0 of the start; `turns` are the predicted angles of the branches.
  static void begin(const SlotElement& e, Steps frames, std::span<const double> turns, SlotElementStep& start);
  static double calc_potential(const SlotElement& e, const Eigen::Ref<const Eigen::VectorXd>& strain);

  /// Values at the rates of the frames and the impulses L_j, L_f (hΛ of all multipliers).
  void update(const SlotElement& e, const SlotElementStep& start, Steps frames, const Step& step, const double* L_j,
              const double* L_f, bool derivatives);
  /// Adds the impulses to the slots of the frames; pos and rate are the rows of the multipliers.
  void add_forces(Steps frames, double* pos, double* rate) const;
  /// The matrix of the element: rows (rows j, rows f of each frame; position rows, rate rows), columns (u_j, u_f of
  /// each frame; L_j, L_f), without the change of levers, which belongs to frames. Valid after update with derivatives.
  void calc_matrix(Frames frames, Steps steps);
  static constexpr int max_size = SlotElement::max_columns + 2 * SlotElement::max_functions;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_size, max_size>;
  const Matrix& matrix() const { return matrix_; }
  /// Of the last update.
  double calc_potential_end() const { return calc_potential(*e_, e_f_); }
  double calc_strain_jump() const;
  double calc_dissipated() const;
  double calc_supplied() const;

  /// The same for a mass: rows m H_f (u_f − u_j), m H_j (u_f + u_j − 2u_0).
  void add_mass(const SlotMass& mass, const Eigen::Vector3d& u_0, const Eigen::Vector3d& weight_impulse, Steps frames,
                Eigen::Vector3d& u_j, Eigen::Vector3d& u_f);
  void calc_mass_matrix(const SlotMass& mass, Frames frames, Steps steps);

 private:
  using Vectors = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, SlotElement::max_vectors>;
  using Gradients = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3 * SlotElement::max_vectors,
                                  SlotElement::max_quadratics>;
  using Wide = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 3 * SlotElement::max_vectors,
                             SlotElement::max_columns>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, SlotElement::max_quadratics,
                            SlotElement::max_columns>;
  using Quadratics = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, SlotElement::max_quadratics, 1>;
  using Functions = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, SlotElement::max_functions, 1>;
  struct MeasureValues {
    double value, rate_f, rate_j, w_f[4], w_j[4];
    // derivatives by q_f, r_f and r_j of its quadratics, up to four each
    double value_d[12], rate_f_d[12], rate_j_d[12], w_f_d[4][12], w_j_d[4][12];
  };

  void gather_vectors(const SlotElement& e, Steps frames);
  void update_quadratics();
  void update_measures(bool derivatives);
  void update_law(const double* L_j, const double* L_f, bool derivatives);
  void update_stop(bool derivatives);
  void update_impulses();
  void calc_unknown_rows(double* pos, double* rate) const;
  void update_chains(const SlotElement& e, Frames frames, Steps steps);
  void update_rate_derivatives();
  void update_strain_derivatives();
  bool update_law_derivatives();
  bool update_impulse_derivatives(bool at_f, bool law_moves);
  void update_force_derivatives(bool at_f, bool sigma_moves);
  void add_frame_rows(Frames frames, bool at_f);
  void add_unknown_rows(int n_columns);

  const SlotElement* e_ = nullptr;
  const SlotElementStep* start_ = nullptr;
  Step step_;
  Vectors rate_j_, rate_f_, zeta_j_, zeta_f_, end_;
  Gradients b_j_, b_f_, b_end_, c_j_, c_f_;  // ∂q/∂P at ζ_j, ζ_f and the end; Q P′_j, Q P′_f
  Quadratics q_f_, r_j_, r_f_;
  std::vector<MeasureValues> measures_;
  Functions e_f_, er_j_, er_f_, S_j_, S_f_, Sd_j_, Sd_f_;  // impulses; Sd: of dampers
  Quadratics sigma_j_, sigma_f_;                           // impulses on quadratics
  double stop_d_[2][3] = {};                               // ∂(S_j, S_f)/∂(e_f, r_f, r_j)
  Wide V_j_, V_f_, dF_;                                    // ∂P′/∂(u_j, u_f) of all frames; forces
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, SlotElement::max_columns / 2,
                3 * SlotElement::max_vectors>
      H_j_, H_f_;  // forces on vectors to rows of frames
  Few dr_j_, dr_f_, dq_, dS_j_, dS_f_, de_, der_j_, der_f_, dsigma_;
  Matrix matrix_;
};

}  // namespace trammel
