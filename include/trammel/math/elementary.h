// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "trammel/math/scalar.h"

/// Elementary functions of scalars with derivatives, each given once by f, f′ and f″.
///
/// A scalar S lifts them with its own chain rule (S::apply): BasicDual needs f and f′, Taylor2 needs f″ too. Inside, T
/// is the scalar's own component type and may itself carry derivatives. `singular` marks functions whose derivatives
/// can be infinite; there the chain rule uses guarded_product: sqrt(0) of an argument that does not move has derivative
/// 0.
namespace trammel {

namespace detail {

// f(x); f1(x, f) = f′; f2(x, f, f1) = f″.
struct Sqrt {
  static constexpr bool singular = true;
  template <class T>
  static T f(const T& x) {
    using std::sqrt;
    return sqrt(x);
  }
  template <class T>
  static T f1(const T&, const T& f) {
    return 0.5 / f;
  }
  template <class T>
  static T f2(const T& x, const T&, const T& f1) {
    return -0.5 * f1 / x;
  }
};

struct Sin {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::sin;
    return sin(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::cos;
    return cos(x);
  }
  template <class T>
  static T f2(const T&, const T& f, const T&) {
    return -f;
  }
};

struct Cos {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::cos;
    return cos(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::sin;
    return -sin(x);
  }
  template <class T>
  static T f2(const T&, const T& f, const T&) {
    return -f;
  }
};

struct Tan {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::tan;
    return tan(x);
  }
  template <class T>
  static T f1(const T&, const T& f) {
    return 1.0 + f * f;
  }
  template <class T>
  static T f2(const T&, const T& f, const T& f1) {
    return 2.0 * f * f1;
  }
};

struct Asin {
  static constexpr bool singular = true;
  template <class T>
  static T f(const T& x) {
    using std::asin;
    return asin(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::sqrt;
    return 1.0 / sqrt((1.0 - x) * (1.0 + x));  // the product keeps digits near ±1 that 1 − x² would lose
  }
  template <class T>
  static T f2(const T& x, const T&, const T& f1) {
    return x * f1 / ((1.0 - x) * (1.0 + x));
  }
};

struct Acos {
  static constexpr bool singular = true;
  template <class T>
  static T f(const T& x) {
    using std::acos;
    return acos(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::sqrt;
    return -1.0 / sqrt((1.0 - x) * (1.0 + x));
  }
  template <class T>
  static T f2(const T& x, const T&, const T& f1) {
    return x * f1 / ((1.0 - x) * (1.0 + x));
  }
};

struct Atan {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::atan;
    return atan(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    return 1.0 / (1.0 + x * x);
  }
  template <class T>
  static T f2(const T& x, const T&, const T& f1) {
    return -2.0 * x * f1 * f1;
  }
};

struct Exp {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::exp;
    return exp(x);
  }
  template <class T>
  static T f1(const T&, const T& f) {
    return f;
  }
  template <class T>
  static T f2(const T&, const T& f, const T&) {
    return f;
  }
};

struct Log {
  static constexpr bool singular = true;
  template <class T>
  static T f(const T& x) {
    using std::log;
    return log(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    return 1.0 / x;
  }
  template <class T>
  static T f2(const T&, const T&, const T& f1) {
    return -f1 * f1;
  }
};

struct Log10 {
  static constexpr bool singular = true;
  template <class T>
  static T f(const T& x) {
    using std::log10;
    return log10(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    return 0.43429448190325182765 / x;  // log₁₀ e
  }
  template <class T>
  static T f2(const T& x, const T&, const T& f1) {
    return -f1 / x;
  }
};

struct Sinh {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::sinh;
    return sinh(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::cosh;
    return cosh(x);
  }
  template <class T>
  static T f2(const T&, const T& f, const T&) {
    return f;
  }
};

struct Cosh {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::cosh;
    return cosh(x);
  }
  template <class T>
  static T f1(const T& x, const T&) {
    using std::sinh;
    return sinh(x);
  }
  template <class T>
  static T f2(const T&, const T& f, const T&) {
    return f;
  }
};

struct Tanh {
  static constexpr bool singular = false;
  template <class T>
  static T f(const T& x) {
    using std::tanh;
    return tanh(x);
  }
  template <class T>
  static T f1(const T&, const T& f) {
    return (1.0 - f) * (1.0 + f);
  }
  template <class T>
  static T f2(const T&, const T& f, const T& f1) {
    return -2.0 * f * f1;
  }
};

}  // namespace detail

// Kernels in this namespace write sqrt(x) for every scalar, double included, without a using-declaration of their own.
using std::abs, std::acos, std::asin, std::atan, std::atan2, std::ceil, std::cos, std::cosh, std::exp, std::floor;
using std::hypot, std::log, std::log10, std::max, std::min, std::pow, std::round, std::sin, std::sinh, std::sqrt;
using std::tan, std::tanh, std::trunc;

template <Differential S>
S sqrt(const S& x) {
  return x.template apply<detail::Sqrt>();
}
template <Differential S>
S sin(const S& x) {
  return x.template apply<detail::Sin>();
}
template <Differential S>
S cos(const S& x) {
  return x.template apply<detail::Cos>();
}
template <Differential S>
S tan(const S& x) {
  return x.template apply<detail::Tan>();
}
template <Differential S>
S asin(const S& x) {
  return x.template apply<detail::Asin>();
}
template <Differential S>
S acos(const S& x) {
  return x.template apply<detail::Acos>();
}
template <Differential S>
S atan(const S& x) {
  return x.template apply<detail::Atan>();
}
template <Differential S>
S exp(const S& x) {
  return x.template apply<detail::Exp>();
}
template <Differential S>
S log(const S& x) {
  return x.template apply<detail::Log>();
}
template <Differential S>
S log10(const S& x) {
  return x.template apply<detail::Log10>();
}
template <Differential S>
S sinh(const S& x) {
  return x.template apply<detail::Sinh>();
}
template <Differential S>
S cosh(const S& x) {
  return x.template apply<detail::Cosh>();
}
template <Differential S>
S tanh(const S& x) {
  return x.template apply<detail::Tanh>();
}

/// |x|; at 0 every derivative is 0, the mean of the two sides.
template <Differential S>
S abs(const S& x) {
  const double value = value_of(x);
  if (value > 0.0) return x;
  if (value < 0.0) return -x;
  return S(std::abs(value));  // also passes NaN on
}
template <Differential S>
S fabs(const S& x) {
  return abs(x);
}

// Piecewise constant functions: derivative 0 everywhere, also at the jumps.
template <Differential S>
S floor(const S& x) {
  return S(std::floor(value_of(x)));
}
template <Differential S>
S ceil(const S& x) {
  return S(std::ceil(value_of(x)));
}
template <Differential S>
S round(const S& x) {
  return S(std::round(value_of(x)));
}
template <Differential S>
S trunc(const S& x) {
  return S(std::trunc(value_of(x)));
}

/// −1, 0 or 1.
inline double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }
template <Differential S>
S sign(const S& x) {
  return S(sign(value_of(x)));
}

/// a − b·⌊a/b⌋: has the sign of b (unlike C's fmod), so that mod(t, period) is a saw tooth for t < 0 too.
template <class S>
S mod(const S& a, const S& b) {
  return a - b * std::floor(value_of(a) / value_of(b));
}

}  // namespace trammel
