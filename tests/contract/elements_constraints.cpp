// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "elements_frames.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"

// Every constraint kind, from frame data alone (an element never sees coordinates), at random frames *off* the
// constraint manifold: on it every wrong scale factor is right. A new kind is one line in `Kinds` and one `make`.

namespace trammel::testing::test_elements_constraints {
namespace {

// Central differences: 10⁻¹⁶/ε of rounding, and ε² times third derivatives, which are large near a flat disc or an
// angle that is hardly defined; a wrong factor is an error of order one.
constexpr double eps = 1e-6;
constexpr double tol = 1e-7;

using Type = RelativeCoordinate::Type;

template <class K>
struct Maker;

template <int N>
struct Maker<Coincident<N>> {
  static constexpr bool is_invariant = false;  // rows stand in world axes
  static typename Coincident<N>::Params make(Random& r, int) {
    typename Coincident<N>::Params p{r.vector(), r.vector()};
    p.e = r.rotation();
    return p;
  }
};
template <>
struct Maker<Perpendicular> {
  static constexpr bool is_invariant = true;
  static Perpendicular::Params make(Random& r, int) { return {r.direction(), r.direction(), r.number()}; }
};
template <>
struct Maker<Offset> {
  static constexpr bool is_invariant = true;
  static Offset::Params make(Random& r, int) { return {r.direction(), r.vector(), r.vector(), r.number()}; }
};
template <>
struct Maker<Distance> {
  static constexpr bool is_invariant = true;
  static Distance::Params make(Random& r, int) { return {r.vector(), r.vector(), 1.5}; }
};
template <>
struct Maker<SquaredDistance> {
  static constexpr bool is_invariant = true;
  static SquaredDistance::Params make(Random& r, int) { return {r.vector(), r.vector(), 1.5}; }
};
template <>
struct Maker<LineAngle> {
  static constexpr bool is_invariant = false;  // its third frame is a scalar coordinate
  static LineAngle::Params make(Random& r, int) {
    const Eigen::Matrix3d A = r.rotation();
    return {A.col(0), A.col(1), r.vector(), r.vector()};
  }
};
// Variant 0: angles, 1: displacements, 2: both and named scalars.
template <int N>
typename Coupler<N>::Params make_coupler(Random& r, int variant) {
  typename Coupler<N>::Params p;
  for (int k = 0; k < N; ++k) {
    const Type mixed[3] = {Type::scalar, Type::angle, Type::displacement};
    p.x[k] = random_coordinate(r, variant == 0 ? Type::angle : variant == 1 ? Type::displacement : mixed[k]);
    p.factor[k] = r.number(0.5, 2.0);
  }
  p.offset = r.number();
  return p;
}
template <int N>
struct Maker<Coupler<N>> {
  static constexpr bool is_invariant = true;
  static auto make(Random& r, int variant) { return make_coupler<N>(r, variant); }
};
template <int N>
struct Maker<SpeedCoupler<N>> {
  static constexpr bool is_invariant = true;
  static auto make(Random& r, int variant) { return make_coupler<N>(r, variant); }
};
template <>
struct Maker<DiscOnPlane> {
  static constexpr bool is_invariant = true;
  static DiscOnPlane::Params make(Random& r, int) {
    return {r.direction(), r.vector(), r.vector(), r.direction(), 0.7};
  }
};
template <>
struct Maker<RollingContact> {
  static constexpr bool is_invariant = true;
  static RollingContact::Params make(Random& r, int variant) {
    const Eigen::Matrix3d A = r.rotation();
    return {A.col(2), A.col(0), A.col(1), r.vector(), r.direction(), 0.7, variant == 1};
  }
};
template <>
struct Maker<KnifeEdge> {
  static constexpr bool is_invariant = true;
  static KnifeEdge::Params make(Random& r, int) { return {r.vector(), r.direction()}; }
};

using Kinds = ::testing::Types<Coincident<2>, Coincident<3>, Perpendicular, Offset, Distance, SquaredDistance,
                               LineAngle, Coupler<1>, Coupler<2>, Coupler<3>, SpeedCoupler<1>, SpeedCoupler<2>,
                               SpeedCoupler<3>, DiscOnPlane, RollingContact, KnifeEdge>;
constexpr int n_variants = 3, n_samples = 4;
constexpr int scalars_too = 2;  // the variant with named scalar coordinates, which are no bodies

struct KindNames {
  template <class K>
  static std::string GetName(int) {
    return test_name(K::name, K::n_frames);
  }
};

// Two elements of the kind in one group, so that slots and strides are tested as well; the second one has a function of
// time in its first row, and shares a frame with the first.
template <class K>
struct Sample {
  Random random;
  ConstraintGroup<K> group;
  FrameInstant at;

