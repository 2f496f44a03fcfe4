// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "elements_frames.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/mechanics/elements/tyre.h"
#include "trammel/mechanics/elements/vehicle_forces.h"

// Every force kind, from frame data alone, at random frames. A new kind is one line in `Kinds` and one `Maker`.

namespace trammel::testing::test_elements_forces {
namespace {

constexpr double eps = 1e-6;
constexpr double tol = 1e-7;  // central differences, see elements_constraints.cpp

using Type = RelativeCoordinate::Type;

Mat6<double> random_stiffness(Random& r) {
  Mat6<double> A;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) A(i, j) = r.number();
  return A * A.transpose() + 5.0 * Mat6<double>::Identity();
}

template <class K>
struct Maker;

template <>
struct Maker<SpringDamper> {
  static constexpr int n_variants = 1;
  static constexpr bool is_conservative(int) { return true; }  // at rest
  static constexpr bool is_physical(int) { return true; }      // acts between bodies
  static SpringDamper::Params make(Random& r, int) { return {r.vector(), r.vector(), 30.0, 2.0, 0.8, 1.5}; }
};

// 0: spring on an angle, 1: on a displacement, 2: on a named scalar, 3: far behind the upper stop, 4: below the lower
// stop, 5: inside the ramp of the damping, 6: between the stops.
template <>
struct Maker<CoordinateForce> {
  static constexpr int n_variants = 7;
  static constexpr bool is_conservative(int) { return true; }
  static constexpr bool is_physical(int variant) { return variant != 2; }
  static CoordinateForce::Params make(Random& r, int variant) {
    CoordinateForce::Params p;
    p.x = random_coordinate(r, variant == 0 ? Type::angle : variant == 2 ? Type::scalar : Type::displacement);
    p.stiffness = 40.0, p.damping = 0.7, p.free_value = 0.3, p.preload = -2.0;
    p.stop = variant >= 3;
    p.lower = -100.0, p.upper = 100.0;
    if (variant == 3) p.upper = -20.0;
    if (variant == 4) p.lower = 20.0;
    if (variant == 5) p.upper = -20.0, p.depth = 100.0;
    return p;
  }
};

// 0: exact rotation vector, 1: the printed angles.
template <>
struct Maker<Bushing> {
  static constexpr int n_variants = 2;
  static constexpr bool is_conservative(int variant) { return variant == 0; }
  static constexpr bool is_physical(int) { return true; }
  static Bushing::Params make(Random& r, int variant) {
    return {r.vector(),          r.vector(),          r.rotation(), r.rotation(0.3),
            random_stiffness(r), random_stiffness(r), variant == 1};
  }
};

// 0: beyond the upper end, 1: below the lower end, 2: inside the ramp of the damping, 3: free.
template <>
struct Maker<BumpStop> {
  static constexpr int n_variants = 4;
  static constexpr bool is_conservative(int) { return true; }
  static constexpr bool is_physical(int) { return true; }
  static BumpStop::Params make(Random& r, int variant) {
    BumpStop::Params p;
    p.x = random_coordinate(r, Type::displacement);
    p.stiffness = 40.0, p.quadratic = 3.0, p.damping = 0.7;
    p.lower = -100.0, p.upper = 100.0;
    if (variant == 0) p.upper = -20.0;
    if (variant == 1) p.lower = 20.0;
    if (variant == 2) p.upper = -20.0, p.depth = 100.0;
    return p;
  }
};

// 0: between angles, 1: between displacements.
template <>
struct Maker<AntiRollBar> {
  static constexpr int n_variants = 2;
  static constexpr bool is_conservative(int) { return true; }
  static constexpr bool is_physical(int) { return true; }
  static AntiRollBar::Params make(Random& r, int variant) {
    const Type type = variant == 0 ? Type::angle : Type::displacement;
    return {{random_coordinate(r, type), random_coordinate(r, type)}, 40.0, 0.7};
  }
};

// 0: on the road, 1: in the air.
template <>
struct Maker<StandingTyre> {
  static constexpr int n_variants = 2;
  static constexpr bool is_conservative(int) { return false; }
  static constexpr bool is_physical(int) { return true; }
  static StandingTyre::Params make(Random& r, int variant) {
    StandingTyre::Params params;
    params.place.s_road = r.vector(), params.place.center = r.vector();
    params.place.axes = r.rotation(0.3);
    params.place.free_radius = variant == 0 ? 10.0 : -10.0;
    params.place.stiffness = 4.0, params.place.damping = 0.1;
    params.c_0 = r.vector(), params.horizontal_stiffness = 3.0, params.horizontal_damping = 0.2;
    return params;
  }
};

using Kinds = ::testing::Types<SpringDamper, CoordinateForce, Bushing, BumpStop, AntiRollBar, StandingTyre>;

struct KindNames {
  template <class K>
  static std::string GetName(int) {
    return test_name(K::name, K::n_frames);
  }
};

constexpr double spread = 0.4;  // relative rotations stay where the printed angles are a chart

template <class K>
struct Sample {
  Random random;
  ForceGroup<K> group;
  FrameInstant at;

