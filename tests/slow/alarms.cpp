// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <numbers>
#include <random>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

/// Alarms beside the truth. Errors of runs are measured against a tight run of another method, over all frames, in
/// units of the run's own tolerance:
///
///   (1) e = max over frames and bodies of |p − p_ref| / (atol + rtol L), ∠(R, R_ref) / (atol + rtol Θ)
///
/// with L the longest way of a body from where it began and Θ the largest turn from there, at most half a turn. With a
/// fixed step the tolerances are those that a run without it would have.
///
///   right: e ≤ 10, must not have an alarm        wrong: e > 1000, must be told: an alarm, or a failure
///
/// What is right in its positions may have wrong reactions, which alarms tell as well: right runs have theirs to a
/// hundredth part of their peak.
namespace trammel::test_slow_alarms {
namespace {

namespace fs = std::filesystem;

constexpr double right_limit = 10.0, wrong_limit = 1000.0;
constexpr double right_reactions = 1e-2;
constexpr double least_told = 0.95;
constexpr double reference_tol = 1e-10;
constexpr int n_frames = 100;

// Work, not verdicts: what is recorded until then is compared.
constexpr int most_steps = 20000;
constexpr double most_seconds = 4.0, most_seconds_of_reference = 12.0;

struct Ran {
  Summary summary;
  MemoryRecord record;
  bool cut = false;
};

Ran run(const Study& study, double seconds) {
  Ran ran;
  Simulation simulation(study);
  const std::clock_t start = std::clock();  // of this process: others that run beside it cut nothing
  ran.summary = simulation.run(ran.record, [&](const Progress& p) {
    const double so_far = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ran.cut = so_far > seconds || (seconds <= most_seconds && p.steps > most_steps);
    return !ran.cut;
  });
  return ran;
}

/// Places and orientations of all bodies, and reactions of all joints, one frame per time.
struct Frames {
  std::map<double, std::vector<double>> of_time, reactions;
};

Frames gather(const Study& study, const MemoryRecord& record) {
  Frames frames;
  std::vector<Series> series, reactions;
  for (const BodySpec& body : study.model.bodies) {
    series.push_back(record.read(body.name + ".position"));
    series.push_back(record.read(body.name + ".orientation"));
  }
  for (const JointSpec& joint : study.model.joints) reactions.push_back(record.read(joint.name + ".reaction_force"));
  for (std::size_t i = 0; i < record.times().size(); ++i) {
    std::vector<double>& row = frames.of_time[std::round(record.times()[i] * 1e9) * 1e-9];
    row.clear();
    for (const Series& s : series)
      for (Eigen::Index c = 0; c < s.values.cols(); ++c) row.push_back(s.values(static_cast<Eigen::Index>(i), c));
    std::vector<double>& forces = frames.reactions[std::round(record.times()[i] * 1e9) * 1e-9];
    forces.clear();
    for (const Series& s : reactions)
      for (Eigen::Index c = 0; c < s.values.cols(); ++c) forces.push_back(s.values(static_cast<Eigen::Index>(i), c));
  }
  return frames;
}

constexpr std::size_t per_body = 7;

double calc_turn(const double* a, const double* b) {
  const Eigen::Quaterniond p(a[0], a[1], a[2], a[3]), q(b[0], b[1], b[2], b[3]);
  return p.angularDistance(q);
}

/// (1).
double calc_error(const Frames& frames, const Frames& reference, double rtol, double atol) {
  if (frames.of_time.empty() || reference.of_time.empty()) return 0.0;
  const std::vector<double>& first = reference.of_time.begin()->second;
  const std::size_t n = first.size() / per_body;
  const auto way = [&](const std::vector<double>& a, const std::vector<double>& b, std::size_t i) {
    return (Eigen::Vector3d(a.data() + per_body * i) - Eigen::Vector3d(b.data() + per_body * i)).norm();
  };
  const auto turn = [&](const std::vector<double>& a, const std::vector<double>& b, std::size_t i) {
    return calc_turn(a.data() + per_body * i + 3, b.data() + per_body * i + 3);
  };
  double length = 0.0, angle = 0.0, off = 0.0, turned = 0.0;
  for (const auto& [t, row] : reference.of_time)
    for (std::size_t i = 0; i < n; ++i)
      length = std::max(length, way(row, first, i)), angle = std::max(angle, turn(row, first, i));
  for (const auto& [t, row] : frames.of_time) {
    const auto at = reference.of_time.find(t);
    if (at == reference.of_time.end() || at->second.size() != row.size()) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const double o = way(row, at->second, i), a = turn(row, at->second, i);
      if (!std::isfinite(o) || !std::isfinite(a)) return std::numeric_limits<double>::infinity();
      off = std::max(off, o), turned = std::max(turned, a);
    }
  }
  return std::max(off / (atol + rtol * length), turned / (atol + rtol * angle));
}

/// Largest error of reaction forces beside the largest of all.
double calc_reaction_error(const Frames& frames, const Frames& reference) {
  double peak = 0.0, off = 0.0;
  for (const auto& [t, row] : reference.reactions)
    for (const double value : row) peak = std::max(peak, std::abs(value));
  for (const auto& [t, row] : frames.reactions) {
    const auto at = reference.reactions.find(t);
    if (at == reference.reactions.end() || at->second.size() != row.size()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) off = std::max(off, std::abs(row[i] - at->second[i]));
  }
  return peak > 0.0 ? off / peak : 0.0;
}

/// The file's method and tolerances taken away: what is left are defaults.
Study plain(Study study) {
  const SolverOptions given = study.solver;
  study.solver = {};
  study.solver.redundant = given.redundant;
  study.output.every_step.reset();
  study.output.interval = study.analysis.span() / n_frames;
  return study;
}

struct Reference {
  std::map<Integrator, Frames> frames;  // by the method that made them
  const Frames* other_than(Integrator method) const {
    for (const auto& [made_by, f] : frames)
      if (made_by != method) return &f;
    return nullptr;
  }
};

/// Two tight runs of different methods that agree to a tenth of the default tolerance; none if there are no such.
std::optional<Reference> find_reference(const Study& study) {
  Reference found;
  for (const Integrator method : {Integrator::radau, Integrator::bdf, Integrator::runge_kutta}) {
    for (const CoordinateSet coordinates : {CoordinateSet::joint, CoordinateSet::absolute}) {
      if (found.frames.contains(method)) continue;
      Study tight = plain(study);
      tight.solver.integrator = method;
      tight.solver.coordinates = coordinates;
      tight.solver.rtol = reference_tol, tight.solver.atol = 0.1 * reference_tol;
      try {
        const Ran ran = run(tight, most_seconds_of_reference);
        if (ran.cut || !ran.summary.completed) continue;
        found.frames[method] = gather(tight, ran.record);
      } catch (const InputError&) {
      }
    }
    if (found.frames.size() < 2) continue;
    const Frames &a = found.frames.begin()->second, &b = std::next(found.frames.begin())->second;
    if (calc_error(a, b, 1e-5, 1e-7) < 0.1) return found;
    if (found.frames.size() > 2) break;
    found.frames.erase(found.frames.begin());
  }
  return std::nullopt;
}

enum class Verdict { right, between, wrong };

struct Counts {
  int right = 0, false_alarms = 0, between = 0, told_between = 0, wrong = 0, told = 0;
  int failed = 0, refused = 0, cut = 0, unknown = 0, alarms_of_unknown = 0;
};

struct Judged {
  double error = 0.0;
  bool told = false;
  std::string alarms;
};

/// Adds a run to the counts; false: refused.
bool judge(const Study& study, const Reference& reference, const std::string& name, Counts& counts, Judged& judged) {
  try {
    const Ran ran = run(study, most_seconds);
    const double rtol = study.solver.h ? 1e-5 : study.solver.rtol.value_or(1e-5);
    const double atol = study.solver.h ? 1e-7 : study.solver.atol.value_or(1e-7);
    const Frames* other = reference.other_than(study.solver.integrator.value_or(Integrator::generalized_alpha));
    if (other == nullptr) {
      ++counts.unknown;
      counts.alarms_of_unknown += !ran.summary.alarms.empty();
      for (const Alarm& alarm : ran.summary.alarms)
        std::cout << fmt::format("UNKNOWN {}: {} ({:.3g} > {:.3g})\n", name, alarm.name, alarm.value, alarm.limit);
      return true;
    }
    const Frames frames = gather(study, ran.record);
    judged.error = calc_error(frames, *other, rtol, atol);
    const bool right = judged.error <= right_limit && calc_reaction_error(frames, *other) <= right_reactions;
    judged.alarms.clear();
    for (const Alarm& alarm : ran.summary.alarms)
      judged.alarms += fmt::format("{} ({:.3g} > {:.3g}) ", alarm.name, alarm.value, alarm.limit);
    const bool failed =
        !ran.cut && ran.summary.t < study.analysis.start.value_or(default_start) + study.analysis.span();
    judged.told = !ran.summary.alarms.empty() || failed;
    if (failed && judged.alarms.empty()) judged.alarms = "failed";
    counts.cut += ran.cut;
    if (judged.error <= right_limit && failed) {
      ++counts.failed;  // right as far as it went, and told that it went no further
    } else if (right) {
      ++counts.right;
      // That rank is lost is a property of the motion, right or wrong: with a fixed step luck decides how it goes on.
      const bool false_alarm = std::any_of(ran.summary.alarms.begin(), ran.summary.alarms.end(),
                                           [](const Alarm& alarm) { return alarm.name != "rank lost in motion"; });
      counts.false_alarms += false_alarm;
      if (false_alarm) std::cout << fmt::format("FALSE   {} error {:.3g}: {}\n", name, judged.error, judged.alarms);
    } else if (judged.error > wrong_limit) {
      ++counts.wrong;
      counts.told += judged.told;
      if (!judged.told) std::cout << fmt::format("MISSED  {} error {:.3g}\n", name, judged.error);
    } else {
      ++counts.between;
      counts.told_between += judged.told;
    }
    if (std::getenv("TRAMMEL_ALARMS_ALL"))
      std::cout << fmt::format("all     {} error {:.3g}: {}\n", name, judged.error, judged.alarms);
    return true;
  } catch (const InputError&) {
    ++counts.refused;
    return false;
  }
}

void tell(const std::string& what, const Counts& c) {
  std::cout << fmt::format(
      "{}: right {} (false alarms {}), between {} (told {}), wrong {} (told {}), failed {}, refused {}, cut {}, "
      "unknown {} (alarms {})\n",
      what, c.right, c.false_alarms, c.between, c.told_between, c.wrong, c.told, c.failed, c.refused, c.cut, c.unknown,
      c.alarms_of_unknown);
}

std::vector<std::string> find_examples() {
  std::vector<std::string> found;
  const fs::path root = places::source_dir() / "examples";
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".toml" && entry.path().parent_path().filename() != "parts")
      found.push_back(fs::relative(entry.path(), root).string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Each example as it is written and with nothing but defaults, each integrator, both coordinate sets.
class AlarmsOfExamples : public ::testing::TestWithParam<std::string> {};

TEST_P(AlarmsOfExamples, that_are_right_are_none) {
  Study study;
  try {
    study = read_study(places::source_dir() / "examples" / GetParam());
  } catch (const InputError&) {
    GTEST_SKIP() << "a part of other models";
  }
  if (study.analysis.kind.value_or(AnalysisKind::dynamics) != AnalysisKind::dynamics) GTEST_SKIP() << "not a motion";
  // Large machines are looked at for a part of their analysis. Where no two methods agree, nothing is known but whether
  // there are alarms.
  constexpr std::size_t many = 8;
  if (study.model.bodies.size() > many || !study.model.beams.empty())
    study.analysis.end = study.analysis.start.value_or(default_start) + 0.05 * study.analysis.span();
  const Reference reference = find_reference(study).value_or(Reference{});
  Counts counts;
  for (const bool as_written : {true, false})
    for (const WordOf<Integrator>& integrator : words_of<Integrator>())
      for (const WordOf<CoordinateSet>& coordinates : words_of<CoordinateSet>()) {
        Study chosen = as_written ? study : plain(study);
        chosen.output.interval = study.analysis.span() / n_frames;
        chosen.output.every_step.reset();
        chosen.solver.integrator = integrator.value;
        chosen.solver.coordinates = coordinates.value;
        chosen.solver.formulation.reset();
        drop_foreign(chosen);
        Judged judged;
        judge(chosen, reference,
              fmt::format("{} {} {} {}", GetParam(), integrator.name, coordinates.name,
                          as_written ? "as written" : "defaults"),
              counts, judged);
      }
  tell(GetParam(), counts);
  std::cout.flush();
  EXPECT_EQ(counts.false_alarms, 0);
}

INSTANTIATE_TEST_SUITE_P(All, AlarmsOfExamples, ::testing::ValuesIn(find_examples()), name_of);

// ---- machines that no limit was found with -------------------------------------------------------------------------

/// A machine by its number: six families, sizes and speeds at random.
std::string make_machine(int number) {
  std::mt19937 random(4711u + static_cast<unsigned>(number));
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const double size = std::exp(uniform(std::log(0.05), std::log(3.0)));
  std::string text = "gravity = [0, 0, -9.81]\n";
  const auto body = [&](const std::string& name, const Eigen::Vector3d& at, double mass, double across,
                        const std::string& more = "") {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nmass = {:.6g}\ninertia = [{:.6g}, {:.6g}, {:.6g}]\nposition = [{:.17g}, {:.17g}, "
        "{:.17g}]\n{}",
        name, mass, 0.1 * mass * across * across, 0.13 * mass * across * across, 0.17 * mass * across * across, at.x(),
        at.y(), at.z(), more);
  };
  const auto joint = [&](const std::string& name, const std::string& kind, const std::string& a, const std::string& b,
                         const Eigen::Vector3d& at, const Eigen::Vector3d& axis) {
    text += fmt::format(
        "[[joint]]\nname = \"{}\"\nkind = \"{}\"\nbodies = [\"{}\", \"{}\"]\npoint = [{:.17g}, {:.17g}, "
        "{:.17g}]\n",
        name, kind, a, b, at.x(), at.y(), at.z());
    if (kind != "spherical") text += fmt::format("axis = [{:.17g}, {:.17g}, {:.17g}]\n", axis.x(), axis.y(), axis.z());
  };
  const auto flat = [&](const std::string& name, const Eigen::Vector3d& at, double mass) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nkind = \"planar\"\nnormal = \"y\"\nmass = {:.6g}\ninertia = {:.6g}\nposition = "
        "[{:.17g}, 0, {:.17g}]\n",
        name, mass, 0.2 * mass * size * size, at.x(), at.z());
  };
  const auto pin = [&](const std::string& name, const std::string& a, const std::string& b, const Eigen::Vector3d& at) {
    text += fmt::format(
        "[[joint]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\npoint = [{:.17g}, "
        "0, {:.17g}]\n",
        name, a, b, at.x(), at.z());
  };
  const auto direction = [&] {
    return Eigen::Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(0.2, 1)).normalized().eval();
  };
  double end = 1.0;
  switch (number % 6) {
    case 0: {  // an open chain with hinges anyhow, held by springs
      const int n = 1 + static_cast<int>(uniform(0, 2.99));
      Eigen::Vector3d at(0, 0, 0);
      std::string last = "ground";
      for (int i = 0; i < n; ++i) {
        const Eigen::Vector3d along = size * direction();
        const std::string name = fmt::format("link_{}", i), hinge = fmt::format("hinge_{}", i);
        body(name, at + 0.5 * along, uniform(0.5, 3.0), size);
        joint(hinge, "revolute", last, name, at, direction());
        text += fmt::format(
            "[[force]]\nname = \"spring_{}\"\nkind = \"joint_spring\"\njoint = \"{}\"\nstiffness = "
            "{:.6g}\ndamping = {:.6g}\n",
            i, hinge, uniform(0.0, 30.0) * size * size, i == 0 ? uniform(0.0, 0.05) * size * size : 0.0);
        at += along, last = name;
      }
      end = uniform(2.0, 6.0) * std::sqrt(size);
      break;
    }
    case 1: {  // a spinning body that hangs by a ball joint
      const Eigen::Vector3d arm = size * Eigen::Vector3d(uniform(0.3, 1.0), 0.0, uniform(0.1, 1.0));
      body(
          "top", arm, uniform(0.5, 3.0), size,
          fmt::format("angular_velocity = [{:.6g}, {:.6g}, {:.6g}]\n", uniform(-3, 3), uniform(-3, 3), uniform(5, 30)));
      joint("ball", "spherical", "ground", "top", Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ());
      end = uniform(1.0, 3.0) * std::sqrt(size);
      break;
    }
    case 2: {  // a four-bar linkage that falls
      const double crank = size, ground = size * uniform(2.0, 2.6), angle = uniform(0.6, 1.4);
      const Eigen::Vector3d a(0, 0, 0), d(ground, 0, 0),
          b = crank * Eigen::Vector3d(std::cos(angle), 0, std::sin(angle));
      const Eigen::Vector3d c = d + size * uniform(1.6, 2.2) * Eigen::Vector3d(std::cos(1.2), 0, std::sin(1.2));
      flat("crank", 0.5 * (a + b), 1.0), flat("coupler", 0.5 * (b + c), uniform(0.5, 2.0));
      flat("rocker", 0.5 * (c + d), uniform(0.5, 2.0));
      pin("a", "ground", "crank", a), pin("b", "crank", "coupler", b);
      pin("c", "coupler", "rocker", c), pin("d", "ground", "rocker", d);
      end = uniform(1.0, 2.5) * std::sqrt(size);
      break;
    }
    case 3: {  // masses in a row on springs, pushed periodically
      const int n = 2 + static_cast<int>(uniform(0, 2.99));
      std::string last = "ground";
      const double k = std::exp(uniform(std::log(20.0), std::log(2000.0)));
      for (int i = 0; i < n; ++i) {
        const std::string name = fmt::format("mass_{}", i);
        body(name, {size * (i + 1) * 1.0, 0, 0}, uniform(0.5, 2.0), size);
        joint(fmt::format("rail_{}", i), "prismatic", "ground", name, {size * (i + 1) * 1.0, 0, 0}, {1, 0, 0});
        text += fmt::format(
            "[[force]]\nname = \"spring_{}\"\nkind = \"spring_damper\"\npoint_a = {{ body = \"{}\", at = [0, 0, 0] "
            "}}\npoint_b = {{ body = \"{}\", at = [0, 0, 0] }}\nstiffness = {:.6g}\ndamping = {:.6g}\nfree_length = "
            "{:.6g}\n",
            i, last, name, k * uniform(0.5, 2.0), uniform(0.0, 0.02) * std::sqrt(k), size * uniform(0.85, 0.98));
        last = name;
      }
      text += fmt::format(
          "[[force]]\nname = \"push\"\nkind = \"force\"\nbody = \"{}\"\nforce = [\"{:.6g}*sin({:.6g}*t)\", "
          "0, 0]\n",
          last, 0.04 * k * size, std::sqrt(k) * uniform(0.3, 1.5));
      end = uniform(6.0, 30.0) * 2.0 * std::numbers::pi / std::sqrt(k);
      break;
    }
    case 4: {  // a mass between two stops
      body("hammer", {0, 0, 0}, uniform(0.5, 2.0), size, fmt::format("velocity = [{:.6g}, 0, 0]\n", uniform(0.5, 3.0)));
      joint("rail", "prismatic", "ground", "hammer", {0, 0, 0}, {1, 0, 0});
      text += fmt::format(
          "[[force]]\nname = \"stop\"\nkind = \"joint_limit\"\njoint = \"rail\"\nlower = {:.6g}\nupper = "
          "{:.6g}\nstiffness = {:.6g}\n",
          -size, 0.7 * size, std::exp(uniform(std::log(1e3), std::log(1e7))));
      end = uniform(2.0, 6.0) * size;
      break;
    }
    default: {  // a cart with a pendulum that a control holds back
      body("cart", {0, 0, 0}, uniform(1.0, 5.0), size);
      joint("rail", "prismatic", "ground", "cart", {0, 0, 0}, {1, 0, 0});
      const double angle = uniform(-1.2, 1.2);
      body("bob", size * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle)), 1.0, 0.3 * size);
      joint("hinge", "revolute", "cart", "bob", {0, 0, 0}, {0, 1, 0});
      text += fmt::format(
          "[[force]]\nname = \"hold\"\nkind = \"joint_spring\"\njoint = \"rail\"\nstiffness = {:.6g}\n"
          "damping = {:.6g}\n",
          uniform(5.0, 200.0), uniform(0.0, 1.0));
      end = uniform(3.0, 8.0) * std::sqrt(size);
      break;
    }
  }
  return text + fmt::format("[analysis]\nend = {:.17g}\n", end);
}