  Sample(int variant, int number)
      : random(static_cast<unsigned>(97 * number + 11 * variant + 1)), at(random, K::n_frames + 1, 2 * K::n_rows) {
    for (int e = 0; e < 2; ++e) {
      typename ConstraintGroup<K>::Element element;
      element.params = Maker<K>::make(random, variant);
      for (int i = 0; i < K::n_frames; ++i) element.frame[i] = 1 + i + e;
      for (int i = 0; i < K::n_turns; ++i) element.branch[i] = i;
      element.input.fill(-1);
      if (e == 1) element.input[0] = 0;
      element.row = e * K::n_rows;
      group.add(element);
    }
  }
  static constexpr int n_rows = 2 * K::n_rows;
  Eigen::VectorXd phi(const FrameInstant& x) const {
    Eigen::VectorXd value(n_rows);
    std::vector<Wrench<double>> w(x.frames.size(), zero_wrench<double>());
    group.add_constraints(x.state(), {value.data(), static_cast<std::size_t>(n_rows)}, w);
    return value;
  }
  Eigen::VectorXd phi_dot(const FrameInstant& x, Eigen::VectorXd* bias = nullptr) const {
    Eigen::VectorXd value(n_rows), other(n_rows);
    group.calc_velocity_level(x.state(), {value.data(), static_cast<std::size_t>(n_rows)},
                              {other.data(), static_cast<std::size_t>(n_rows)});
    if (bias) *bias = other;
    return value;
  }
};

template <class K>
class ConstraintContract : public ::testing::Test {
 public:
  template <class Check>
  void for_all(const Check& check, int variants = n_variants) {
    for (int variant = 0; variant < variants; ++variant)
      for (int number = 0; number < n_samples; ++number) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", sample " + std::to_string(number));
        check(Sample<K>(variant, number));
      }
  }
};
TYPED_TEST_SUITE(ConstraintContract, Kinds, KindNames);

void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double limit, const char* what) {
  const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), limit * scale) << what << "\nfound\n"
                                                                     << found << "\nexpected\n"
                                                                     << expected;
}

// G is the gradient of Φ on increments; rows of nonholonomic kinds are the gradient of A v + a on twists.
TYPED_TEST(ConstraintContract, rows_are_the_gradient) {
  this->for_all([](const Sample<TypeParam>& s) {
    const GroupPlanes planes(s.group, s.at);
    for (int f = 1; f < static_cast<int>(s.at.frames.size()); ++f)
      for (int k = 0; k < 6; ++k) {
        Eigen::VectorXd difference;
        if constexpr (TypeParam::holonomic)
          difference = (s.phi(s.at.moved(f, k, eps)) - s.phi(s.at.moved(f, k, -eps))) / (2 * eps);
        else
          difference = (s.phi(s.at.with_twist(f, k, eps)) - s.phi(s.at.with_twist(f, k, -eps))) / (2 * eps);
        Eigen::VectorXd column(s.n_rows);
        for (int r = 0; r < s.n_rows; ++r) column[r] = planes.row(planes.planes.G, r, f)[k];
        expect_near(column, difference, tol, "column of G");
      }
  });
}

