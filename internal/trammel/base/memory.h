// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace trammel {

class Memory;

/// Has something to remember, by a member or, as plain data, by a function `remember(memory, object)`.
template <class T>
concept Remembering = requires(T& object, Memory& memory) {
  object.remember(memory);
};
template <class T>
concept Remembered = requires(T& object, Memory& memory) {
  remember(memory, object);
};

/// What a run must know to go on where it was, as bytes.
///
/// Whoever watches or moves a run has one function, `void remember(Memory& memory)`, that serves both ways: it gives
/// its members to the memory of a run, and takes them from that of another. It names every data member, in keep() or in
/// leave(); a test (tests/structure/memory.cpp) finds those that it does not, and keep() of a class without such a
/// function does not compile. What is left, and would be found again a little differently (matrices, pivots, points
/// looked at), is lost by both runs, so that they go on with the same bits (simulation/stretches.h).
class Memory {
 public:
  Memory() = default;  ///< takes down what it is given
  /// Gives back what another has taken down. Throws Error if something else is asked for.
  explicit Memory(std::span<const std::byte> bytes) : given_(bytes), gives_(true) {}

  bool gives() const { return gives_; }
  const std::vector<std::byte>& bytes() const { return taken_; }
  std::vector<std::byte> take() { return std::move(taken_); }
  /// Everything was taken.
  void finish() const;

  /// What follows belongs to this class.
  void section(std::string_view name);
  /// In this order.
  template <class... T>
  void keep(T&... members) {
    (pass(members), ...);
  }
  /// Members that are settings, references to others, or room for numbers that are used at once.
  template <class... T>
  void leave(const T&... /*members*/) {}

 private:
  template <class T>
  void pass(T& x) {
    if constexpr (Remembering<T>) {
      x.remember(*this);
    } else if constexpr (Remembered<T>) {
      remember(*this, x);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      pass_bytes(&x, sizeof(T));
    } else if constexpr (requires { x.rows(), x.cols(), x.resize(x.rows(), x.cols()), x.data(); }) {
      pass_matrix(x);
    } else {
      pass_other(x);
    }
  }
  template <class M>
  void pass_matrix(M& x) {
    std::size_t rows = static_cast<std::size_t>(x.rows()), columns = static_cast<std::size_t>(x.cols());
    pass_bytes(&rows, sizeof(rows));
    pass_size(columns, rows * sizeof(*x.data()));
    if (gives_) x.resize(static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(columns));
    pass_bytes(x.data(), rows * columns * sizeof(*x.data()));
  }
  template <class T>
  void pass_other(T& x) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>, "it needs a remember()");
    pass_bytes(&x, sizeof(T));
  }
  template <class T, std::size_t n>
  void pass_other(std::array<T, n>& x) {
    for (T& each : x) pass(each);
  }
  template <class T>
  void pass_other(std::vector<T>& x) {
    std::size_t n = x.size();
    pass_size(n, 1);
    if (gives_) x.resize(n);
    if constexpr (std::is_arithmetic_v<T>)
      pass_bytes(x.data(), n * sizeof(T));
    else
      for (T& each : x) pass(each);
  }
  template <class T>
  void pass_other(std::optional<T>& x) {
    bool has = x.has_value();
    pass(has);
    if (gives_) has ? static_cast<void>(x.emplace()) : x.reset();
    if (has) pass(*x);
  }
  template <class K, class V, class C>
  void pass_other(std::map<K, V, C>& x) {
    std::size_t n = x.size();
    pass_size(n, 1);
    if (!gives_)
      for (auto& [key, value] : x) {
        K copy = key;
        pass(copy), pass(value);
      }
    else
      for (x.clear(); n > 0; --n) {
        K key;
        pass(key), pass(x[key]);
      }
  }
  void pass_other(std::string& x) {
    std::size_t n = x.size();
    pass_size(n, 1);
    if (gives_) x.resize(n);
    pass_bytes(x.data(), n);
  }
  void pass_bytes(void* bytes, std::size_t n);
  /// Of that many bytes each, at least: a size that the rest cannot hold is not believed.
  void pass_size(std::size_t& size, std::size_t bytes_each);

  std::vector<std::byte> taken_;
  std::span<const std::byte> given_;
  bool gives_ = false;
};

}  // namespace trammel
