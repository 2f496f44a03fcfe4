#pragma once

#include <vector>

#include "trammel/mechanics/slots/slot_frame.h"

namespace trammel {

/// A joint, spring or section of a beam as quadratic functions of slots.
///
///   vectors     P_k = Σ weight · slot              points, arms, directors, their derivatives along a beam
///   quadratics  q = Σ c P_k·P_l + Σ ℓ·P_k + const
///   measures    q itself; a length √q; an angle atan2(q₂, q₁); √(1 − q²); components of a rotation vector
///   functions   e = Σ factor · measure + const     strains, or constraints e = 0
///
/// In a step (h, curvature κ = 1) with rates P′_j, P′_f of the vectors:
///
///   (1) P(ζ_f) = P_m + κh/2 P′_j,  P(ζ_j) = P_m − κh/2 P′_f,  P_m = P_0 + h/4 (P′_j + P′_f)
///   (2) r_f = B(ζ_f) P′_f,  r_j = B(ζ_j) P′_j,  B = ∂q/∂P        =>  h/2 (r_j + r_f) = q_f − q_0  exactly
///   (3) measures m(q): discrete partials s with Σ s dq = dm and any symmetric m_kl ≈ ∂²m/∂q_k∂q_l of the middle,
///       w_f = s + κh/2 m_kl r_j,  w_j = s − κh/2 m_kl r_f,  rates Σ w_f r_f, Σ w_j r_j: again exact
///   (4) forces S_f w_f B(ζ_f)ᵀ and S_j w_j B(ζ_j)ᵀ on the vectors, hence on the slots
///
/// so that h (S_f r_f + S_j r_j) is the work of the step, and what it is, the law alone decides:
///
///   constraint  S = Λ with e(z_f) = u(t_f) and r_f − r_j = u̇_f − u̇_0
///   rate        the same for a prescribed rate ė = u(t)
///   elastic     S = Λ + damper + preload/2, the stresses σ_f = 4Λ_f − 2Λ_j = K e_f and σ_j = 4Λ_j − 2Λ_f = K ε_j,
///               ε_j = e_0 − h/6 (r_f − r_j); damper C(r_j + 2r_f)/6 at f, C(2r_j + r_f)/6 at j
///   stop        S_f = (4S_d − S*)/6, S_j = (2S_d + S*)/6 of a convex V: S_d (e_f − ε_j) = V(e_f) − V(ε_j), S* =
///   V′(ε_j)
///
/// Stresses as unknowns: Newton's iteration does not see the stiffness (5 iterations instead of 37 on a beam).
struct SlotElement {
  struct Product {
    int k, l;
    double factor;
  };
  struct Linear {
    int k;
    Eigen::Vector3d direction;
  };
  struct Quadratic {
    std::vector<Product> products;
    std::vector<Linear> linear;
    double constant = 0.0;
  };
  struct Measure {
    enum class Type { quadratic, length, angle, disc, rotation };
    Type type = Type::quadratic;
    int function = 0;
    double factor = 1.0;
    /// angle: (X, Y) of atan2(Y, X); rotation: vee(R) and (tr R − 1)/2 of a rotation matrix
    int q[4] = {0, 0, 0, 0};
    int component = 0;  ///< rotation
    double zero = 0.0;  ///< of an angle
    int branch = -1;    ///< of an angle: counts its turns
  };
  enum class Law { constraint, rate, elastic, stop };
  /// A stop: V = ½ k ⟨e − upper⟩² + ½ k ⟨lower − e⟩² and damping that never pulls, ramped in over `depth`.
  struct Stop {
    double stiffness = 0.0, damping = 0.0, lower = 0.0, upper = 0.0, depth = 0.0;
  };

  std::vector<int> frames;
  std::vector<double> weights;  ///< n_vectors × (4 slots of each frame)
  std::vector<Quadratic> quadratics;
  std::vector<Measure> measures;
  std::vector<double> constant;  ///< of each function
  Law law = Law::constraint;
  std::vector<int> multiplier;  ///< of each function: its number among all multipliers; −1: left out (a dropped row)
  std::vector<int> input;       ///< of each function: the u that it follows, −1: none
  Eigen::MatrixXd K, C;         ///< elastic: stiffness and damping, n_functions square; K may be semi-definite
  Eigen::VectorXd preload;      ///< elastic
  Stop stop;

  static constexpr int max_vectors = 12, max_quadratics = 8, max_functions = 6, max_columns = 72;

  int n_frames() const { return static_cast<int>(frames.size()); }
  int n_vectors() const { return static_cast<int>(weights.size()) / (4 * n_frames()); }
  int n_functions() const { return static_cast<int>(constant.size()); }
  bool has_unknowns() const { return law != Law::stop; }

  // ---- building --------------------------------------------------------------------------------------------------
  /// The local number of a frame; added if it is not there. All frames must be there before the first vector.
  int local(int frame);
  int add_vector();
  double& weight(int vector, int frame, int slot) { return weights[(vector * n_frames() + frame) * 4 + slot]; }
  /// A point s fixed in a local frame, or a direction (without the origin), added to a vector with a factor.
  void add_point(int vector, int frame, const Eigen::Vector3d& s, double factor);
  void add_direction(int vector, int frame, const Eigen::Vector3d& n, double factor = 1.0);
  int add_product(int k, int l, double factor);             ///< a new quadratic c P_k·P_l
  int add_linear(int k, const Eigen::Vector3d& direction);  ///< a new quadratic ℓ·P_k
  int add_function(double constant_value, int multiplier_number, int input_number = -1);
  void add_measure(int function, Measure::Type type, int q0, int q1 = 0, double factor = 1.0);
};

/// A mass on a vector: kinetic energy ½ m |Σ weight · ż|² (a point mass off the frame's origin, a section of a beam).
struct SlotMass {
  SlotElement shape;  ///< its frames and its only vector
  double mass = 0.0;
  bool falls = true;  ///< the vector is a point: its weight acts on it
};

/// What an element remembers from the start of the step.
struct SlotElementStep {
  Eigen::Matrix<double, 3, Eigen::Dynamic> P_0;
  Eigen::VectorXd q_0, m_0, e_0;
};

/// The work of one element: values, forces and exact derivatives of (1)–(4). Scratch, used for one element after the
/// other.
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
  void update_chains(const SlotElement& e, Frames frames, Steps steps);
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
