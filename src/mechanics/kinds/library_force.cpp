// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/library_force.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/base/error.h"
#include "trammel/base/text.h"

namespace trammel {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr const char* entry = "trammel_force_library";

[[noreturn]] void refuse(const std::string& reason) { throw InputError(reason); }

const trammel_force_library_content& open_library(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(fmt::format("the library cannot be loaded: {}", dlerror()));
  const auto content = reinterpret_cast<const trammel_force_library_content* (*)()>(dlsym(library, entry));
  if (content == nullptr)
    refuse(fmt::format("'{}' is no library of forces: it does not define {}(), see trammel/mechanics/force_library.h",
                       file, entry));
  const trammel_force_library_content* held = content();
  if (held == nullptr) refuse(fmt::format("{}() of '{}' returns nothing", entry, file));
  if (held->interface_number != TRAMMEL_FORCE_INTERFACE)
    refuse(
        fmt::format("'{}' was made for interface {} of force libraries, this program knows {}: compile it anew with "
                    "this program's trammel/mechanics/force_library.h",
                    file, held->interface_number, TRAMMEL_FORCE_INTERFACE));
  if (held->n_laws < 1 || held->laws == nullptr) refuse(fmt::format("'{}' holds no laws", file));
  return *held;
}

void write(double* to, const Vec3<double>& x) { std::copy(x.data(), x.data() + 3, to); }

Vec3<double> vector_of(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

LibraryLaw load_law(const std::string& file, const std::string& law) {
  LibraryLaw found;
  found.library = &open_library(file);
  std::vector<std::string> names;
  for (int i = 0; i < found.library->n_laws; ++i) {
    const trammel_force_law& one = found.library->laws[i];
    if (one.name == nullptr || one.force == nullptr)
      refuse(fmt::format("law {} of '{}' has no name or no function", i + 1, file));
    names.push_back(one.name);
    if (law == one.name || (law.empty() && found.library->n_laws == 1)) found.law = &one;
  }
  if (found.law == nullptr && law.empty())
    refuse(fmt::format("'{}' holds {} laws; 'law' must say which: {}", file, names.size(), join_quoted(names)));
  if (found.law == nullptr)
    refuse(fmt::format("'{}' has no law '{}'{}; it has {}", file, law, did_you_mean(law, names), join_quoted(names)));
  for (const char* const* name = found.law->parameters; name != nullptr && *name != nullptr; ++name)
    found.parameters.push_back(*name);
  return found;
}

LibraryForce::LibraryForce(LibraryLaw law, std::array<int, 2> frames, std::array<Eigen::Vector3d, 2> points,
                           std::vector<double> parameters, std::shared_ptr<LibraryTrouble> trouble,
                           const LawMirror& mirror)
    : law_(std::move(law)),
      frames_(frames),
      s_(points),
      parameters_(std::move(parameters)),
      trouble_(std::move(trouble)),
      mirror_(mirror) {}

LibraryForce::Frames LibraryForce::at_points(const Frame<double>* f) const {
  Frames at;
  for (std::size_t i = 0; i < at.size(); ++i) {
    Vec3<double> p = point_position(f[i], s_[i]), v = point_velocity(f[i], s_[i]), w = f[i].w;  // (1)
    Mat3<double> R = f[i].R;
    if (mirror_.reflects) {
      p = (mirror_.x0 + mirror_.H * p).eval(), v = (mirror_.H * v).eval();
      R = (mirror_.H * R * mirror_.B[i]).eval(), w = (-mirror_.B[i] * w).eval();
    }
    write(at[i].p, p);
    write(at[i].v, v);
    write(at[i].w, w);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) at[i].R[r][c] = R(r, c);
  }
  return at;
}

/// True: it answered. A foreign function may throw whatever its language has; nothing of that may pass through us.
template <class Function>
bool LibraryForce::call(double t, const Function& function) const {
  std::string reason;
  try {
    const int number = function();
    if (number == 0) return true;
    const char* words = law_.library->reason != nullptr ? law_.library->reason(number) : nullptr;
    reason = words != nullptr ? fmt::format("it says: {}", words) : fmt::format("it returned {}", number);
  } catch (const std::exception& error) {
    reason = fmt::format("it threw: {}", error.what());
  } catch (...) {
    reason = "it threw something that is no std::exception";
  }
  trouble_->note(fmt::format("{}, at t = {:.6g} s", reason, t));
  return false;
}

void LibraryForce::force(double t, const Frame<double>* f, Wrench<double>* w) const {
  const Frames at = at_points(f);
  const trammel_force_input in{t, 2, at.data(), parameters_.data()};
  std::array<trammel_force_wrench, 2> out{};
  const bool answered = call(t, [&] { return law_.law->force(&in, out.data()); });
  if (!answered) out[1].force[0] = no_number;
  bool finite = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    Vec3<double> F = vector_of(out[i].force), m = vector_of(out[i].moment);
    if (mirror_.reflects) F = (mirror_.H * F).eval(), m = (-mirror_.B[i] * m).eval();
    w[i].force = F;
    w[i].moment = m + cross(s_[i], rotate_back(f[i].R, F));  // (1)
    finite = finite && F.allFinite() && w[i].moment.allFinite();
  }
  if (answered && !finite) trouble_->note(fmt::format("its force is not a finite number at t = {:.6g} s", t));
}

