// SPDX-License-Identifier: BSD-3-Clause
// How the values of a layer become colours: what the one fragment shader is told.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/show/display/display_scale.hpp"
#include "core/show/display/reduced_levels.hpp"

namespace reber::gui {

using reber::kStretchNames;
using reber::Stretch;

using reber::Reduction;
inline constexpr std::array<const char*, 3> kReductionNames{"mean", "peak", "blend"};

struct Rgba {
  float red = 0, green = 0, blue = 0, alpha = 1;
  bool operator==(const Rgba&) const = default;
};

/// v -> t = clamp((v - low) / (high - low), 0, 1) -> s = stretch(t) -> c = clamp((s - bias) contrast + 0.5, 0, 1) ->
/// colour map at c (1 - c where inverted).
///   log: log(1 + a t) / log(1 + a), asinh: asinh(a t) / asinh(a), a = softness; power: t^power;
///   histogram: the fraction of the image's pixels below v
struct RenderSettings {
  double low = 0, high = 1;       ///< in the image's unit
  std::string limits = "robust";  ///< rule that low and high follow (gui/model/limits); "manual" where set by hand
  Stretch stretch = Stretch::asinh;
  double softness = 30;  ///< of log and asinh
  double power = 2;
  std::string colour_map = "inferno";
  bool invert = false;
  double bias = 0.5, contrast = 1;
  Rgba blank{0.24f, 0.27f, 0.31f, 1};  ///< NaN
  Reduction reduction = Reduction::blend;
  bool categorical = false;  ///< values are labels: one colour per label, no stretch
  bool operator==(const RenderSettings&) const = default;
};

}  // namespace reber::gui
