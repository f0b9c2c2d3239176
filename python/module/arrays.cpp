// SPDX-License-Identifier: BSD-3-Clause
// Columns there and back.
#include "python/module/arrays.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <variant>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

template <class Value>
nb::object column_of(const std::vector<Value>& values) {
  auto* const kept = new std::vector<Value>(values);
  const nb::capsule owner(kept, [](void* at) noexcept { delete static_cast<std::vector<Value>*>(at); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner).cast();
}
template <>
nb::object column_of(const std::vector<std::string>& values) {
  return nb::cast(values);
}

std::size_t rows_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

nb::dict table_of(const Catalogue& catalogue) {
  nb::dict columns;
  for (const Column& column : catalogue.columns) {
    const nb::object values = std::visit([](const auto& all) { return column_of(all); }, column.values);
    columns[column.info.name.c_str()] = nb::make_tuple(values, column.info.unit, column.info.ucd, column.info.text);
  }
  return columns;
}

Catalogue catalogue_of(const nb::object& table) {
  if (nb::isinstance<nb::str>(table)) {
    const auto path = nb::cast<std::string>(table);
    const nb::gil_scoped_release without_lock;
    return read_catalogue(path);
  }
  Catalogue catalogue;
  for (const auto& [name, told] : nb::cast<nb::dict>(table)) {
    const auto pair = nb::cast<nb::tuple>(told);
    Column column;
    column.info.name = nb::cast<std::string>(name);
    column.info.unit = nb::cast<std::string>(pair[1]);
    if (pair.size() > 3)
      column.info.ucd = nb::cast<std::string>(pair[2]), column.info.text = nb::cast<std::string>(pair[3]);
    if (nb::isinstance<nb::list>(pair[0])) {
      column.values = nb::cast<std::vector<std::string>>(pair[0]);
    } else {
      const auto numbers = nb::cast<Numbers>(pair[0]);
      column.values = std::vector<double>(numbers.data(), numbers.data() + numbers.shape(0));
    }
    catalogue.columns.push_back(std::move(column));
    const Column &first = catalogue.columns.front(), &last = catalogue.columns.back();
    if (rows_of(last) != rows_of(first))
      throw InputError(fmt::format("column '{}' has {} rows, '{}' has {}: as many in each were expected",
                                   first.info.name, rows_of(first), last.info.name, rows_of(last)));
  }
  return catalogue;
}

}  // namespace reber::python