struct Case {
  std::string name;
  Study study;
};

/// What can be done wrong to a machine: steps of any size, loose iterations, loose tolerances, forms that drift.
std::vector<Case> make_cases(const Study& study, std::mt19937& random) {
  std::vector<Case> cases;
  const double span = study.analysis.span();
  const auto log_uniform = [&](double a, double b) {
    return std::exp(std::uniform_real_distribution<double>(std::log(a), std::log(b))(random));
  };
  const auto add = [&](const std::string& what, Integrator integrator, const std::function<void(SolverOptions&)>& set) {
    for (const CoordinateSet coordinates : {CoordinateSet::absolute, CoordinateSet::joint}) {
      if (std::uniform_int_distribution<int>(0, 1)(random) == 0 && cases.size() % 2 == 0) continue;
      Study chosen = plain(study);
      chosen.solver.integrator = integrator;
      chosen.solver.coordinates = coordinates;
      set(chosen.solver);
      cases.push_back({fmt::format("{} {} {}", word_of(integrator), word_of(coordinates), what), chosen});
    }
  };
  for (const WordOf<Integrator>& i : words_of<Integrator>()) {
    for (int k = 0; k < 3; ++k) {
      const double h = span / std::round(log_uniform(7.0, 2000.0));
      add(fmt::format("h {:.4g}", h), i.value, [=](SolverOptions& o) { o.h = h; });
    }
    const double tol = log_uniform(1e-6, 1e-2);
    add(fmt::format("tol {:.2g}", tol), i.value, [=](SolverOptions& o) { o.rtol = tol, o.atol = 0.1 * tol; });
  }
  for (const Integrator i :
       {Integrator::generalized_alpha, Integrator::hht, Integrator::newmark, Integrator::midpoint}) {
    const double newton = log_uniform(1e-5, 3e-2), h = span / std::round(log_uniform(200.0, 3000.0));
    add(fmt::format("h {:.4g} newton_tol {:.2g}", h, newton), i,
        [=](SolverOptions& o) { o.h = h, o.newton_tol = newton; });
  }
  const double h = span / std::round(log_uniform(20.0, 2000.0));
  const std::string step = fmt::format("h {:.4g} ", h);
  add(step + "rho_inf 0", Integrator::generalized_alpha, [=](SolverOptions& o) { o.h = h, o.one_step.rho_inf = 0.0; });
  add(step + "alpha -0.3", Integrator::hht, [=](SolverOptions& o) { o.h = h, o.one_step.alpha = -0.3; });
  add(step + "gamma 0.8", Integrator::newmark, [=](SolverOptions& o) { o.h = h, o.one_step.gamma = 0.8; });
  for (const int stages : {1, 2})
    add(step + fmt::format("stages {}", stages), Integrator::radau,
        [=](SolverOptions& o) { o.h = h, o.radau.stages = stages; });
  for (const int order : {1, 2})
    add(step + fmt::format("max_order {}", order), Integrator::bdf,
        [=](SolverOptions& o) { o.h = h, o.bdf.max_order = order; });
  for (const Formulation f : {Formulation::index1, Formulation::index2})
    for (const Integrator i : {Integrator::bdf, Integrator::radau}) {
      const double tol = log_uniform(1e-6, 1e-3);
      add(fmt::format("{} tol {:.2g}", word_of(f), tol), i,
          [=](SolverOptions& o) { o.formulation = f, o.rtol = tol, o.atol = 0.1 * tol; });
    }
  return cases;
}

