// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trammel::test_units_of_quantities {
namespace {

double si(double x, const char* unit) {
  const auto found = parse_unit(unit);
  return found ? found->to_si(x) : std::nan("");
}

TEST(Units, AreWhatTheyAreByDefinition) {
  EXPECT_EQ(si(350, "g"), 0.35);  // rounded once: the double nearest to the decimal number
  EXPECT_EQ(si(1.1, "mm"), 0.0011);
  EXPECT_EQ(si(40, "kN/mm"), 4e7);
  EXPECT_EQ(si(2, "bar"), 2e5);
  EXPECT_DOUBLE_EQ(si(1500, "rpm"), 50.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(si(30, "deg"), std::numbers::pi / 6.0);
  EXPECT_DOUBLE_EQ(si(3, "kg mm²"), 3e-6);
  EXPECT_DOUBLE_EQ(si(3, "kg*mm^2"), 3e-6);
  EXPECT_DOUBLE_EQ(si(36, "km/h"), 10.0);
  EXPECT_DOUBLE_EQ(si(5, "N·m/deg"), 5.0 * 180.0 / std::numbers::pi);
  EXPECT_DOUBLE_EQ(si(1, "psi"), 6894.757293168361);
  EXPECT_DOUBLE_EQ(si(7, "s^-1"), 7.0);
}

TEST(Units, KeepAnglesApartFromNumbers) {
  EXPECT_NE(parse_unit("Hz")->dimension, parse_unit("rad/s")->dimension);
  EXPECT_EQ(parse_unit("Hz")->dimension, parse_unit("rad/s")->dimension.without_angle());
  EXPECT_EQ(parse_unit("rpm")->dimension, parse_unit("deg/s")->dimension);
  EXPECT_EQ(parse_unit("N m")->dimension, parse_unit("J")->dimension);
  EXPECT_EQ(to_string(parse_unit("kN mm")->dimension), "N m");
}

TEST(Units, OfKeysMayBeSeveral) {
  EXPECT_EQ(allowed_units("N/m, N m/rad").size(), 2u);
  EXPECT_EQ(allowed_units("N/m^1.5").size(), 1u);
  EXPECT_TRUE(allowed_units("").empty());
  EXPECT_FALSE(parse_unit("furlong"));
  EXPECT_FALSE(parse_unit("m/"));
  EXPECT_FALSE(parse_unit("/s"));
  EXPECT_FALSE(parse_unit("m^x"));
}

}  // namespace
}  // namespace trammel::test_units_of_quantities
