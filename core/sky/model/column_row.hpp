// SPDX-License-Identifier: BSD-3-Clause
// A column as a row of a table: name, unit, UCD, meaning, and the value that it has of each thing in the catalogue. All
// catalogues of ours are tables of these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// The place of a thing among the others, from 0.
struct RowNumber {};
/// A column of another catalogue of the same things, in the unit of the row's info.
struct CopyOf {
  const char* name;
};

/// One column of a catalogue of T. A value's type is that of the column: 64-bit float, 64-bit integer, text. It is a
/// member of T, or a function of it.
template <class T>
struct ColumnRow {
  ColumnInfo info;
  std::variant<double T::*, std::int64_t T::*, double (*)(const T&), std::int64_t (*)(const T&),
               std::string (*)(const T&), RowNumber, CopyOf>
      value;
  unsigned tables = ~0U;  ///< bits of the tables that the column stands in, where several share the rows
};

/// The column with its values.   throws InternalError for a CopyOf
template <class T>
[[nodiscard]] Column column_of(ColumnInfo info, const ColumnRow<T>& row, std::span<const T> things) {
  const auto filled = [&](const auto& value_of) {
    std::vector<std::remove_cvref_t<decltype(value_of(things[0]))>> values;
    values.reserve(things.size());
    for (const T& thing : things) values.push_back(value_of(thing));
    return Column{std::move(info), std::move(values)};
  };
  return std::visit(
      [&](const auto& value) -> Column {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, RowNumber>)
          return filled([&](const T& thing) { return static_cast<std::int64_t>(&thing - things.data()); });
        else if constexpr (std::is_same_v<Value, CopyOf>)
          throw InternalError("a copied column without the catalogue that it is copied from");
        else if constexpr (std::is_member_pointer_v<Value>)
          return filled([&](const T& thing) { return thing.*value; });
        else
          return filled(value);
      },
      row.value);
}

/// The columns of one of the tables.   name: makes what a column is called in this catalogue of its info
template <class T, class Name>
[[nodiscard]] std::vector<Column> columns_of(std::span<const ColumnRow<T>> rows, std::span<const T> things,
                                             const Name& name, unsigned table = ~0U) {
  std::vector<Column> columns;
  for (const ColumnRow<T>& row : rows)
    if ((row.tables & table) != 0) columns.push_back(column_of(name(row.info), row, things));
  return columns;
}

/// Name, unit, UCD and meaning of the columns of one of the tables.
template <class T>
[[nodiscard]] std::vector<ColumnInfo> infos_of(std::span<const ColumnRow<T>> rows, unsigned table = ~0U) {
  std::vector<ColumnInfo> infos;
  for (const ColumnRow<T>& row : rows)
    if ((row.tables & table) != 0) infos.push_back(row.info);
  return infos;
}

}  // namespace reber
