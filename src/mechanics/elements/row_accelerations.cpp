// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/row_accelerations.h"

namespace trammel {

namespace {

Vec3<Dual<6>> with_derivatives(const Vec3<double>& value, const Block6& changes, int first) {
  Vec3<Dual<6>> x = lift<Dual<6>>(value);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 6; ++k) x[i].d[k] = changes(first + i, k);
  return x;
}

Vec3<Moving> with_rate(const Vec3<Dual<6>>& value, const Vec3<Dual<6>>& rate) {
  Vec3<Moving> x;
  for (int i = 0; i < 3; ++i) x[i].v = value[i], x[i].d[0] = rate[i];
  return x;
}

}  // namespace

Frame<Moving> moving_frame(const Frame<double>& f, const FrameChanges& c) {
  const Vec3<Dual<6>> v = with_derivatives(f.v, c.twist, 0), w = with_derivatives(f.w, c.twist, 3);
  Frame<Moving> g;
  g.p = with_rate(with_derivatives(f.p, c.pose, 0), v);
  g.v = with_rate(v, with_derivatives(c.acceleration.head<3>(), c.rate, 0));
  g.w = with_rate(w, with_derivatives(c.acceleration.tail<3>(), c.rate, 3));
  for (int i = 0; i < 3; ++i) {  // rows of R: δR = R β̂, and Ṙ = R ω̂
    Vec3<Dual<6>> row = lift<Dual<6>>(f.R.row(i).transpose());
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> turned = cross<double>(f.R.row(i).transpose(), c.pose.col(k).tail<3>());
      for (int j = 0; j < 3; ++j) row[j].d[k] = turned[j];
    }
    g.R.row(i) = with_rate(row, cross(row, w)).transpose();
  }
  return g;
}

}  // namespace trammel
