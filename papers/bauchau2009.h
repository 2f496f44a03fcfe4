// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "paper.h"
#include "trammel/dae/motion_operator.h"

/// The parts of [bauchau2009]: each writes its table and returns what the README says about it.
namespace trammel::papers::bauchau2009 {

/// The equations of one model with one scaling, stepped by one method.
struct Case {
  std::string model;  ///< below examples/models/
  Settings settings;
  double h = 0.01;
};

/// A simulation with its step size and settings, not yet moved.
std::unique_ptr<Simulation> make_simulation(const Place& place, const Case& c);
/// Takes n steps; throws SimulationError when one fails.
void take_steps(Simulation& simulation, int n);
/// The operator of Newton's iteration of a one-step method.
const MotionOperator& newton_operator(Simulation& simulation);
/// The scaled iteration matrix as last factored.
Eigen::MatrixXd calc_matrix(Simulation& simulation);

enum class Norm { two, infinity };
/// ‖A‖ ‖A⁻¹‖ from the inverse in long double: rows and columns of very different size (unscaled equations at small
/// steps) do no harm, because the inverse is right entry by entry.
double calc_condition(const Eigen::MatrixXd& A, Norm norm = Norm::two);

Settings physical(double m_r, double k_r, double rho);
extern const Settings unscaled;
extern const std::string problem_1, problem_2;

std::string write_tables(const Place& place);       ///< table1.csv, table2.csv
std::string write_no_pivot(const Place& place);     ///< no_pivot.csv, no_pivot_skyline.csv
std::string write_example_35(const Place& place);   ///< example35.csv
std::string write_schemes(const Place& place);      ///< schemes.csv
std::string write_equivalence(const Place& place);  ///< equivalence.csv
std::string write_iterative(const Place& place);    ///< iterative.csv
std::string write_rho_star(const Place& place);     ///< rho_star.csv
/// thin_beam.csv, thin_beam_solver.csv, convergence.csv, figures 3 and 4
std::string write_thin_beam(const Place& place);

}  // namespace trammel::papers::bauchau2009
