// SPDX-License-Identifier: BSD-3-Clause
// The pixels that a background is measured on: all that its terms ask of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// The brightest pixel of a source.
struct BrightSource {
  double y = 0, x = 0;
  double snr = 0;
  std::int64_t npix = 0;  ///< of its island, above 3 rms
};

/// Islands, and their sums where these were asked for.
struct MaskedIslands {
  std::unique_ptr<IslandMap> map;
  std::vector<IslandSums> sums;
};

/// Of islands, those with a peak above so many rms.
[[nodiscard]] std::vector<BrightSource> brighter_than(double limit, const std::vector<IslandSums>& islands);
/// The thousand brightest of these, the brightest first.
[[nodiscard]] std::vector<BrightSource> brightest(std::vector<BrightSource> sources);

/// A plane of a backend. Every function throws DeviceError and Cancelled.
struct BackgroundPixels {
  Backend& backend;
  const Plane& plane;
  Job job = {};

  /// The least rectangle that holds all finite pixels, which cells are laid on: a frame of blank pixels moves none. The
  /// whole image where there are none. Images without a blank rim cost nine rows, those with one the strips that are
  /// blank.
  [[nodiscard]] Rect part() const;

  /// Sources of a model above so many rms, in raster order of their islands.
  [[nodiscard]] std::vector<BrightSource> sources(const BackgroundModel& model, double limit) const;
  /// S/N of the pixels of a rectangle, its rows without gaps, and where it is; index: of the source about which it is.
  using Look = std::function<void(std::size_t index, std::span<const float> snr, const Rect& where)>;
  /// Shows those about sources, to so many pixels each way: many at a time, from several threads.
  void look_about(const BackgroundModel& model, std::span<const BrightSource> sources, double reach_px,
                  const Look& look) const;
};

/// Islands that a pass leaves out. Fixed, so that the background does not depend on the thresholds of detection.
[[nodiscard]] inline DetectOptions masked_islands(double seed = 5) {
  return {static_cast<float>(seed), 3, 1, Connectivity::eight, false};
}

}  // namespace reber
