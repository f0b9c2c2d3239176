// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a sky picture: reduced to its size, then coloured.
#pragma once

#include <opencv2/core.hpp>

#include "core/base/thread_pool.hpp"
#include "core/display/display_scale.hpp"
#include "core/model/image.hpp"

namespace reber {

/// Near-linear below a tenth of the range, logarithmic above.
inline constexpr StretchCurve kPictureCurve{Stretch::asinh, 10, 2};

/// Largest finite pixel of each block of reduce x reduce, NaN where there is none; rows turned so that the first is at
/// the bottom.
[[nodiscard]] cv::Mat reduced_peaks(ConstImageView image, int reduce, ThreadPool& pool);

/// BGR of values as reduced_peaks() gives them; blank ones grey.
[[nodiscard]] cv::Mat coloured(const cv::Mat& values, const DisplayLimits& limits);

}  // namespace reber