// Φ̇ = dΦ/dt along the motion, functions of time included; its bias is d²Φ/dt² at v̇ = 0, ω̇ = 0.
TYPED_TEST(ConstraintContract, velocity_level_is_the_derivative_by_time) {
  this->for_all([](const Sample<TypeParam>& s) {
    Eigen::VectorXd bias;
    const Eigen::VectorXd rate = s.phi_dot(s.at, &bias);
    if constexpr (TypeParam::holonomic)
      expect_near(rate, (s.phi(s.at.later(eps)) - s.phi(s.at.later(-eps))) / (2 * eps), tol, "rate");
    else
      expect_near(rate, s.phi(s.at), 1e-13, "nonholonomic rows are rates already");
    expect_near(bias, (s.phi_dot(s.at.later(eps)) - s.phi_dot(s.at.later(-eps))) / (2 * eps), tol, "bias");
  });
}

// The constraint force is −Gᵀλ, and `reaction` gives the same wrench element by element.
TYPED_TEST(ConstraintContract, forces_are_minus_rows_times_multipliers) {
  this->for_all([](const Sample<TypeParam>& s) {
    const GroupPlanes planes(s.group, s.at, PlaneSet::G);
    const std::vector<Wrench<double>> w = wrenches(s.group, s.at);
    std::vector<Wrench<double>> reactions(w.size(), zero_wrench<double>());
    for (int e = 0; e < 2; ++e) {
      Frame<double> local[TypeParam::n_frames];
      for (int i = 0; i < TypeParam::n_frames; ++i) local[i] = s.at.frames[s.group.frame(e, i)];
      for (int i = 0; i < TypeParam::n_frames; ++i)
        add(reactions[s.group.frame(e, i)], s.group.reaction(e, local, s.at.lam.data() + s.group.first_row(e), i));
    }
    double power = 0.0;
    for (int f = 1; f < static_cast<int>(w.size()); ++f) {
      Row6 expected = Row6::Zero();
      for (int r = 0; r < s.n_rows; ++r) expected -= s.at.lam[r] * planes.row(planes.planes.G, r, f);
      expect_near(numbers_of(w[f]), expected, 1e-13, "force");
      expect_near(numbers_of(reactions[f]), expected, 1e-13, "reaction");
      power += power_of(w[f], s.at.frames[f]);
    }
    EXPECT_NEAR(s.group.power(s.at.state()), power, 1e-12 * (1.0 + std::abs(power)));
  });
}

TYPED_TEST(ConstraintContract, curvature_planes_are_differences) {
  this->for_all([](const Sample<TypeParam>& s) {
    const GroupPlanes planes(s.group, s.at);
    const int n = static_cast<int>(s.at.frames.size());
    for (int j = 1; j < n; ++j)
      for (int k = 0; k < 6; ++k) {
        const FrameInstant plus = s.at.moved(j, k, eps), minus = s.at.moved(j, k, -eps);
        const auto wp = wrenches(s.group, plus), wm = wrenches(s.group, minus);
        for (int i = 1; i < n; ++i) {
          // K_λ = ∂(Gᵀλ)/∂q, and the applied wrench is −Gᵀλ.
          const Row6 difference = (numbers_of(wm[i]) - numbers_of(wp[i])) / (2 * eps);
          expect_near(planes.block(planes.planes.K_lam, i, j).col(k).transpose(), difference, tol, "K_lam");
        }
        const Eigen::VectorXd rates = (s.phi_dot(plus) - s.phi_dot(minus)) / (2 * eps);
        Eigen::VectorXd column(s.n_rows);
        for (int r = 0; r < s.n_rows; ++r) column[r] = planes.row(planes.planes.Gv_q, r, j)[k];
        expect_near(column, rates, tol, "Gv_q");
      }
  });
}

