// SPDX-License-Identifier: BSD-3-Clause
// The noise of every voxel of a cube, and how it is correlated from channel to channel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/cube/spectra_walk.hpp"

namespace reber {

/// Noise of a voxel = rms of its plane x a map of the image, near 1.
///   Plane: median of the absolute values of negative pixels / 0.67449, over every n-th row such that at least 256 are
///   seen. It takes emission for no noise, and asks for a baseline at zero (contsub comes first).
///   Map: the same of pixels over their plane's rms, of all planes, in cells of 16 to 64 pixels; linear between their
///   centres.
///   Correlation: mean product of values l channels apart over the mean square, in spectra without lines: no value
///   above 4 times the rms of the spectrum's own negative values. Up to the lag before the first one below 0.02.
class ChannelNoise {
 public:
  /// Walks over a sample of the rows twice.   given: the noise of every voxel, in place of the measurement
  ///   throws DataError where no plane has enough negative values; Cancelled
  static ChannelNoise measure(const SpectraWalk& walk, std::int64_t planes, const std::optional<double>& given,
                              const Progress& progress);

  [[nodiscard]] const std::vector<double>& planes() const { return planes_; }
  /// Of a plane's pixels from number `first` on.   out: `count` values
  void map(std::int64_t first, std::int64_t count, float* out) const;
  /// By lag, from 1 at lag 0.
  [[nodiscard]] const std::vector<double>& correlation() const { return correlation_; }
  [[nodiscard]] std::vector<std::string> told(const std::string& unit) const;

 private:
  class Measurement;
  Shape shape_;
  std::vector<double> planes_, cells_, correlation_{1};
  std::int64_t cell_ = 64, columns_ = 1, rows_ = 1, unmeasured_ = 0;
  bool given_ = false;
};

}  // namespace reber
