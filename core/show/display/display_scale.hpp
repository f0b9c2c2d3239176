// SPDX-License-Identifier: BSD-3-Clause
// How pixel values become levels of a picture: limits, stretches and their inverses.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/show/display/pixel_ranks.hpp"

namespace reber {

enum class Stretch { linear, log, sqrt, square, asinh, power, histogram };
inline constexpr std::array<const char*, 7> kStretchNames{"linear", "log",   "sqrt",     "square",
                                                          "asinh",  "power", "histogram"};

/// Curve from the limits' range to brightness; t and s run from 0 to 1.
///   linear t;  log ln(1 + a t) / ln(1 + a);  sqrt t^1/2;  square t^2;  asinh asinh(a t) / asinh a;  power t^p;
///   histogram: the share of the pixels below
struct StretchCurve {
  Stretch kind = Stretch::asinh;
  double softness = 10;  ///< a
  double power = 2;      ///< p
};

/// t of a brightness s clamped to [0, 1]; NaN stays NaN. The histogram's curve has no formula: linear.
[[nodiscard]] double unstretched(const StretchCurve& curve, double s);

/// Range of values that the colours cover; high > low, both finite.
struct DisplayLimits {
  double low = 0, high = 1;
  friend bool operator==(const DisplayLimits&, const DisplayLimits&) = default;
};

/// How limits are found.
struct LimitsRule {
  enum class Kind { min_max, percentile, zscale, robust, picture, user };
  Kind kind = Kind::robust;
  double percent = 99.5;  ///< percentile: this share of the pixels, half of the rest on either side
  double sigmas_below = 3, sigmas_above = 10;  ///< robust, picture: median - below sigma to median + above sigma
  double contrast = 0.25;                      ///< zscale
  DisplayLimits user;

  friend bool operator==(const LimitsRule&, const LimitsRule&) = default;
};

/// "min-max", "99.5 %", "zscale", "-3 ... +10 sigma", "noise ... 99.9 %" (picture), "user".
[[nodiscard]] std::string name_of(const LimitsRule& rule);

/// Limits over the finite pixels. robust: sigma = 1.4826 times the median absolute deviation. picture: the
/// same, or up to the brightest thousandth where that is more. An image without finite pixels: 0 to 1; a constant one:
/// a range of a millionth above it.   throws Cancelled
[[nodiscard]] DisplayLimits find_limits(ConstImageView image, const LimitsRule& rule, ThreadPool& pool,
                                        const Progress& progress = {});

/// IRAF's sample of an image for zscale: about `size` pixels, at most about `per_line` a line, on a regular mesh.
[[nodiscard]] std::vector<float> zscale_sample(ConstImageView image, int size = 600, int per_line = 120);
/// IRAF's zscale: a line fitted to the sorted sample with rejection (2.5 sigma, 5 rounds, at most half rejected),
/// its slope divided by the contrast, through the median.
[[nodiscard]] DisplayLimits zscale(std::vector<float> sample, double contrast = 0.25);

/// The range made usable: ordered, finite, not empty.
[[nodiscard]] DisplayLimits usable(double low, double high);

}  // namespace reber
