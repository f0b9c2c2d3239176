// SPDX-License-Identifier: BSD-3-Clause
// Measures the autocorrelation of an image's noise in patches without sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/base/thread_pool.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/noise_correlation.hpp"
#include "core/seam/compute/noise_sums.hpp"

namespace reber {

/// Where noise is measured: up to 8 x 8 patches of at most 128 x 128 pixels, which hold a rectangle of the image or are
/// spread evenly over it, from both ends alike. In raster order, those of a row with the same rows of the image. Below
/// 1024 pixels on a side they may overlap.
///   part: not empty; what the cells of the background cover, so that a frame of blank pixels changes nothing
[[nodiscard]] std::vector<Rect> noise_patches(const Rect& part);

/// S/N of a patch, its rows without gaps, blanked (NaN) wherever a pixel is no noise. Called from several threads.
using NoisePatch = std::function<void(const Rect& where, float* out)>;

/// The autocorrelation R(d) = <n(p) n(p + d)> / <n(p)^2> over pairs of known pixels of the patches, about zero.
/// Uncorrelated noise where fewer than 1000 pixels are known, or 25 reach^2 where the reach is above 44. The answer is
/// the same for any number of threads.
///   reach: largest offset in pixels, on each axis
struct MeasuredCorrelation {
  NoiseCorrelation correlation;
  std::int64_t pixels = 0;  ///< known ones; 0 where nothing could be measured
};
[[nodiscard]] MeasuredCorrelation measure_noise_correlation(const Rect& part, const NoisePatch& patch,
                                                            std::int64_t reach, ThreadPool& pool,
                                                            const Progress& progress = {});

/// The image whose noise is measured, and what is known of it.
struct NoiseOf {
  Backend& backend;
  const Plane& plane;
  const BackgroundModel& background;
  const IslandMap& islands;
};
/// The same of an image's own patches, by the backend where that can sum them, with the same bits.
///   limit, grow: as NoiseField;   throws as Backend::render
[[nodiscard]] MeasuredCorrelation measure_noise_correlation(const NoiseOf& of, std::int64_t reach, float limit,
                                                            std::int64_t grow, ThreadPool& pool, const Job& job);

/// The sums themselves, of some of noise_patches(), which all are longer than the reach.   labels: where islands are,
/// filled when first asked for
[[nodiscard]] NoiseSums sum_noise(const NoiseOf& of, const NoiseQuestion& question, std::optional<LabelRuns>& labels,
                                  ThreadPool& pool, const Job& job);
/// What the sums of all patches say.
[[nodiscard]] MeasuredCorrelation correlation_of(const NoiseSums& sums, std::int64_t reach);

/// The S/N of an image around patches, fetched from a backend, and what is no noise in it.
class NoiseField {
 public:
  /// question: patches in raster order; limit and grow;   labels: stay where they are
  ///   throws as Backend::render
  NoiseField(const NoiseOf& of, const NoiseQuestion& question, const LabelRuns& labels, const Job& job);
  /// As NoisePatch.   where: one of the patches
  void patch(const Rect& where, float* out) const;

 private:
  [[nodiscard]] Rect wide_of(const Rect& patch) const;  ///< with the columns beside it whose sources reach into it

  const LabelRuns& labels_;
  std::vector<Rect> wide_;              ///< of each patch
  std::vector<std::int64_t> first_{0};  ///< of each in pixels_; one more at the end
  std::unique_ptr<float[]> pixels_;
  float limit_;
  std::int64_t grow_;
  Shape image_;
};

/// Blanks what is no noise in the S/N of a rectangle: the runs of islands, pixels of abs(S/N) > limit, and all within
/// `grow` pixels of either along x or y (a square).
void blank_sources(std::vector<float>& snr, const Rect& where, const LabelRuns& labels, float limit, std::int64_t grow);

}  // namespace reber
