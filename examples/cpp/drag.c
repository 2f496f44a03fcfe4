// SPDX-License-Identifier: Apache-2.0
/* Laws of one's own for model files, without building Trammel:
 *
 *   cc -O2 -shared -fPIC drag.c -o drag.so           (with -I… where Trammel's headers are elsewhere)
 *
 * and in the model, for a force F = −c |v| v on a ball that moves through still air,
 *
 *   [[force]]
 *   name = "drag"
 *   kind = "library"
 *   library = "drag.so"
 *   law = "drag"
 *   bodies = ["ground", "ball"]
 *   parameters = { c = 0.3 }
 */
#include <math.h>
#include <stddef.h>
#include <trammel/mechanics/force_library.h>

/* F = −c |v| v, v relative to the first body; the opposite acts on that. */
static int drag(const trammel_force_input* in, trammel_force_wrench* out) {
  const trammel_force_frame *a = &in->frames[0], *b = &in->frames[1];
  double v[3], speed = 1e-18;
  for (int i = 0; i < 3; ++i) v[i] = b->v[i] - a->v[i], speed += v[i] * v[i];
  speed = sqrt(speed);
  for (int i = 0; i < 3; ++i) {
    out[1].force[i] = -in->parameters[0] * speed * v[i];
    out[0].force[i] = -out[1].force[i];
    out[0].moment[i] = out[1].moment[i] = 0.0;
  }
  return 0;
}

/* ∂F/∂v = −c (|v| 1 + v vᵀ/|v|): columns 6 … 8 of the 12 of each body. */
static int drag_derivatives(const trammel_force_input* in, double* out) {
  const trammel_force_frame *a = &in->frames[0], *b = &in->frames[1];
  double v[3], speed = 1e-18;
  for (int i = 0; i < 3; ++i) v[i] = b->v[i] - a->v[i], speed += v[i] * v[i];
  speed = sqrt(speed);
  for (int n = 0; n < 2 * 6 * 2 * 12; ++n) out[n] = 0.0;
  for (int body = 0; body < 2; ++body)
    for (int by = 0; by < 2; ++by)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double d = -in->parameters[0] * ((i == j ? speed : 0.0) + v[i] * v[j] / speed);
          out[((body * 6 + i) * 2 + by) * 12 + 6 + j] = body == by ? d : -d;
        }
  return 0;
}

/* A band between two points that pulls only when it is longer than L; differences will do. V = ½ k (ℓ − L)². */
static double stretch(const trammel_force_input* in, double* d) {
  double length = 0.0;
  for (int i = 0; i < 3; ++i) d[i] = in->frames[1].p[i] - in->frames[0].p[i], length += d[i] * d[i];
  length = sqrt(length);
  for (int i = 0; i < 3; ++i) d[i] /= length;
  return fmax(0.0, length - in->parameters[1]);
}

static int band(const trammel_force_input* in, trammel_force_wrench* out) {
  double d[3];
  const double pull = in->parameters[0] * stretch(in, d);
  for (int i = 0; i < 3; ++i) {
    out[0].force[i] = pull * d[i];
    out[1].force[i] = -pull * d[i];
    out[0].moment[i] = out[1].moment[i] = 0.0;
  }
  return 0;
}

static double band_energy(const trammel_force_input* in) {
  double d[3];
  const double x = stretch(in, d);
  return 0.5 * in->parameters[0] * x * x;
}

static const char* const drag_parameters[] = {"c", NULL};
static const char* const band_parameters[] = {"k", "L", NULL};
static const trammel_force_law laws[] = {{"drag", drag_parameters, drag, drag_derivatives, NULL},
                                         {"band", band_parameters, band, NULL, band_energy}};
static const trammel_force_library_content content = {TRAMMEL_FORCE_INTERFACE, 2, laws, NULL};

const trammel_force_library_content* trammel_force_library(void) { return &content; }
