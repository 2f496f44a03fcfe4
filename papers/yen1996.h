// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "paper.h"

/// The pieces of [yen1996].
namespace trammel::papers::yen1996 {

inline constexpr const char* mass = "models/oscillating_mass.toml";
inline constexpr const char* spring = "09_stiff_spring/stiff_spring.toml";
inline constexpr const char* bushing = "10_bushing/bushing.toml";
inline constexpr const char* pendulum = "models/pendulum_circle.toml";

Settings operator+(Settings a, const Settings& b);
Settings tolerance(double tol);
Settings epsilon(double eps);

/// The tables differ in what their tests look at.
enum class Tests { table51, table52, table53 };

/// What makes a method of a table; `error_set` says which unknowns its error test takes.
struct Method {
  Settings settings;
  std::string error_set;
};
/// GGL, GGL*, CS, CM (the paper's), CM_frozen_step, CM_matrix_only, CM_frozen_jacobian; `split_set` is the error set of
/// those with a split.
Method make_method(const std::string& name, Tests tests, double tol, const std::string& split_set);

/// Writes table5<number>.csv and returns its text beside the printed numbers; number 1 … 4.
std::string write_table(const Place& place, int number);
/// Figures 5.1, 5.3, 5.4 and 5.6.
void draw_figures(const Place& place);

}  // namespace trammel::papers::yen1996
