// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <string>
#include <vector>

#include "trammel/simulation/checked_study.h"
#include "trammel/simulation/summary.h"

namespace trammel::apps {

/// Frames that all runs of a comparison share.
inline constexpr int compared_frames = 200;

/// What a run gives to compare.
struct ComparedRun {
  Eigen::MatrixXd positions, velocities;  ///< of points of bodies: frame × (3 points)
  Eigen::MatrixXd forces, moments;        ///< reactions of joints: frame × (3 joints); empty where they are not unique
  bool complete = false;
  std::string trouble;                ///< why it is not
  std::vector<std::string> left_out;  ///< settings that mean nothing beside its method: "solver.preset"
  Summary summary;
  double seconds = 0.0;  ///< of the processor, for stepping
};

/// How far a run is from another over all frames; NaN: nothing to compare.
struct Deviation {
  double position = 0.0;  ///< largest distance of a point of a body [m]
  double velocity = 0.0;  ///< largest difference of its velocity [m/s]
  double reaction = 0.0;  ///< largest difference of a reaction force or moment, as part of the largest one
};

/// Runs with error control, and gives up after `limit` seconds of the processor.
ComparedRun run_to_compare(CheckedStudy study, double rtol, double limit);

Deviation find_deviation(const ComparedRun& run, const ComparedRun& reference);

/// The diagonal of the box of all positions [m].
double extent_of(const ComparedRun& run);

/// Takes away what the file says for one method and another might not take, so that the program can choose.
std::vector<std::string> leave_open(CheckedStudy& study);

}  // namespace trammel::apps
