// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/formulations/index3.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/initial_conditions.h"
#include "trammel/simulation/options.h"

/// What is refused (InputError) or noted of a machine before it moves.
namespace trammel {

/// Refuses a run in which `travel` leads a body off its track.
void check_track_lengths(const Study& study, const Assembly& full);

/// Refuses a singular position that the machine does not leave, or not with the velocity it has.
void check_singular_start(const Assembly& full, const LastingRedundancy& redundancy);

/// A row that others imply is left out; one that contradicts them (a motion of a locked joint) is refused.
void check_dropped_rows(const Model& model, const Assembly& full, const std::vector<int>& dropped,
                        const MotionVariables& x, const State& state, Workspace& workspace);

/// No force of any size moves a body from one place to another at once: a motion whose coordinate jumps within the run
/// has no solution. Seen where formulas and tables show an instant; kinematics has places alone and may jump.
void refuse_position_jumps(const Study& study, const Assembly& full, const MotionVariables& x, const State& state);

/// Kinematics and inverse dynamics follow motions: nothing else may decide where the machine goes.
void refuse_free_freedoms(const Study& study, AnalysisKind asked, const Index3& index3, int rank,
                          const MotionVariables& x, const State& state);

/// They go from place to place by what motions say of each. States, and what rows on velocities lead to, follow from
/// all that was before: a machine that has such is computed as dynamics, which is the same motion, and that is noted.
void integrate_where_needed(const Assembly& full, Study& study, std::vector<std::string>& notes);

/// A particle does not turn: what holds it beside its place holds it by an arm that keeps its direction.
void note_arms_of_particles(const Model& model, const Assembly& full, std::vector<std::string>& notes);

/// A tree fills the matrices of implicit methods: large ones are noted, very large ones refused.
void check_joint_costs(const Study& study, const JointSystem& joint, std::vector<std::string>& notes);

/// A joint whose reaction enters a control, or a force that is not along its own coordinate, is no part of the tree:
/// the body that it would carry has its six freedoms, and the joint its rows.
void note_joints_out_of_tree(const Model& model, const Assembly& full, std::vector<std::string>& notes);

/// Settings that are allowed and rarely meant, and tolerances that follow from the machine's size.
void note_settings(const Study& study, int n_rows, std::vector<std::string>& notes);

}  // namespace trammel
