// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/contact_model.h"

namespace trammel::detail {

void Assembler::add_contacts() {
  std::unique_ptr<ContactGroup> contacts = make_contact_group(model_, [&](const std::string& body) {
    const int f = frame_of(body);
    return ContactFrame{f, places_[f].com};
  });
  if (!contacts) return;
  AbsoluteSystem& system = *out_.system;
  for (int slot = 0; slot < contacts->n_states() / 3; ++slot)
    for (const char axis : {'x', 'y', 'z'}) {
      const int z = system.add_state(fmt::format("bristle {} of contact place {}", axis, slot + 1), false);
      if (slot == 0 && axis == 'x') contacts->set_first_state(z);
    }
  for (const auto& group : system.groups()) out_.contact_modes += group->n_modes();
  out_.contacts = &system.add_group(std::move(contacts));
}

}  // namespace trammel::detail
