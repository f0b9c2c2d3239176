// SPDX-License-Identifier: BSD-3-Clause
// NumPy arrays and tables of columns made of ours, and tables from Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber::python {

template <class Value>
using Array2 = nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<2>>;

/// An array [y, x] that owns its values.
template <class Value>
Array2<Value> array_of(std::vector<Value> values, Shape shape) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nanobind::capsule owner(kept, [](void* at) noexcept { delete static_cast<std::vector<Value>*>(at); });
  return {kept->data(), {static_cast<std::size_t>(shape.ny), static_cast<std::size_t>(shape.nx)}, owner};
}

/// {column: (values, unit, UCD, text)}; texts are a list, numbers an array of double or int64.
[[nodiscard]] nanobind::dict table_of(const Catalogue& catalogue);

/// A path, which is read; or {column: (values, unit)} with values a list of texts or an array of numbers.
///   throws as read_catalogue, on the caller's thread without the interpreter's lock
[[nodiscard]] Catalogue catalogue_of(const nanobind::object& table);

}  // namespace reber::python