// With J = ∂wrench/∂(δp, δβ, v, ω) at the points, the derivatives by a seed are J times those of the points' frames:
//   (2)  Rᵀ dR = (dβ)^;   d(s × Rᵀ F) = s × (Rᵀ dF − dβ × Rᵀ F)
void LibraryForce::force_with_derivatives(double t, const Frame<Dual<6>>* f, Wrench<Dual<6>>* w) const {
  std::array<Frame<double>, 2> values;
  std::array<Eigen::Matrix<double, 12, 6>, 2> seeds;  // of (p, β, v, ω) at the points
  for (std::size_t i = 0; i < 2; ++i) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) values[i].R(r, c) = f[i].R(r, c).v;
      values[i].p[r] = f[i].p[r].v, values[i].v[r] = f[i].v[r].v, values[i].w[r] = f[i].w[r].v;
    }
    const Vec3<Dual<6>> p = point_position(f[i], s_[i]), v = point_velocity(f[i], s_[i]);
    for (int k = 0; k < 6; ++k) {
      Mat3<double> dR;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) dR(r, c) = f[i].R(r, c).d[k];
        seeds[i](r, k) = p[r].d[k], seeds[i](6 + r, k) = v[r].d[k], seeds[i](9 + r, k) = f[i].w[r].d[k];
      }
      const Mat3<double> turn = values[i].R.transpose() * dR;
      seeds[i](3, k) = turn(2, 1), seeds[i](4, k) = turn(0, 2), seeds[i](5, k) = turn(1, 0);
    }
  }
  std::array<Wrench<double>, 2> value;
  force(t, values.data(), value.data());
  const Frames at = at_points(values.data());
  const trammel_force_input in{t, 2, at.data(), parameters_.data()};
  Eigen::Matrix<double, 12, 24, Eigen::RowMajor> J = Eigen::Matrix<double, 12, 24, Eigen::RowMajor>::Zero();
  const bool answered = call(t, [&] { return law_.law->derivatives(&in, J.data()); });
  if (!answered) J.setConstant(no_number);
  if (answered && !J.allFinite())
    trouble_->note(fmt::format("its derivatives are not finite numbers at t = {:.6g} s", t));
  for (int i = 0; mirror_.reflects && i < 2; ++i) {
    const Eigen::Matrix3d &H = mirror_.H, B = -mirror_.B[static_cast<std::size_t>(i)];
    for (const int at_force : {0, 1}) {  // rows: force, moment; columns: p, β, v, ω
      const Eigen::Matrix3d& M = at_force == 0 ? H : B;
      J.middleRows<3>(6 * i + 3 * at_force) = (M * J.middleRows<3>(6 * i + 3 * at_force)).eval();
      for (const int k : {0, 6})
        J.middleCols<3>(12 * i + k + 3 * at_force) = (J.middleCols<3>(12 * i + k + 3 * at_force) * M).eval();
    }
  }
  Eigen::Matrix<double, 24, 6> seed;
  seed << seeds[0], seeds[1];
  const Eigen::Matrix<double, 12, 6> d = J * seed;
  for (std::size_t i = 0; i < 2; ++i)
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> dF = d.block<3, 1>(6 * static_cast<int>(i), k), F = value[i].force;
      const Vec3<double> turn = seeds[i].block<3, 1>(3, k);
      const Vec3<double> arm = rotate_back(values[i].R, dF) - cross(turn, rotate_back(values[i].R, F));  // (2)
      const Vec3<double> dM = d.block<3, 1>(6 * static_cast<int>(i) + 3, k) + cross(s_[i], arm);
      for (int r = 0; r < 3; ++r) {
        w[i].force[r].v = F[r], w[i].force[r].d[k] = dF[r];
        w[i].moment[r].v = value[i].moment[r], w[i].moment[r].d[k] = dM[r];
      }
    }
}

double LibraryForce::potential(double t, const Frame<double>* f) const {
  if (law_.law->potential == nullptr) return 0.0;
  const Frames at = at_points(f);
  const trammel_force_input in{t, 2, at.data(), parameters_.data()};
  double energy = no_number;
  call(t, [&] {
    energy = law_.law->potential(&in);
    return 0;
  });
  return energy;
}

}  // namespace trammel