// Limits were found with machines 0 to 131 of these families.
constexpr int first_machine = 132, n_machines = 24;

class HeldOut : public ::testing::Test {};

TEST_F(HeldOut, runs_that_are_wrong_are_told_and_right_ones_are_not) {
  Counts all;
  int machines = 0;
  const int first =
      std::getenv("TRAMMEL_ALARMS_FIRST") ? std::atoi(std::getenv("TRAMMEL_ALARMS_FIRST")) : first_machine;
  const int last =
      std::getenv("TRAMMEL_ALARMS_LAST") ? std::atoi(std::getenv("TRAMMEL_ALARMS_LAST")) : first_machine + n_machines;
  for (int number = first; number < last; ++number) {
    const Study study = read_study_text(make_machine(number), fmt::format("machine_{}.toml", number));
    const std::optional<Reference> reference = find_reference(study);
    if (!reference) {
      std::cout << "machine " << number << ": no reference\n";
      continue;
    }
    ++machines;
    std::mt19937 random(815u + static_cast<unsigned>(number));
    for (const Case& c : make_cases(study, random)) {
      Judged judged;
      judge(c.study, *reference, fmt::format("machine {} {}", number, c.name), all, judged);
    }
  }
  tell("held out", all);
  EXPECT_GT(machines, n_machines / 2);
  EXPECT_EQ(all.false_alarms, 0);
  EXPECT_GE(all.told, least_told * all.wrong);
  EXPECT_GT(all.wrong, 100);
}

}  // namespace
}  // namespace trammel::test_slow_alarms
