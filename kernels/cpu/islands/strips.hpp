// SPDX-License-Identifier: BSD-3-Clause
// Runs of pixels above the thresholds, in strips of rows that threads scan side by side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/seam/compute/detection.hpp"
#include "kernels/cpu/background_rows.hpp"
#include "kernels/shared/island_rules.hpp"

namespace reber::cpu {

inline constexpr std::int64_t kStripRows = 32;

/// Rows [k kStripRows, (k + 1) kStripRows) of an image, cut at its end.
struct Strip {
  std::vector<rules::Run> run;       ///< in raster order
  std::vector<std::uint8_t> seeded;  ///< whether the run holds a pixel above the seed threshold
  std::vector<std::int64_t> in_row;  ///< number of runs in each row that was scanned
  std::vector<float> pixels;         ///< of the runs, where they are kept
};

/// Pixels of a streamed plane's runs are kept, so that measuring them reads nothing; not where that would be much of
/// the image.
class PixelKeeper {
 public:
  explicit PixelKeeper(const CpuPlane& plane) : room_(plane.resident() ? 0 : plane.shape().count() / 32) {}
  /// Of the runs from first_run on, of one row.
  void take(const float* row, std::size_t first_run, Strip& strip);
  /// Those of a strip are not kept any more.
  void give_back(const Strip& strip) { room_ += static_cast<std::int64_t>(strip.pixels.size()); }
  /// None are to be kept.
  void give_up() { room_ = 0; }
  /// Whether all were taken.
  [[nodiscard]] bool whole() const { return room_ > 0; }

 private:
  std::atomic<std::int64_t> room_;
};

/// One thread's memory.
struct StripScratch {
  std::vector<std::uint64_t> flood, seed;
  BackgroundRows::Scratch background;
};

/// Adds the runs of row y to its strip, after those of the rows before.   pixels: readable for Pixels::kSlack floats
/// past the end of the row
void scan_row(const float* pixels, std::int64_t y, std::int64_t nx, const BackgroundRows& rows,
              const DetectOptions& options, PixelKeeper& keeper, StripScratch& scratch, Strip& strip);

}  // namespace reber::cpu
