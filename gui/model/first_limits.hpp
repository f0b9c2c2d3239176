// SPDX-License-Identifier: BSD-3-Clause
// Limits of a layer that nobody has set yet.
#pragma once

#include <utility>
#include <vector>

#include "gui/model/pyramid.hpp"
#include "gui/model/render_settings.hpp"

namespace reber::gui {

/// Some `most` finite values spread over the image, sorted: of the lowest level that is there, means. Those of a
/// session's map came with it, 65536 at most.
[[nodiscard]] std::vector<float> sorted_sample(const Pyramid& pixels, std::int64_t most = 65536);

/// median - 1.5 sigma and median + 15 sigma, sigma = 1.4826 median |v - median|, within the values there are: noise is
/// dark but there, a source of five sigma stands out. {0, 1} where nothing is finite.
[[nodiscard]] std::pair<double, double> robust_limits(const std::vector<float>& sorted);

/// 256 values: the part of the sample that lies below low + (high - low) i / 255, for Stretch::histogram.
[[nodiscard]] std::vector<float> cumulative_of(const std::vector<float>& sorted, double low, double high);

}  // namespace reber::gui