  Sample(int variant, int number)
      : random(static_cast<unsigned>(31 * number + 7 * variant + 3)), at(random, K::n_frames + 1, 0, spread) {
    for (int e = 0; e < 2; ++e) {
      typename ForceGroup<K>::Element element;
      element.params = Maker<K>::make(random, variant);
      for (int i = 0; i < K::n_frames; ++i) element.frame[i] = 1 + i + e;
      for (int i = 0; i < K::n_turns; ++i) element.branch[i] = i;
      group.add(element);
    }
  }
};

template <class K>
class ForceContract : public ::testing::Test {
 public:
  template <class Check>
  void for_all(const Check& check) {
    for (int variant = 0; variant < Maker<K>::n_variants; ++variant)
      for (int number = 0; number < 4; ++number) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", sample " + std::to_string(number));
        check(Sample<K>(variant, number), variant);
      }
  }
};
TYPED_TEST_SUITE(ForceContract, Kinds, KindNames);

void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double limit, const char* what) {
  const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), limit * scale) << what << "\nfound\n"
                                                                     << found << "\nexpected\n"
                                                                     << expected;
}

// K = −∂f/∂q, D = −∂f/∂v. Scale by the largest force: rounding of a large force shows in every component.
TYPED_TEST(ForceContract, planes_are_differences) {
  this->for_all([](const Sample<TypeParam>& s, int) {
    const GroupPlanes planes(s.group, s.at);
    const int n = static_cast<int>(s.at.frames.size());
    double size = 0.0;
    for (const Wrench<double>& w : wrenches(s.group, s.at)) size = std::max(size, numbers_of(w).cwiseAbs().maxCoeff());
    for (int j = 1; j < n; ++j)
      for (int k = 0; k < 6; ++k) {
        const auto qp = wrenches(s.group, s.at.moved(j, k, eps)), qm = wrenches(s.group, s.at.moved(j, k, -eps));
        const auto vp = wrenches(s.group, s.at.with_twist(j, k, eps)),
                   vm = wrenches(s.group, s.at.with_twist(j, k, -eps));
        for (int i = 1; i < n; ++i) {
          expect_near(planes.block(planes.planes.K, i, j).col(k).transpose(),
                      (numbers_of(qm[i]) - numbers_of(qp[i])) / (2 * eps), tol * (1.0 + size), "K");
          expect_near(planes.block(planes.planes.D, i, j).col(k).transpose(),
                      (numbers_of(vm[i]) - numbers_of(vp[i])) / (2 * eps), tol * (1.0 + size), "D");
        }
      }
  });
}

TYPED_TEST(ForceContract, conservative_part_is_the_gradient_of_the_potential) {
  this->for_all([](const Sample<TypeParam>& s, int variant) {
    if (!Maker<TypeParam>::is_conservative(variant)) return;
    const FrameInstant rest = s.at.at_rest();
    const auto w = wrenches(s.group, rest);
    const double V = s.group.potential(rest.state());
    for (int f = 1; f < static_cast<int>(w.size()); ++f) {
      Row6 gradient;
      for (int k = 0; k < 6; ++k)
        gradient[k] =
            (s.group.potential(rest.moved(f, k, eps).state()) - s.group.potential(rest.moved(f, k, -eps).state())) /
            (2 * eps);
      expect_near(numbers_of(w[f]), -gradient, tol * (1.0 + std::abs(V)), "force at rest");
    }
  });
}

