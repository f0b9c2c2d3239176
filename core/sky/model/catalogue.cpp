// SPDX-License-Identifier: BSD-3-Clause
// The table of sources.
#include "core/sky/model/catalogue.hpp"

namespace reber {

std::int64_t Catalogue::rows() const {
  if (columns.empty()) return 0;
  return std::visit([](const auto& values) { return static_cast<std::int64_t>(values.size()); },
                    columns.front().values);
}

const Column* Catalogue::find(const std::string& name) const {
  for (const Column& column : columns) {
    if (column.info.name == name) return &column;
  }
  return nullptr;
}

}  // namespace reber
