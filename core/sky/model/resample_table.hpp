// SPDX-License-Identifier: BSD-3-Clause
// Weights of interpolation by place between pixels, fitted to what a beam lets through.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/base/words.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// How a value between pixels is found.
enum class Interpolation { fitted, bilinear, nearest };
template <>
inline constexpr auto words<Interpolation> =
    std::to_array<Word<Interpolation>>({{"fitted", Interpolation::fitted, "weights fitted to the beam"},
                                        {"bilinear", Interpolation::bilinear, "of four pixels"},
                                        {"nearest", Interpolation::nearest, "the nearest pixel, for masks"}});

/// Weights of the pixels cell - 3 to cell + 4 along an axis, for a place between `cell` and the next pixel.
struct ResampleTable {
  static constexpr int kTaps = 8;
  static constexpr int kPhases = 128;       ///< places between two pixels, linear between them
  static constexpr int kEntry = 2 * kTaps;  ///< weights of a phase, then what they gain to the next one
  static constexpr int kWidths = 4;         ///< 8, 6, 4 and 2 pixels: narrower where some of the wider are blank
  static constexpr int kFloats = kWidths * kPhases * kEntry;

  Interpolation how = Interpolation::fitted;
  /// [width][phase][entry]; weights of pixels beyond the width are 0.
  std::vector<float> x, y;

  /// The first width that is used.
  [[nodiscard]] int widest() const { return how == Interpolation::fitted ? 0 : kWidths - 1; }
};

/// The weights w of a phase p minimise sum_f W(f)^2 |sum_k w_k e^(-2 pi i f k) - e^(-2 pi i f p)|^2, W the beam's
/// transfer along the axis, at least 1e-4, under conditions: they sum to 1, their centre of mass is the place, and the
/// amplitude of the beam, and of a Gaussian 1.4 times as wide, fitted to the result is 1. Two weights are linear.
///   beam_px   FWHM^2 on the input's grid; empty: a round beam of 3 pixels. Narrower ones count as 2 pixels, wider ones
///             as 5.
[[nodiscard]] ResampleTable resample_table(Interpolation how, const std::optional<Covariance>& beam_px);

/// Rms of noise after interpolation over before, mean over all places between pixels.
///   noise_px  FWHM^2 of the beam that the noise is correlated like on the grid; empty: white noise
[[nodiscard]] double noise_gain(const ResampleTable& table, const std::optional<Covariance>& noise_px);

}  // namespace reber
