// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/tyre_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trammel/mechanics/elements/magic_formula.h"

// .tir files, and the Magic Formula on a published tyre.

namespace trammel::test_tyre_file {
namespace {

// 205/60 R15 91V at 2.2 bar: table A3.1 of [H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd ed. 2006], signs of ISO 8855;
// PKY6 and PKY7 are its camber stiffness in the parameters of the third edition.
const std::string book = R"tir([UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radians'
[MODEL]
PROPERTY_FILE_FORMAT = 'MF_05'   $ any text
FITTYP = 52
LONGVL = 16.67 $ [m/s]
[DIMENSION]
UNLOADED_RADIUS = 0.313
WIDTH = 0.205
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 2.1e5
VERTICAL_DAMPING = 50
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.685
PDX1 = 1.210
PDX2 = -0.037
PEX1 = 0.344
PEX2 = 0.095
PEX3 = -0.020
PKX1 = 21.51
PKX2 = -0.163
PKX3 = 0.245
PHX1 = -0.002
PHX2 = 0.002
RBX1 = 12.35
RBX2 = -10.77
RCX1 = 1.092
RHX1 = 0.007
PTX1 = 1.85
[LATERAL_COEFFICIENTS]
PCY1 = 1.193
PDY1 = -0.990
PDY2 = 0.145
PDY3 = -11.23
PEY1 = -1.003
PEY2 = -0.537
PEY3 = -0.083
PEY4 = -4.787
PKY1 = -14.95
PKY2 = 2.130
PKY3 = -0.028
PKY6 = -0.92
PKY7 = -0.24
PHY1 = 0.003
PHY2 = -0.001
PVY1 = 0.045
PVY2 = -0.024
PVY3 = -0.532
PVY4 = 0.039
RBY1 = 6.461
RBY2 = 4.196
RBY3 = -0.015
RCY1 = 1.081
RHY1 = 0.009
RVY1 = 0.053
RVY2 = -0.073
RVY3 = 0.517
RVY4 = 35.44
RVY5 = 1.9
RVY6 = -10.71
PTY1 = 1.9
PTY2 = 2.25
[ALIGNING_COEFFICIENTS]
QBZ1 = 8.964
QBZ2 = -1.106
QBZ3 = -0.842
QBZ5 = -0.227
QBZ9 = 18.47
QCZ1 = 1.180
QDZ1 = 0.100
QDZ2 = -0.001
QDZ3 = 0.007
QDZ4 = 13.05
QDZ6 = -0.008
QDZ8 = -0.296
QDZ9 = -0.009
QEZ1 = -1.609
QEZ2 = -0.359
QEZ4 = 0.174
QEZ5 = -0.896
QHZ1 = 0.007
QHZ2 = -0.002
QHZ3 = 0.147
QHZ4 = 0.004
)tir";

TyreForces<double> forces(const TyreSpec& tyre, double kappa, double alpha, double gamma, double load) {
  const TyreSlip<double> slip{load, kappa, std::tan(alpha), std::sin(gamma), 1.0, 16.67};
  return MagicFormulaTyre<double>(tyre, slip, 1.0).calc();
}

TEST(TyreFile, is_read_by_the_names_of_its_parameters) {
  const TyreFile file = read_tyre_file(book);
  EXPECT_TRUE(file.problems.empty()) << file.problems.front();
  EXPECT_EQ(file.tyre.free_radius, 0.313);
  EXPECT_EQ(file.tyre.nominal_load, 4000.0);
  EXPECT_EQ(file.stiffness, 2.1e5);
  EXPECT_EQ(file.damping, 50.0);
  EXPECT_EQ(file.tyre.formula.QDZ4, 13.05);
  EXPECT_TRUE(file.tyre.combined);
  EXPECT_EQ(file.tyre.formula.PKY4, 2.0);  // as it is when it is not given
}

// Keys of what is not built (turn slip, belt), other units and what is no number: each by name and line, all at once.
TEST(TyreFile, refuses_by_name_what_is_not_built) {
  const TyreFile file = read_tyre_file(
      "[UNITS]\nLENGTH = 'mm'\n[VERTICAL]\nFNOMIN = 4000\nVERTICAL_STIFFNESS = 2e5\nQ_FCX = 0.1\n[DIMENSION]\n"
      "UNLOADED_RADIUS = abc\n[TURNSLIP_COEFFICIENTS]\nPDXP1 = 0.4\nPDXP2 = 0\n[LATERAL_COEFFICIENTS]\nPKY11 = 2\n");
  std::string all;
  for (const std::string& problem : file.problems) all += problem + "\n";
  for (const char* said : {"line 2: LENGTH", "line 6: Q_FCX = 0.1 is not built", "line 8: UNLOADED_RADIUS is 'abc'",
                           "line 10: PDXP1 = 0.4 is not built", "line 13: PKY11 = 2 is not built; did you mean 'PKY1'?",
                           "UNLOADED_RADIUS is missing"})
    EXPECT_NE(all.find(said), std::string::npos) << said << " in\n" << all;
  EXPECT_EQ(all.find("PDXP2"), std::string::npos) << all;  // zero takes no effect
}

// Another realisation of the same equations and data (Magic Formula Tyre Library e9f0354 for GNU Octave): forces, to
// the digits that are left: in side forces it takes α for tan α and γ for sin γ.
TEST(MagicFormula, agrees_with_another_realisation) {
  const TyreSpec tyre = read_tyre_file(book).tyre;
  struct Row {
    double kappa, alpha, gamma, load, F_x, F_y, side_tol;
  };
  const double g = 0.06981317008;
  const Row rows[] = {{-0.25, -0.17, -g, 4000, -3563.509474, 2426.077379, 3.0},
                      {0.05, 0.034, -g, 4000, 3039.842694, -1091.245196, 0.6},
                      {-0.1, 0.068, g, 4000, -3831.83815, -2681.989661, 3.0},
                      {0.2, 0.0, -g, 4000, 4739.474164, 218.5561613, 0.01},
                      {0.0, 0.0, g, 2000, -114.5334541, -90.82771724, 0.1},
                      {0.0, 0.0105, 0.0, 4000, -168.1286296, -438.816506, 0.05},
                      {-0.05, 0.0, g, 4000, -3553.48677, -506.0217709, 0.1},
                      {0.0, -0.21, 0.0, 2000, -30.04203835, 2228.79166, 3.0}};
  for (const Row& row : rows) {
    const TyreForces<double> f = forces(tyre, row.kappa, row.alpha, row.gamma, row.load);
    EXPECT_NEAR(f.F_x, row.F_x, 0.01) << row.kappa << " " << row.alpha;
    EXPECT_NEAR(f.F_y, row.F_y, row.side_tol) << row.kappa << " " << row.alpha;
  }
  // The moment of pure side slip.
  EXPECT_NEAR(forces(tyre, 0.0, 0.0105, 0.0, 4000).M_z, 3.635828161, 1e-4);
}

// Slopes and peaks by the parameters themselves: K_x = F_z PKX1, C_x … at the nominal load.
TEST(MagicFormula, has_the_slopes_of_its_parameters) {
  TyreSpec tyre = read_tyre_file(book).tyre;
  tyre.formula.PHX1 = tyre.formula.PHY1 = 0.0;  // side slip would take its share
  tyre.combined = false;
  const double h = 1e-6;
  EXPECT_NEAR((forces(tyre, h, 0, 0, 4000).F_x - forces(tyre, -h, 0, 0, 4000).F_x) / (2 * h), 21.51 * 4000, 1e-3);
  double largest = 0.0;
  for (double kappa = 0.0; kappa < 1.0; kappa += 1e-3) largest = std::max(largest, forces(tyre, kappa, 0, 0, 4000).F_x);
  EXPECT_NEAR(largest, 1.210 * 4000, 1.0);
}

}  // namespace
}  // namespace trammel::test_tyre_file
