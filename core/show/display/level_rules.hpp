// SPDX-License-Identifier: BSD-3-Clause
// Rules of the reduced levels that are drawn zoomed out: one constexpr function for the host and for devices, so that
// every backend makes the same bits. No multiply and add may be fused here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/shape.hpp"

namespace reber::levels {

inline constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kLowest = -std::numeric_limits<float>::infinity();

/// Mean of those of four pixels that are not NaN, summed in this order; NaN where none is.
constexpr float mean_of(float a, float b, float c, float d) {
  const float sum = (a == a ? a : 0) + (b == b ? b : 0) + (c == c ? c : 0) + (d == d ? d : 0);
  const int n = (a == a ? 1 : 0) + (b == b ? 1 : 0) + (c == c ? 1 : 0) + (d == d ? 1 : 0);
  return n > 0 ? sum / static_cast<float>(n) : kBlank;
}

/// A NaN must not win a comparison: it is the lowest value while peaks are sought.
constexpr float blank_low(float v) { return v == v ? v : kLowest; }
constexpr float low_blank(float v) { return v == kLowest ? kBlank : v; }
/// The same of what is not finite.
constexpr float endless_low(float v) { return v - v == 0 ? v : kLowest; }
constexpr float larger(float a, float b) { return a < b ? b : a; }

/// Largest of those of four pixels that are not NaN; NaN where none is, or all are -infinite.
constexpr float peak_of(float a, float b, float c, float d) {
  return low_blank(larger(larger(blank_low(a), blank_low(b)), larger(blank_low(c), blank_low(d))));
}

/// Height of the noise's own peaks over the means of a level: middle and width.
struct Noise {
  float middle = 0, width = 0;
};

/// Between which cells' centres a pixel of an axis lies: index of the lower one and the part of the way to the next.
struct Between {
  std::int64_t low = 0, high = 0;
  float part = 0;
};

constexpr Between between(std::int64_t at, std::int64_t size, std::int64_t cells) {
  const float place = (static_cast<float>(at) + 0.5f) * static_cast<float>(cells) / static_cast<float>(size) - 0.5f;
  const float most = static_cast<float>(cells - 1);
  const float held = place < 0.0f ? 0.0f : most < place ? most : place;
  const auto low = static_cast<std::int64_t>(held);
  return {low, low + 1 < cells - 1 ? low + 1 : cells - 1, held - static_cast<float>(low)};
}

constexpr float lerp(float a, float b, float part) { return a + part * (b - a); }

/// Bilinear between four cells.
constexpr Noise noise_between(const Noise& a, const Noise& b, const Noise& c, const Noise& d, float part_x,
                              float part_y) {
  return {lerp(lerp(a.middle, b.middle, part_x), lerp(c.middle, d.middle, part_x), part_y),
          lerp(lerp(a.width, b.width, part_x), lerp(c.width, d.width, part_x), part_y)};
}

inline constexpr float kFrom = 3, kTo = 4.5f;  ///< widths between which a peak comes in

/// mean + w (peak - mean),  w = smoothstep(kFrom, kTo, (peak - mean - middle) / width); without noise (width 0) every
/// height above the middle stands out.
constexpr float blended(float mean, float peak, const Noise& noise) {
  const float height = peak - mean, above = height - noise.middle;
  float t = above > 0 ? 1.0f : 0.0f;
  if (noise.width > 0) {
    const float steps = (above / noise.width - kFrom) / (kTo - kFrom);
    t = steps < 0.0f ? 0.0f : 1.0f < steps ? 1.0f : steps;
  }
  const float w = t * t * (3 - 2 * t);
  return w >= 1 ? peak : mean + w * height;
}

/// Level k of an image has ceil(n / 2^k) pixels per side.
constexpr Shape level_shape(Shape shape, int level) {
  const std::int64_t step = std::int64_t{1} << level;
  return {(shape.ny + step - 1) / step, (shape.nx + step - 1) / step};
}

/// Levels down to one pixel, level 0 among them.
constexpr int level_count(Shape shape) {
  int count = 1;
  for (Shape s = shape; s.ny > 1 || s.nx > 1; s = {(s.ny + 1) / 2, (s.nx + 1) / 2}) ++count;
  return count;
}

}  // namespace reber::levels
