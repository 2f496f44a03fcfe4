#include "run_model.h"
#include "trammel/simulation/channels.h"

// The same machine in absolute and in joint coordinates: the same motion, the same reactions, under the same names.

namespace trammel {
namespace {

struct Machine {
  const char* file;
  double end;  ///< [s] errors of 1e-12 per step must not have grown to the limits
  Settings settings{};
};

// Every rigid example without redundant rows.
const Machine machines[] = {{"01_pendulum/pendulum.toml", 1.0},
                            {"02_double_pendulum/double_pendulum.toml", 0.5},
                            {"03_slider_crank/slider_crank.toml", 0.5},
                            {"04_four_bar/four_bar.toml", 0.25},
                            {"05_heavy_top/heavy_top.toml", 0.1},
                            {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.01},
                            {"07_stiff_slider_crank/stiff_slider_crank.toml", 0.1},
                            {"08_rolling_disc/rolling_disc.toml", 0.5},
                            {"models/chain.toml", 0.2, {"parameters.N=10"}},
                            {"models/governor.toml", 0.3},
                            {"models/sleigh.toml", 0.5},
                            {"models/turntable.toml", 0.3},
                            {"models/wheel.toml", 0.5}};

constexpr double motion_tol = 1e-8, reaction_tol = 1e-6;  // relative to the largest of the channel

Study study_of(const Machine& machine, const std::string& coordinates, const std::string& integrator, double tol) {
  Study study = read_study(example(machine.file), machine.settings);
  SolverOptions solver;
  solver.coordinates = coordinates;
  solver.integrator = integrator;
  solver.rtol = solver.atol = tol;
  solver.redundant = study.solver.redundant;
  solver.hmax = machine.end / 500;  // a driven machine has no error that would limit its steps, and rates follow them
  study.solver = solver;
  study.analysis.end = machine.end;
  study.output = {};
  study.output.interval = machine.end;  // between steps dense output has an error of its own
  return study;
}

// Every channel of the machine, one by one, relative to the largest value of its quantity.
void expect_same(const Recorded& joint, const Recorded& absolute, double motion, double reaction) {
  for (const RecordGroup& group : absolute.record.schema().frames) {
    if (group.path == "/frames/energy" || group.path == "/frames/constraint_drift") continue;
    const bool force = group.path.find("reaction") != std::string::npos ||
                       group.path.find("effort") != std::string::npos ||
                       group.path.find("accel") != std::string::npos || group.path == "/frames/measure";
    double worst = 0.0, scale = 1.0;
    std::string name;
    for (int item = 0; item < group.n_items(); ++item) {
      const std::string channel = group.view.empty() ? group.path : view_path(group, item);
      const Eigen::MatrixXd a = absolute.values(channel), b = joint.values(channel);
      ASSERT_EQ(a.rows(), b.rows());
      scale = std::max(scale, a.cwiseAbs().maxCoeff());
      const bool quaternion = group.path == "/frames/orientation";
      for (Eigen::Index row = 0; row < a.rows(); ++row) {
        const double sign = quaternion && a.row(row).dot(b.row(row)) < 0.0 ? -1.0 : 1.0;
        const double difference = (a.row(row) - sign * b.row(row)).cwiseAbs().maxCoeff();
        if (difference > worst) worst = difference, name = channel;
      }
    }
    EXPECT_LE(worst, (force ? reaction : motion) * scale) << name;
  }
}

TEST(JointCoordinates, agree_with_absolute_ones_in_motion_and_reactions) {
  for (const Machine& machine : machines) {
    SCOPED_TRACE(machine.file);
    const Recorded absolute = run(study_of(machine, "absolute", "radau", 1e-12));
    const Recorded joint = run(study_of(machine, "joint", "radau", 1e-12));
    expect_same(joint, absolute, motion_tol, reaction_tol);
    EXPECT_LE(joint.summary.nv, absolute.summary.nv);
  }
}

}  // namespace
}  // namespace trammel
