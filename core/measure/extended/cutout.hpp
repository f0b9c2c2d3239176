// SPDX-License-Identifier: BSD-3-Clause
// The pixels that a structure is measured from.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/mask/mask.hpp"

namespace reber {

/// A rectangle around a structure.
struct Cutout {
  Rect where;
  Mask inside{{}};                                ///< its pixels
  Mask around{{}};                                ///< pixels about it that are nobody's; roots alone have them
  std::vector<float> image, residual, rms, mean;  ///< the first two less the background
  std::vector<float> flux;  ///< of a pixel of this value over that in the image's middle; empty: 1, the beam is one
  double noise_area = 1;    ///< integral of the noise's autocorrelation

  [[nodiscard]] double flux_at(std::size_t i) const { return flux.empty() ? 1 : flux[i]; }
};

}  // namespace reber
