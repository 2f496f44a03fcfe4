// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/simulation/kink_watch.h"
#include "trammel/simulation/motion.h"

/// What a run says of its contacts.
namespace trammel {

/// More places are near than there is room for; empty: not so.
std::string find_contact_failure(const Assembly& full, const State& state);

/// For the diagnosis of a step that failed: what pressed, or was about to, where it began.
std::string describe_contacts(const Machine& machine, Viewer& viewer, const Motion& motion);

/// How often surfaces met and parted.
void sum_up_contacts(const Assembly& full, const std::vector<KinkWatch::Change>& changes,
                     std::vector<std::string>& notes);

}  // namespace trammel
