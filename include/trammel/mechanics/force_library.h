// SPDX-License-Identifier: Apache-2.0
#pragma once

/* A force law of your own in a shared library that a model file names: plain C, so that any language and compiler can
 * make one, without building Trammel (docs/elements/force_library.md).
 *
 *   [[force]]                               cc -O2 -shared -fPIC drag.c -o drag.so
 *   name = "drag"
 *   kind = "library"
 *   library = "drag.so"
 *   bodies = ["ground", "ball"]
 *   parameters = { c = 0.3 }
 *
 * The library defines the function trammel_force_library(), which returns what it holds. Laws are functions of their
 * arguments: Newton's iteration calls them at trial points, several threads may call them at once, and a step that is
 * rejected was never there. */

#ifdef __cplusplus
extern "C" {
#endif

/* What this header describes. A library of another number is refused. */
#define TRAMMEL_FORCE_INTERFACE 1

/* A body where the force acts on it. World axes: p, v; body axes: w; R turns body axes into the world's. */
typedef struct trammel_force_frame {
  double p[3];    /* position of the point [m] */
  double R[3][3]; /* orientation, R[row][column] */
  double v[3];    /* velocity of the point [m/s] */
  double w[3];    /* angular velocity [rad/s], body axes */
} trammel_force_frame;

/* What acts on a body at that point. */
typedef struct trammel_force_wrench {
  double force[3];  /* [N], world axes */
  double moment[3]; /* [N m] about the point, body axes */
} trammel_force_wrench;

typedef struct trammel_force_input {
  double t;                          /* time [s] */
  int n_frames;                      /* 2: the first body (0), the second (1) */
  const trammel_force_frame* frames; /* of the bodies, the ground's among them */
  const double* parameters;          /* in the order of trammel_force_law.parameters */
} trammel_force_input;

typedef struct trammel_force_law {
  const char* name;
  const char* const* parameters; /* their names; the last is followed by a null */

  /* Writes the wrench on every body. Returns 0, or the number of a reason why it cannot. */
  int (*force)(const trammel_force_input* in, trammel_force_wrench* out);

  /* Null: Trammel takes differences. Else ∂wrench[i]/∂(δp, δβ, v, w)[j], n_frames × 6 × n_frames × 12 numbers,
   * the last index fastest; rows: force, moment; δβ turns the body in its own axes, R (1 + δβ^). */
  int (*derivatives)(const trammel_force_input* in, double* out);

  /* Null: all of the force counts as work. Else the stored energy [J] whose negative gradient it is. */
  double (*potential)(const trammel_force_input* in);
} trammel_force_law;

typedef struct trammel_force_library_content {
  int interface_number; /* TRAMMEL_FORCE_INTERFACE */
  int n_laws;
  const trammel_force_law* laws;
  const char* (*reason)(int number); /* the number that a law returned, in words; may be null */
} trammel_force_library_content;

/* What the library defines. */
const trammel_force_library_content* trammel_force_library(void);

#ifdef __cplusplus
}
#endif
