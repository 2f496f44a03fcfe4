// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/road_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "trammel/math/dual.h"

// Roads: derivatives, edges, and the spectrum of random ones.

namespace trammel::test_road_surface {
namespace {

RoadShape random_road(char letter, std::uint64_t seed) {
  RoadShape road;
  road.kind = RoadKind::random;
  road.roughness = roughness_of_class(letter);
  road.seed = seed;
  road.length = 250.0, road.first_wavelength = 50.0, road.last_wavelength = 0.5;
  return road;
}

// One-sided power spectral density of equally spaced samples over a whole period, averaged over [low, high) [1/m].
double mean_density(const std::vector<double>& z, double length, double low, double high) {
  const int n = static_cast<int>(z.size());
  double sum = 0.0;
  int count = 0;
  for (int k = static_cast<int>(std::ceil(low * length)); k < high * length; ++k) {
    std::complex<double> c = 0.0;
    for (int j = 0; j < n; ++j)
      c += z[static_cast<std::size_t>(j)] *
           std::polar(1.0, -2.0 * std::numbers::pi * std::fmod(static_cast<double>(k) * j, n) / n);
    sum += 2.0 * length * std::norm(c / static_cast<double>(n));  // |c_k|²·2 per band 1/length
    ++count;
  }
  return sum / count;
}

// ISO 8608: G_d(n) = G_d(n₀) (n/n₀)⁻², n₀ = 0.1 1/m; 16e-6 m³ for class A, four times as much for each further one.
// What wheels see is the spline: its density, octave by octave, against the mean of the law over the same lines.
TEST(RandomRoad, has_the_density_of_its_class) {
  for (const char letter : {'A', 'C'}) {
    const RoadShape road = random_road(letter, 7);
    const RoadSurface surface(road);
    std::vector<double> z;
    const int n = 2000;  // 4 per shortest wave
    for (int j = 0; j < n; ++j) z.push_back(surface.at(road.length * j / n, 3.0).z);
    const double class_a = 16e-6, G = class_a * std::pow(4.0, letter - 'A');
    for (double low = 0.025; low < 1.5; low *= 2.0) {
      double wanted = 0.0;
      int count = 0;
      for (int k = static_cast<int>(std::ceil(low * road.length)); k < 2.0 * low * road.length; ++k, ++count)
        wanted += G * std::pow(k / road.length / 0.1, -2.0);
      EXPECT_NEAR(mean_density(z, road.length, low, 2.0 * low), wanted / count, 0.05 * wanted / count)
          << letter << ", from " << low << " per metre";
    }
  }
}

TEST(RandomRoad, is_the_same_from_the_same_seed_and_another_from_another) {
  const std::vector<double> once = calc_random_profile(random_road('B', 11), 400),
                            again = calc_random_profile(random_road('B', 11), 400),
                            other = calc_random_profile(random_road('B', 12), 400);
  EXPECT_EQ(once, again);
  EXPECT_NE(once, other);
}

TEST(RandomRoad, repeats_itself) {
  const RoadSurface surface(random_road('B', 3));
  for (const double x : {0.0, 1.3, 200.0}) EXPECT_NEAR(surface.at(x, 0).z, surface.at(x + 250.0, 0).z, 1e-9);
}

// Derivatives of every kind against differences.
TEST(RoadSurface, knows_its_slopes_and_curvatures) {
  RoadShape bump{.kind = RoadKind::bump, .start = 1.0, .length = 4.0, .height = 0.1};
  RoadShape sweep{
      .kind = RoadKind::sweep, .length = 30.0, .amplitude = 0.05, .first_wavelength = 5.0, .last_wavelength = 2.0};
  RoadShape table{.kind = RoadKind::table, .x = {0, 1, 2.5, 3, 6}, .y = {-1, 0, 0.7, 2}};
  for (std::size_t i = 0; i < 20; ++i) table.z.push_back(0.1 * std::sin(1.7 * static_cast<double>(i)));
  for (RoadShape road : {bump, sweep, table, random_road('D', 1)}) {
    road.slope = 0.03, road.bank = -0.02;
    const RoadSurface surface(road);
    const double h = 1e-5;
    for (const double x : {1.3, 2.2, 4.1})
      for (const double y : {-0.4, 0.3, 1.1}) {
        const RoadSurface::Sample s = surface.at(x, y);
        const RoadSurface::Sample ahead = surface.at(x + h, y), behind = surface.at(x - h, y);
        const RoadSurface::Sample left = surface.at(x, y + h), right = surface.at(x, y - h);
        EXPECT_NEAR(s.x, (ahead.z - behind.z) / (2 * h), 1e-6);
        EXPECT_NEAR(s.y, (left.z - right.z) / (2 * h), 1e-6);
        EXPECT_NEAR(s.xx, (ahead.x - behind.x) / (2 * h), 1e-4 * (1.0 + std::abs(s.xx)));
        EXPECT_NEAR(s.xy, (left.x - right.x) / (2 * h), 1e-4 * (1.0 + std::abs(s.xy)));
        EXPECT_NEAR(s.yy, (left.y - right.y) / (2 * h), 1e-4 * (1.0 + std::abs(s.yy)));
        const auto dual = surface.sample(Dual<1>::variable(x, 0), Dual<1>(y));
        EXPECT_NEAR(dual.z.d[0], s.x, 1e-14);
        EXPECT_NEAR(dual.x.d[0], s.xx, 1e-13);
      }
  }
}

TEST(RoadSurface, goes_through_its_table_and_stays_level_beyond) {
  RoadShape road{.kind = RoadKind::table, .x = {0, 1, 3}, .y = {0, 2}, .z = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}};
  const RoadSurface surface(road);
  EXPECT_NEAR(surface.at(1, 0).z, 0.2, 1e-14);
  EXPECT_NEAR(surface.at(3, 2).z, 0.5, 1e-14);
  EXPECT_NEAR(surface.at(7, 9).z, 0.5, 1e-14);
  EXPECT_EQ(surface.at(7, 9).x, 0.0);
  EXPECT_NEAR(surface.at(-4, 1).z, 0.05, 1e-14);
}

// h/2 (1 − cos 2πu/ℓ): its top in the middle, level at both ends.
TEST(RoadSurface, has_a_bump_where_it_is_said) {
  const RoadSurface surface(RoadShape{.kind = RoadKind::bump, .start = 10.0, .length = 2.0, .height = 0.08});
  EXPECT_EQ(surface.at(9.99, 0).z, 0.0);
  EXPECT_NEAR(surface.at(11.0, 5).z, 0.08, 1e-15);
  EXPECT_NEAR(surface.at(10.5, 0).z, 0.04, 1e-15);
  EXPECT_EQ(surface.at(12.01, 0).z, 0.0);
}

}  // namespace
}  // namespace trammel::test_road_surface