// Σ wrench·twist = −V̇ + power: the ledger loses nothing; dampers take energy out.
TYPED_TEST(ForceContract, power_is_what_the_potential_does_not_explain) {
  this->for_all([](const Sample<TypeParam>& s, int variant) {
    const auto w = wrenches(s.group, s.at);
    double total_power = 0.0;
    for (std::size_t f = 0; f < w.size(); ++f) total_power += power_of(w[f], s.at.frames[f]);
    const double V_rate =
        (s.group.potential(s.at.later(eps).state()) - s.group.potential(s.at.later(-eps).state())) / (2 * eps);
    const double size = 1.0 + std::abs(total_power) + std::abs(V_rate) + std::abs(s.group.potential(s.at.state()));
    EXPECT_NEAR(s.group.power(s.at.state()), total_power + V_rate, tol * size);
    const bool one_sided = std::is_same_v<TypeParam, BumpStop> ||
                           (std::is_same_v<TypeParam, CoordinateForce> && variant >= 3);  // a stop may push outwards
    if (Maker<TypeParam>::is_conservative(variant) && !one_sided) {
      EXPECT_LE(s.group.power(s.at.state()), 1e-12 * size);
    }
  });
}

TYPED_TEST(ForceContract, action_equals_reaction) {
  this->for_all([](const Sample<TypeParam>& s, int variant) {
    if (!Maker<TypeParam>::is_physical(variant)) return;
    const Sum sum = total(wrenches(s.group, s.at), s.at);
    EXPECT_LE(sum.force.norm(), 1e-13 * (1.0 + sum.size));
    EXPECT_LE(sum.moment.norm(), 1e-13 * (1.0 + sum.size));
  });
}

TYPED_TEST(ForceContract, does_not_feel_the_observer) {
  this->for_all([](Sample<TypeParam> s, int variant) {
    if (!Maker<TypeParam>::is_physical(variant)) return;
    const Eigen::Matrix3d Q = s.random.rotation();
    const FrameInstant seen = s.at.seen_from(Q, s.random.vector(3.0));
    const auto w = wrenches(s.group, s.at), w_seen = wrenches(s.group, seen);
    for (std::size_t f = 1; f < w.size(); ++f) {
      expect_near(w_seen[f].force, Q * w[f].force, 1e-12, "force");
      expect_near(w_seen[f].moment, w[f].moment, 1e-12, "moment in body axes");
    }
    const double V = s.group.potential(s.at.state());
    EXPECT_NEAR(s.group.potential(seen.state()), V, 1e-12 * (1.0 + std::abs(V)));
  });
}

// Signs, on paper: a stretched spring pulls, a stop pushes back and never pulls.
TEST(ForceSigns, stretched_spring_pulls_the_points_together) {
  ForceGroup<SpringDamper> group;
  group.add({{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 10.0, 2.0, 1.0, 3.0}, {0, 1}, {}});
  Random random(1);
  FrameInstant at(random, 1, 0);
  at.frames[1].p = {3, 0, 0}, at.frames[1].v = {0.5, 7, 0};
  // k (3 − 1) + c 0.5 + F₀ = 24
  EXPECT_LT((wrenches(group, at)[1].force - Eigen::Vector3d(-24, 0, 0)).norm(), 1e-12);
  EXPECT_LT((wrenches(group, at)[0].force - Eigen::Vector3d(24, 0, 0)).norm(), 1e-12);
}

TEST(ForceSigns, stop_pushes_back_and_never_pulls) {
  CoordinateForce::Params p;
  p.stop = true, p.stiffness = 1000.0, p.damping = 100.0, p.lower = -1.0, p.upper = 1.0, p.depth = 0.1;
  ForceGroup<CoordinateForce> group;
  group.add({p, {1, 0}, {-1}});
  Random random(1);
  FrameInstant at(random, 1, 0);
  const auto push = [&](double x, double rate) {
    at.frames[1].p = {x, 0, 0}, at.frames[1].v = {rate, 0, 0};
    return wrenches(group, at)[1].force.x();
  };
  EXPECT_EQ(push(0.9, 50.0), 0.0);
  EXPECT_DOUBLE_EQ(push(1.2, 1.0), -300.0);  // 1000·0.2 + 100·1
  EXPECT_DOUBLE_EQ(push(-1.2, -1.0), 300.0);
  EXPECT_NEAR(push(1.05, 1.0), -100.0, 1e-10);  // 50 + 100·½
  EXPECT_EQ(push(1.2, -5.0), 0.0);              // leaves faster than the spring follows
}

}  // namespace
}  // namespace trammel::testing::test_elements_forces