// Φ̈ at given accelerations of the frames, without functions of time.
template <class K>
Eigen::VectorXd accelerate_rows(const Sample<K>& s, const FrameInstant& at, const std::vector<Vec6<double>>& rates) {
  Eigen::VectorXd sum;
  s.phi_dot(at, &sum);
  const GroupPlanes planes(s.group, at, PlaneSet::G);
  sum[K::n_rows] += K::holonomic ? at.udd[0] : at.ud[0];
  for (int r = 0; r < s.n_rows; ++r)
    for (int f = 1; f < static_cast<int>(at.frames.size()); ++f)
      sum[r] += planes.row(planes.planes.G, r, f).dot(rates[static_cast<std::size_t>(f)]);
  return sum;
}

// Along six directions in which poses, twists and accelerations of all frames change together.
TYPED_TEST(ConstraintContract, accelerations_of_rows_have_their_derivatives) {
  this->for_all([](Sample<TypeParam> s) {
    const std::size_t n = s.at.frames.size();
    const auto random6 = [&s] { return (Vec6<double>() << s.random.vector(), s.random.vector()).finished(); };
    std::vector<Vec6<double>> rates(n);
    std::vector<FrameChanges> changes(n);
    for (std::size_t f = 1; f < n; ++f) {
      rates[f] = changes[f].acceleration = random6();
      for (int k = 0; k < 6; ++k)
        changes[f].pose.col(k) = random6(), changes[f].twist.col(k) = random6(), changes[f].rate.col(k) = random6();
    }
    const auto at = [&](int k, double step) {
      FrameInstant moved = s.at;
      std::vector<Vec6<double>> moved_rates = rates;
      for (std::size_t f = 1; f < n; ++f) {
        const Vec6<double> pose = step * changes[f].pose.col(k), twist = step * changes[f].twist.col(k);
        moved.frames[f].p += pose.head<3>();
        moved.frames[f].R = moved.frames[f].R * exp_so3(Vec3<double>(pose.tail<3>()));
        moved.frames[f].v += twist.head<3>(), moved.frames[f].w += twist.tail<3>();
        moved_rates[f] += step * changes[f].rate.col(k);
      }
      return accelerate_rows(s, moved, moved_rates);
    };
    for (int e = 0; e < 2; ++e) {
      std::vector<FrameChanges> own;
      for (int i = 0; i < TypeParam::n_frames; ++i)
        own.push_back(changes[static_cast<std::size_t>(s.group.frame(e, i))]);
      std::vector<Dual<6>> found(TypeParam::n_rows);
      ASSERT_TRUE(s.group.calc_row_accelerations(s.at.state(), e, own, found));
      Eigen::VectorXd value(TypeParam::n_rows), derivative(TypeParam::n_rows);
      const auto own_rows = [e](const Eigen::VectorXd& all) {
        return all.segment(e * TypeParam::n_rows, TypeParam::n_rows);
      };
      for (int r = 0; r < TypeParam::n_rows; ++r) value[r] = found[static_cast<std::size_t>(r)].v;
      expect_near(value, own_rows(accelerate_rows(s, s.at, rates)), 1e-12, "acceleration");
      for (int k = 0; k < 6; ++k) {
        for (int r = 0; r < TypeParam::n_rows; ++r) derivative[r] = found[static_cast<std::size_t>(r)].d[k];
        expect_near(derivative, own_rows((at(k, eps) - at(k, -eps)) / (2 * eps)), tol, "derivative");
      }
    }
  });
}

// Linearize computes what was asked for and nothing else; asking for one plane gives the numbers of asking for all.
TYPED_TEST(ConstraintContract, planes_do_not_depend_on_what_else_is_asked) {
  this->for_all([](const Sample<TypeParam>& s) {
    const GroupPlanes all(s.group, s.at), G(s.group, s.at, PlaneSet::G), K(s.group, s.at, PlaneSet::K_lam),
        rate(s.group, s.at, PlaneSet::Gv_q);
    for (std::size_t i = 0; i < all.planes.G.size(); ++i) {
      EXPECT_EQ(all.planes.G[i], G.planes.G[i]);
      EXPECT_EQ(all.planes.Gv_q[i], rate.planes.Gv_q[i]);
      EXPECT_TRUE(K.planes.G[i].isZero(0.0) && G.planes.Gv_q[i].isZero(0.0));
    }
    for (std::size_t i = 0; i < all.planes.K_lam.size(); ++i) {
      EXPECT_EQ(all.planes.K_lam[i], K.planes.K_lam[i]);
      EXPECT_TRUE(G.planes.K_lam[i].isZero(0.0));
    }
  });
}

