// SPDX-License-Identifier: BSD-3-Clause
// Limits of a layer that nobody has set yet.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gui/model/image/pyramid.hpp"
#include "gui/model/image/render_settings.hpp"
#include "gui/model/state.hpp"

namespace reber::gui {

/// Turns runs of at least 16 zeros into NaN: noise has none, they stand for pixels that were never measured.
///   returns whether there was one
bool blank_runs_of_zeros(std::span<float> row);

/// Whether an image has such runs and noise beside them. False for a live run's map, which has no padding.
[[nodiscard]] bool has_padding(const Pyramid& pixels);

/// Some `most` finite values spread over the image, sorted: of the lowest level that is there, means. Those of a
/// session's map came with it, 65536 at most. Padding is left out: runs of zeros, where the rest scatters as noise
/// does.
[[nodiscard]] std::vector<float> sorted_sample(const Pyramid& pixels, std::int64_t most = 65536);

/// sigma = 1.4826 median |v - median|; 0 of no values.
[[nodiscard]] double noise_of(const std::vector<float>& sorted);

/// median - 1.5 sigma, cut to the values there are, and median + 15 sigma, or the brightest thousandth where that is
/// more: as the pictures of `reber run`. Noise is dark but visible, bright sources keep their shape. All values where
/// they are fewer than 64. {0, 1} where nothing is finite.
[[nodiscard]] std::pair<double, double> robust_limits(const std::vector<float>& sorted);

/// Limits as far below `middle` as above it: five times the sample's robust spread about it, or its whole range where
/// half of the values lie at the middle. An empty sample: 1.
[[nodiscard]] std::pair<double, double> even_limits(std::vector<float> sample, double middle);

/// The rule a kind of layer begins with: smooth maps show all their range, what sources leave is even about zero, a
/// model, which has no noise, shows all but the brightest pixels; all others are limited by their noise, as
/// robust_limits() says.
[[nodiscard]] LimitsRule usual_rule(LayerKind kind, const std::vector<float>& sorted);
/// Sets limits by that rule, and a softness that suits them, from the sample, and names the rule. Nothing changes where
/// the sample is empty.
void set_first_limits(RenderSettings& render, LayerKind kind, const std::vector<float>& sorted);

/// What is black in a picture of three colours (noise: Layer::noise), where noise would be of every colour: limits by
/// the noise begin as far above the middle as they do below it, 1.5 sigma at most; others where they begin.
[[nodiscard]] double channel_low(const RenderSettings& render, double noise);

/// Gives a layer its pixels with a sample of them, and its first limits where none are set.
///   sample: sorted_sample() of them
void put_pixels(Layer& layer, std::shared_ptr<const Pyramid> pixels, std::vector<float> sample,
                std::uint64_t generation);
void put_pixels(Layer& layer, std::shared_ptr<const Pyramid> pixels, std::uint64_t generation);

/// 256 values: the part of the sample that lies below low + (high - low) i / 255, for Stretch::histogram.
[[nodiscard]] std::vector<float> cumulative_of(const std::vector<float>& sorted, double low, double high);

}  // namespace reber::gui
