// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "paper.h"

namespace trammel::papers {

/// How the cam is run: s = k_ave + m_ave/h² with k_ave = 1e3.
struct CamCase {
  double m_ave;
  std::string integrator, linear_solver;
};
inline std::filesystem::path cam_model(const Place& place) { return place.models / "13_cam/cam.toml"; }
/// Settings of the cam that hold in all phases; every step is recorded.
Settings cam_settings(const CamCase& c);
/// h = 10 ms until cam_fixed_until, and error-controlled.
Settings even_phase(const CamCase& c);
Settings controlled_phase();
Settings operator+(Settings a, const Settings& b);
inline constexpr double cam_fixed_until = 0.4;    ///< [s] h = 10 ms before
inline constexpr double cam_first_touch = 0.494;  ///< [s] printed

/// contact_conditioning.csv and its figure: what the step does to the iteration matrix and to Newton's corrections at
/// the first impact; returns their part of the README.
std::string write_contact_conditioning(const Place& place);

/// contact.csv, contact_summary.csv and figures 9 to 11 [bottasso2007 section 5]; returns their part of the README.
std::string write_contact(const Place& place);

}  // namespace trammel::papers
