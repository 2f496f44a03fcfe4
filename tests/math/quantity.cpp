// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/quantity.h"

#include <gtest/gtest.h>

#include <map>

#include "trammel/math/expression.h"

namespace trammel::test_quantity {
namespace {

const std::map<std::string, Quantity> constants{
    {"L", evaluate_constant("200 mm", {})},
    {"n", Quantity::bare(3.0)},
    {"a", Quantity::bare(Eigen::Vector3d(1, 2, 2))},
    {"s", Quantity::bare(5.0)},
};

std::variant<Quantity, std::string> find(const std::vector<std::string>& path) {
  const auto it = constants.find(path[0]);
  if (it == constants.end()) return "'" + path[0] + "' is unknown";
  return path.size() == 1 ? it->second : it->second.component(path[1][0] - 'x');
}

Quantity value(const std::string& text, bool mixed = true) { return evaluate_constant(text, find, mixed); }

std::string refusal(const std::string& text, bool mixed = true) {
  try {
    evaluate_constant(text, find, mixed);
  } catch (const ExpressionError& error) {
    return error.message();
  }
  return "accepted";
}

TEST(Quantities, ANumberWithItsUnitIsInSi) {
  EXPECT_DOUBLE_EQ(value("3 + 120 mm").number(), 3.12);
  EXPECT_DOUBLE_EQ(value("-2 kN*sin(30 deg)").number(), -1000.0);
  EXPECT_DOUBLE_EQ(value("40 kN/mm/n").number(), 4e7 / 3.0);
  EXPECT_DOUBLE_EQ(value("5 N*n").number(), 15.0);
  EXPECT_DOUBLE_EQ(value("2 m^2").number(), 2.0);
  EXPECT_DOUBLE_EQ(value("(2 m)^2").number(), 4.0);
  EXPECT_DOUBLE_EQ(value("6 m / s").number(), 1.2);  // blanks: the parameter s
  EXPECT_NE(refusal("6 m/s").find("'s' is a unit and a parameter"), std::string::npos);
}

TEST(Quantities, VectorsAreAddedScaledAndMeasured) {
  EXPECT_EQ(value("2*a - [0, 4, 1]/2").value, Eigen::Vector3d(2, 2, 3.5));
  EXPECT_EQ(value("norm(a)").number(), 3.0);
  EXPECT_EQ(value("dot(a, [1, 1, 1]) + a.y").number(), 7.0);
  EXPECT_EQ(value("cross([1, 0, 0], [0, 1, 0])").value, Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(value("[120 mm, L, 0]").value, Eigen::Vector3d(0.12, 0.2, 0));
  EXPECT_NE(refusal("a + 1").find("cannot be added"), std::string::npos);
  EXPECT_NE(refusal("a*a").find("dot(a, b)"), std::string::npos);
  EXPECT_NE(refusal("1/a").find("divided by a vector"), std::string::npos);
  EXPECT_NE(refusal("sin(a)").find("a number is needed"), std::string::npos);
  EXPECT_NE(refusal("[1, 2]").find("three parts"), std::string::npos);
}

TEST(Quantities, DimensionsFollowWhereTheyAreKnown) {
  EXPECT_EQ(value("L*L").dimension, parse_unit("m²")->dimension);
  EXPECT_EQ(value("sqrt(L*L)").dimension, parse_unit("m")->dimension);
  EXPECT_EQ(value("2 kN/L").dimension, parse_unit("N/m")->dimension);
  EXPECT_FALSE(value("9.81*L").dimension.has_value());  // 9.81 may be an acceleration
  EXPECT_TRUE(value("9.81*L").has_unit);
  EXPECT_FALSE(value("2*n").has_unit);
  EXPECT_EQ(value("atan2(1, 2)").dimension, parse_unit("rad")->dimension);
  EXPECT_NE(refusal("L + 3 kg").find("different dimensions, [m] and [kg]"), std::string::npos);
  EXPECT_NE(refusal("sin(L)").find("a number or an angle"), std::string::npos);
  EXPECT_NE(refusal("if(L > 2 s, 1, 2)").find("different dimensions"), std::string::npos);
  EXPECT_EQ(refusal("L + 3"), "accepted");
  EXPECT_NE(refusal("L + 3", false).find("say its unit"), std::string::npos);
  EXPECT_EQ(refusal("if(1 < 2, 1, 1/0)"), "accepted");  // only the chosen one is looked at
}

TEST(Quantities, FormulasOfTheMachineAreJudgedByWhatIsKnown) {
  EXPECT_EQ(judge_units("-5 N", find).dimension, parse_unit("N")->dimension);
  EXPECT_THROW(judge_units("5 N + 3 mm", find), ExpressionError);
  EXPECT_NO_THROW(judge_units("5 N*sin(rod.x) + table(p, t)", find));
}

}  // namespace
}  // namespace trammel::test_quantity
