// Vectors of the library as NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace sortlast::python {

template <typename T>
using Vector = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
template <typename T>
using Matrix = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;

// For properties that return such an array, which keeps nothing else alive.
constexpr auto owned = nanobind::rv_policy::automatic;

// An array that owns the values of a vector.
template <typename T>
Vector<T> array_of(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Vector<T>(kept->data(), {kept->size()}, owner);
}

// Same, as rows of `columns` values.
template <typename T>
Matrix<T> matrix_of(std::vector<T> values, std::size_t columns) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Matrix<T>(kept->data(), {kept->size() / columns, columns}, owner);
}

}  // namespace sortlast::python
