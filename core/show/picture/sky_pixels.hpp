// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a sky picture: reduced so that peaks stay, and coloured.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/base/thread_pool.hpp"
#include "core/show/display/display_scale.hpp"
#include "core/show/picture/pixel_rows.hpp"
#include "core/show/picture/rgb_view.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// Largest finite pixel of each reduce x reduce block, NaN where there is none; the image's first row comes last. The
/// image is asked for once, in bands, and never held as a whole.   throws Cancelled, and what rows throws
[[nodiscard]] Image reduced_peaks(Shape shape, const PixelRows& rows, int reduce, ThreadPool& pool,
                                  const Progress& progress);

/// The same of peaks that somebody found (PixelPeaks).
[[nodiscard]] Image upright_peaks(Shape shape, const std::vector<float>& peaks, int reduce, ThreadPool& pool);

/// The curve of sky pictures: near-linear below a tenth of the range, logarithmic above.
inline constexpr StretchCurve kSkyCurve{Stretch::asinh, 10, 2};

/// Colour s = 0 .. 255 of the sky: that step of kInferno.
[[nodiscard]] Rgb sky_colour(int s);

/// Makes the tables of paint_sky(), which it makes itself when it is first called.
void prepare_to_paint();

/// Values in colours: s = round(255 kSkyCurve((v - low) / (high - low))); grey where not finite.
///   out: a pixel for each value
void paint_sky(ConstImageView values, const DisplayLimits& limits, ThreadPool& pool, RgbView out);

}  // namespace reber