// Newton's third law: internal forces have no resultant and no moment about the world's origin. Rows in world axes
// (Coincident) obey it where their points meet, hence at frames shifted to do so.
TYPED_TEST(ConstraintContract, action_equals_reaction) {
  this->for_all(
      [](Sample<TypeParam> s) {
        if constexpr (!Maker<TypeParam>::is_invariant) {
          for (int e = 0; e < 2; ++e) {
            const auto& p = s.group.element(e).params;
            s.at.frames[2 + e].p = point_position(s.at.frames[1 + e], p.s_a) - s.at.frames[2 + e].R * p.s_b;
          }
        }
        const Sum sum = total(wrenches(s.group, s.at), s.at);
        ASSERT_GT(sum.size, 0.1);
        EXPECT_LE(sum.force.norm(), 1e-13 * sum.size);
        EXPECT_LE(sum.moment.norm(), 1e-13 * sum.size);
      },
      scalars_too);
}

// A turned and shifted observer sees the same Φ, Φ̇ and bias, the same moments in body axes and turned forces.
TYPED_TEST(ConstraintContract, does_not_feel_the_observer) {
  if constexpr (!Maker<TypeParam>::is_invariant) {
    // World axes: shifts are not felt, a turn mixes the rows as the components of a vector.
    this->for_all([](const Sample<TypeParam>& s) {
      const double along_x = TypeParam::n_frames == 3 ? 0.0 : 1.0;  // the value of a scalar coordinate is its x
      const FrameInstant shifted = s.at.seen_from(Eigen::Matrix3d::Identity(), {along_x, -2, 3});
      expect_near(s.phi(shifted), s.phi(s.at), 1e-14, "shifted");
    });
  } else {
    this->for_all(
        [](Sample<TypeParam> s) {
          const Eigen::Matrix3d Q = s.random.rotation();
          const FrameInstant seen = s.at.seen_from(Q, s.random.vector(3.0));
          Eigen::VectorXd bias, bias_seen;
          expect_near(s.phi(seen), s.phi(s.at), 1e-12, "phi");
          expect_near(s.phi_dot(seen, &bias_seen), s.phi_dot(s.at, &bias), 1e-12, "rate");
          expect_near(bias_seen, bias, 1e-11, "bias");
          const auto w = wrenches(s.group, s.at), w_seen = wrenches(s.group, seen);
          for (std::size_t f = 1; f < w.size(); ++f) {
            expect_near(w_seen[f].force, Q * w[f].force, 1e-12, "force");
            expect_near(w_seen[f].moment, w[f].moment, 1e-12, "moment in body axes");
          }
        },
        scalars_too);
  }
}

// Angles count turns: the value is the one nearest to the prediction, everything else knows nothing of it.
TEST(RelativeCoordinates, angles_follow_the_predicted_turn) {
  Random random(5);
  const RelativeCoordinate x = random_coordinate(random, Type::angle);
  const FrameInstant at(random, 2, 0);
  const Frame<double> f[2] = {at.frames[1], at.frames[2]};
  const double base = x.value(f, 0.0), turn = 2 * std::numbers::pi;
  EXPECT_LE(std::abs(base), std::numbers::pi);
  for (int n : {-3, 1, 50}) EXPECT_NEAR(x.value(f, base + turn * n + 0.4 * turn), base + turn * n, 1e-11);
}

}  // namespace
}  // namespace trammel::testing::test_elements_constraints
