// SPDX-License-Identifier: BSD-3-Clause
// Limits of a layer that nobody has set yet.
#include "gui/model/first_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "core/run/live/display_tiles.hpp"

namespace reber::gui {

namespace {

std::pair<double, double> middle_and_sigma(const std::vector<float>& sorted) {
  const double median = sorted[sorted.size() / 2];
  // The next farther value, on one side or the other, until half of them are passed.
  std::size_t below = sorted.size() / 2, above = below;
  double deviation = 0;
  for (std::size_t passed = 0; passed <= sorted.size() / 2; ++passed) {
    const double down = below > 0 ? median - sorted[below - 1] : INFINITY,
                 up = above < sorted.size() ? sorted[above] - median : INFINITY;
    deviation = std::min(down, up);
    if (down < up)
      --below;
    else
      ++above;
  }
  return {median, 1.4826 * deviation};
}

/// Place of a part of the values.
float at_part(const std::vector<float>& sorted, double part) {
  return sorted[static_cast<std::size_t>(std::lround(part * static_cast<double>(sorted.size() - 1)))];
}

/// A model without noise is zero far and wide, and lies on one side of its middle.
bool scatters(const std::vector<float>& sorted) {
  constexpr std::size_t kFewest = 100;
  constexpr double kBelow = 2.5;
  if (sorted.size() < kFewest) return false;
  const auto [median, sigma] = middle_and_sigma(sorted);
  return sigma > 0 && median - sorted.front() > kBelow * sigma;
}

}  // namespace

bool blank_runs_of_zeros(std::span<float> row) {
  constexpr std::size_t kLeastRun = 16;
  bool any = false;
  for (std::size_t x = 0, run = 0; x <= row.size(); ++x) {
    if (x < row.size() && row[x] == 0) {
      ++run;
      continue;
    }
    if (run >= kLeastRun) {
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(x - run), run, std::numeric_limits<float>::quiet_NaN());
      any = true;
    }
    run = 0;
  }
  return any;
}

namespace {

struct PixelSample {
  std::vector<float> sorted;
  bool padded = false;  ///< padding was left out
};

PixelSample take_sample(const Pyramid& pixels, std::int64_t most) {
  if (pixels.tiles()) return {pixels.tiles()->sample()};
  const int level = pixels.first_level();
  const Shape shape = pixels.level_shape(level);
  const LevelSample places = LevelSample::of(shape, most);
  std::vector<float> row(static_cast<std::size_t>(shape.nx)), sample, measured;
  const auto take = [&](std::int64_t y, std::vector<float>& to) {
    for (std::int64_t x = places.first_column(y); x < shape.nx; x += places.step)
      if (std::isfinite(row[static_cast<std::size_t>(x)])) to.push_back(row[static_cast<std::size_t>(x)]);
  };
  for (std::int64_t y = places.first_row(); y < shape.ny; y += places.step) {
    pixels.read(level, Reduction::mean, {y, 0, 1, shape.nx}, row.data());
    take(y, sample);
    blank_runs_of_zeros(row);
    take(y, measured);
  }
  std::ranges::sort(measured);
  if (measured.size() == sample.size()) return {std::move(measured)};
  if (scatters(measured)) return {std::move(measured), true};
  std::ranges::sort(sample);
  return {std::move(sample)};
}

}  // namespace

std::vector<float> sorted_sample(const Pyramid& pixels, std::int64_t most) { return take_sample(pixels, most).sorted; }

bool has_padding(const Pyramid& pixels) { return take_sample(pixels, 65536).padded; }

namespace {

/// Fewer values tell no noise: an image so small is shown by all its range.
constexpr std::size_t kFewestForNoise = 64;
constexpr double kBelow = 1.5, kAbove = 15, kBrightest = 0.999;

/// Where the noise sets both limits its middle stands at a fifth of the colours; the farther sources reach above it the
/// darker it is, and their range is seen. Without noise the range alone is shown.
double softness_for(double range, double sigma) {
  constexpr double kOfNoise = 6, kMost = 60, kOfRange = 10, kNoNoise = 1e5;
  const double times = range / ((kBelow + kAbove) * sigma);
  return times < kNoNoise ? std::min(kMost, kOfNoise * std::pow(std::max(1.0, times), 0.75)) : kOfRange;
}

}  // namespace

double noise_of(const std::vector<float>& sorted) { return sorted.empty() ? 0 : middle_and_sigma(sorted).second; }

