// SPDX-License-Identifier: BSD-3-Clause
// One table of the tables of many planes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/beam.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Rows of planes in the order in which they are added, each with its plane, frequency and beam before its own values,
/// which are not changed. A column that only some planes have holds NaN, 0 or "" in the rows of the others.
class JoinedCatalogue {
 public:
  /// header: of the plane   beam: of its pixels, in place of the header's
  void add(const ImageHeader& header, const std::optional<Beam>& beam, Catalogue catalogue);
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// All rows. HISTORY: the lines that all planes share, then each plane's own. This is empty after it.
  [[nodiscard]] Catalogue take();

 private:
  Catalogue joined_;
  std::int64_t rows_ = 0;
  std::vector<std::pair<std::int64_t, std::vector<std::string>>> histories_;
};

}  // namespace reber
