// SPDX-License-Identifier: BSD-3-Clause
// Spectra of a few neighbouring pixels: what the steps of a cube work on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace reber {

/// Plane after plane, each of kPixels values; those from `pixels` on are zero and mean nothing. The values of a strip
/// fit a core's cache, and its loops have a length that the compiler knows.
struct Strip {
  static constexpr std::int64_t kPixels = 256;
  std::int64_t planes = 0;
  std::int64_t pixels = kPixels;  ///< that mean something
  std::int64_t first = 0;         ///< the first one's number in the plane, row after row
  std::vector<float> values;      ///< NaN where blank

  void resize(std::int64_t count) {
    planes = count;
    values.resize(static_cast<std::size_t>(count * kPixels));
  }
  [[nodiscard]] float* plane(std::int64_t k) { return values.data() + k * kPixels; }
  [[nodiscard]] const float* plane(std::int64_t k) const { return values.data() + k * kPixels; }
  [[nodiscard]] bool all_finite() const {
    int blank = 0;
    for (const float v : values) blank |= static_cast<int>(v != v);
    return blank == 0;
  }
};

/// The spectral axis of a cube on its way through the steps.
struct SpectralGrid {
  std::string unit;               ///< of `at`: "km/s" or "Hz"
  std::string convention;         ///< in words, for HISTORY
  std::vector<double> at, width;  ///< coordinate and width of each channel; widths above 0
  double offset = 0, step = 1;    ///< channel i lies at channel offset + step i of the input's axis, from 0
};

/// A step that makes spectra of spectra, each pixel's of its own.
class SpectrumStep {
 public:
  virtual ~SpectrumStep() = default;
  /// Learns of the axis, before any pixel, and says what becomes of it.
  ///   throws InputError where the step cannot be taken on it
  virtual void plan(SpectralGrid& grid) = 0;
  /// In place; spare: memory to work in. From several threads at once.
  virtual void apply(Strip& strip, Strip& spare) const = 0;
  /// A line for HISTORY, after plan().
  [[nodiscard]] virtual std::string told() const = 0;
};

}  // namespace reber
