// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/machine.h"

#include <gtest/gtest.h>

#include "machines.h"
#include "trammel/simulation/motion.h"

// A machine is const: whatever moves it, or looks at it, has its own memory.

namespace trammel::testing {
namespace {

void advance(Motion& motion) {
  const StepReport report = motion.advance(10.0);
  ASSERT_TRUE(report.status.ok());
}

TEST(Machine, serves_several_motions_that_do_not_disturb_each_other) {
  for (const char* coordinates : {"absolute", "joint"})
    for (const char* integrator : {"generalized_alpha", "bdf"}) {
      SCOPED_TRACE(std::string(coordinates) + " " + integrator);
      const Study study = study_of(
          arm, {std::string("solver.coordinates=") + coordinates, std::string("solver.integrator=") + integrator});
      const Machine machine(study, {});
      Viewer viewer(machine), other_viewer(machine);
      Motion alone(machine, viewer), ahead(machine, viewer), behind(machine, other_viewer);
      for (int i = 0; i < 20; ++i) advance(alone);
      for (int i = 0; i < 20; ++i) {
        advance(ahead);
        if (i % 2 == 0) advance(behind);
        // Looking at one is not seen by the other, which looks at another instant meanwhile.
        const Shown shown = viewer.show(ahead.method().newest(), ahead.state);
        const double energy = viewer.calc_energy(shown).kinetic;
        other_viewer.show(behind.method().newest(), behind.state);
        EXPECT_EQ(viewer.calc_energy(shown).kinetic, energy);
      }
      expect_same_bits(alone.method().newest(), ahead.method().newest());
      for (int i = 0; i < 10; ++i) advance(behind);
      expect_same_bits(alone.method().newest(), behind.method().newest());
      expect_same_bits(machine.initial(), Machine(study, {}).initial());
    }
}

TEST(Machine, refuses_names_that_nothing_has) {
  const Machine machine(study_of(arm), {});
  EXPECT_EQ(machine.find_coordinates({"link_1"}).size(), 6u);
  EXPECT_EQ(machine.find_coordinates({"link_0", "link_2"}).size(), 12u);
  EXPECT_THROW(machine.find_coordinates({"link_9"}), InputError);
}

}  // namespace
}  // namespace trammel::testing
