// SPDX-License-Identifier: BSD-3-Clause
// Nodes of a background that pixels are compared with while its cells are still being measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "core/seam/compute/detection.hpp"

namespace reber {

/// Rows of cells, of `cells`, whose filtered values are final once those before `measured` are measured.
[[nodiscard]] std::int64_t final_rows(std::int64_t cells, std::int64_t measured, int filter);

/// Rows of an image, from row 0, whose background lies between nodes of the first `known` of `cells` rows of cells.
[[nodiscard]] std::int64_t rows_between(const MeshAxis& rows, std::int64_t known, std::int64_t cells);

/// The nodes with which pixels were compared, as though every cell had a value.
class ForetoldNodes {
 public:
  /// mean, rms: values of the nodes; NaN where they were not known
  ForetoldNodes(MeshGrid grid, std::vector<float> mean, std::vector<float> rms, const DetectOptions& options);

  /// Whether the comparison was with a background of that grid, for these thresholds.
  [[nodiscard]] bool are_of(const BackgroundModel& model, const DetectOptions& wanted) const;

  /// Rectangles whose pixels lie between nodes with other bits than were foretold, in raster order: these are to be
  /// read and compared again.   piece: columns that are read again together, at least;   returns empty where they are
  /// so much of the image that all rows are read sooner
  [[nodiscard]] std::optional<std::vector<Rect>> astray(const BackgroundModel& model, std::int64_t piece) const;

 private:
  /// Whether one of the nodes [first, last] of a row is another.
  [[nodiscard]] bool is_other(const BackgroundModel& model, std::int64_t row, std::int64_t first,
                              std::int64_t last) const;

  MeshGrid grid_;
  std::vector<float> mean_, rms_;
  DetectOptions options_;
};

}  // namespace reber
