// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution of images whose brightest pixels are far above the noise.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// The part of an image that an FFT in floats must not see: its rounding follows the brightest pixel of a tile.
struct BrightPixels {
  std::vector<std::int64_t> at;  ///< y nx + x
  std::vector<double> excess;    ///< over the image's median, which stands in their place
  double left = 0;               ///< largest distance from the median among the others
};

/// Those more than `level` from `median`, but not more than `most`: then the brightest. Blank pixels are none.
[[nodiscard]] BrightPixels bright_pixels(const Image& image, double median, double level, std::size_t most);

/// What they add to the convolved image: sum of excess x weight over them and their likenesses outside the image, in
/// double, rounded once. threads: 0: all; the bits do not depend on them.
[[nodiscard]] Image response_of(const BrightPixels& bright, Shape shape, const ConvolutionSpec& spec, int threads,
                                const Progress& progress);

struct ConvolvedApart {
  std::unique_ptr<Plane> plane;  ///< null: nothing is gained, or blank pixels would share the response out
  std::size_t pixels = 0;        ///< convolved apart
  double range = 0;              ///< of the others: distance from the median over the noise
};

/// Takes the bright pixels out, convolves the others by `plan`, an FFT, and adds what the bright ones give: the error
/// is that of an image of dynamic range `range`, kFaintRange where their number allows it.
///   range   of the plane: dynamic_range()
///   throws  as Backend::load and Backend::convolve
[[nodiscard]] ConvolvedApart convolve_apart(Backend& backend, const Plane& plane, const ConvolutionPlan& plan,
                                            double range, const TilingPlan& tiling, const Job& job);

inline constexpr double kFaintRange = 1e3;

}  // namespace reber
