// SPDX-License-Identifier: BSD-3-Clause
// Islands as runs of pixels: how they are kept.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/plane.hpp"
#include "kernels/shared/island_rules.hpp"

namespace reber::cpu {

/// Pixels of islands, in the order of CpuIslands::by_island, of one streamed plane.
struct KeptPixels {
  std::shared_ptr<const RowMaker> of;
  std::vector<float> pixels;
  std::vector<std::int64_t> first;  ///< of each run in `pixels`; one more at the end
};

/// The accepted islands' runs, twice: by island (raster order within each) for measuring, and by row for drawing.
class CpuIslands final : public IslandMap {
 public:
  CpuIslands(Shape map_shape, DetectOptions options) : shape_(map_shape), options_(options) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(first_run.size()) - 1; }
  [[nodiscard]] const DetectOptions& options() const override { return options_; }

  std::vector<rules::Run> by_island;
  std::vector<std::int64_t> first_run{0};  ///< of each island in by_island; one more at the end
  std::vector<rules::Run> by_row;
  std::vector<std::int32_t> label;      ///< of each run in by_row
  std::vector<std::int64_t> row_begin;  ///< of each row in by_row; one more at the end
  /// Left by labelling, or by the last walk; null where the plane was resident.
  mutable std::shared_ptr<const KeptPixels> kept;

 private:
  Shape shape_;
  DetectOptions options_;
};

}  // namespace reber::cpu