std::pair<double, double> robust_limits(const std::vector<float>& sorted) {
  if (sorted.empty()) return {0, 1};
  const auto [median, sigma] = middle_and_sigma(sorted);
  const double least = sorted.front(), most = sorted.back();
  if (!(sigma > 0) || sorted.size() < kFewestForNoise)
    return most > least ? std::pair(least, most) : std::pair(least - 0.5, least + 0.5);
  return {std::max(least, median - kBelow * sigma),
          std::max(median + kAbove * sigma, static_cast<double>(at_part(sorted, kBrightest)))};
}

std::pair<double, double> even_limits(std::vector<float> sample, double middle) {
  for (float& v : sample) v = static_cast<float>(std::abs(v - middle));
  std::ranges::sort(sample);
  double reach = sample.empty() ? 1 : 5 * 1.4826 * sample[sample.size() / 2];
  if (!(reach > 0)) reach = sample.back() > 0 ? static_cast<double>(sample.back()) : 1;
  return {middle - reach, middle + reach};
}

LimitsRule usual_rule(LayerKind kind, const std::vector<float>& sorted) {
  LimitsRule rule = limits_rules().front();
  const Product::Look look = look_of(kind);
  if (look == Product::Look::level || sorted.size() < kFewestForNoise) rule.kind = LimitsRule::Kind::min_max;
  if (look == Product::Look::difference) {
    rule.kind = LimitsRule::Kind::robust;
    rule.sigmas_below = rule.sigmas_above = 5;
  }
  if (look == Product::Look::model && sorted.size() >= kFewestForNoise) {
    constexpr double kMost = 99.95, kLeastPart = 0.01;  // of the pixels; of the brightest
    const double high = at_part(sorted, 0.5 + 0.005 * kMost);
    // Few sources on a large image: that part of the pixels lies beside them.
    rule.kind = high > kLeastPart * sorted.back() ? LimitsRule::Kind::percentile : LimitsRule::Kind::min_max;
    rule.percent = kMost;
  }
  return rule;
}

void set_first_limits(RenderSettings& render, LayerKind kind, const std::vector<float>& sorted) {
  if (sorted.empty()) return;
  const LimitsRule rule = usual_rule(kind, sorted);
  std::tie(render.low, render.high) = robust_limits(sorted);
  const bool spread = sorted.back() > sorted.front();
  if (rule.kind == LimitsRule::Kind::min_max && spread) {
    render.low = sorted.front();
    render.high = sorted.back();
  } else if (rule.kind == LimitsRule::Kind::percentile && spread) {
    render.low = at_part(sorted, 0.5 - 0.005 * rule.percent);
    render.high = at_part(sorted, 0.5 + 0.005 * rule.percent);
  } else if (look_of(kind) == Product::Look::difference && spread) {
    const auto [middle, sigma] = middle_and_sigma(sorted);
    if (sigma > 0) {
      render.low = middle - rule.sigmas_below * sigma;
      render.high = middle + rule.sigmas_above * sigma;
    }
  }
  const double sigma = noise_of(sorted);
  if (rule.kind == LimitsRule::Kind::picture && sigma > 0)
    render.softness = softness_for(render.high - render.low, sigma);
  render.limits = name_of(rule);
}

double channel_low(const RenderSettings& render, double noise) {
  constexpr double kMost = 1.5;
  const auto rule = limits_rule(render.limits);
  const bool robust = rule && rule->kind == LimitsRule::Kind::robust;
  if (!robust && !(rule && rule->kind == LimitsRule::Kind::picture)) return render.low;
  const double sigma = robust ? (render.high - render.low) / (rule->sigmas_below + rule->sigmas_above) : noise;
  return render.low + sigma * (rule->sigmas_below + std::min(kMost, rule->sigmas_below));
}

std::vector<float> cumulative_of(const std::vector<float>& sorted, double low, double high) {
  std::vector<float> part(256);
  const auto place = [&](double v) {
    return static_cast<double>(std::ranges::lower_bound(sorted, static_cast<float>(v)) - sorted.begin());
  };
  const double first = place(low), last = place(high);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const double t = static_cast<double>(i) / 255;
    part[i] = static_cast<float>(last > first ? (place(low + (high - low) * t) - first) / (last - first) : t);
  }
  return part;
}

void put_pixels(Layer& layer, std::shared_ptr<const Pyramid> pixels, std::uint64_t generation) {
  std::vector<float> sample = sorted_sample(*pixels);
  put_pixels(layer, std::move(pixels), std::move(sample), generation);
}

void put_pixels(Layer& layer, std::shared_ptr<const Pyramid> pixels, std::vector<float> sample,
                std::uint64_t generation) {
  layer.pixels = std::move(pixels);
  layer.generation = generation;
  layer.sample = std::move(sample);
  layer.noise = noise_of(layer.sample);
  if (layer.limits_set) return;
  set_first_limits(layer.render, layer.kind, layer.sample);
  layer.limits_set = true;
}

}  // namespace reber::gui
