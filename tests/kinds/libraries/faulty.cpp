// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/mechanics/force_library.h"

// Laws that go wrong at t = 0.2 s, each in its own way; and, compiled with FAULT, libraries that are none.

namespace {

void pull_down(trammel_force_wrench* out) {
  for (int body = 0; body < 2; ++body)
    for (int i = 0; i < 3; ++i) out[body].force[i] = out[body].moment[i] = 0.0;
  out[1].force[2] = -1.0;
}

int refuses(const trammel_force_input* in, trammel_force_wrench* out) {
  pull_down(out);
  return in->t < 0.2 ? 0 : 7;
}

int throws_error(const trammel_force_input* in, trammel_force_wrench* out) {
  pull_down(out);
  if (in->t >= 0.2) throw std::runtime_error("the tank is empty");
  return 0;
}

int throws_number(const trammel_force_input* in, trammel_force_wrench* out) {
  pull_down(out);
  if (in->t >= 0.2) throw 3;
  return 0;
}

int no_number(const trammel_force_input* in, trammel_force_wrench* out) {
  pull_down(out);
  if (in->t >= 0.2) out[1].force[0] = std::numeric_limits<double>::quiet_NaN();
  return 0;
}

const char* reason(int number) { return number == 7 ? "the fuse has blown" : nullptr; }

const char* const none[] = {nullptr};
const trammel_force_law laws[] = {{"refuses", none, refuses, nullptr, nullptr},
                                  {"throws_error", none, throws_error, nullptr, nullptr},
                                  {"throws_number", none, throws_number, nullptr, nullptr},
                                  {"no_number", none, no_number, nullptr, nullptr}};
#ifdef OTHER_INTERFACE
constexpr int interface_number = TRAMMEL_FORCE_INTERFACE + 1;
#else
constexpr int interface_number = TRAMMEL_FORCE_INTERFACE;
#endif
const trammel_force_library_content content{interface_number, 4, laws, reason};

}  // namespace

#ifndef NO_ENTRY
const trammel_force_library_content* trammel_force_library() { return &content; }
#else
const void* other_entry() { return &content; }
#endif
