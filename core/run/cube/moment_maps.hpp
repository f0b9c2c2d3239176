// SPDX-License-Identifier: BSD-3-Clause
// Moments of spectra, each with its error.
#pragma once

#include <string>
#include <vector>

#include "core/base/words.hpp"
#include "core/run/cube/channel_noise.hpp"

namespace reber {

enum class Moment { zeroth, first, second, width, peak };
template <>
inline constexpr auto words<Moment> =
    std::to_array<Word<Moment>>({{"0", Moment::zeroth, "integral over the spectral axis"},
                                 {"1", Moment::first, "mean coordinate, weighted by brightness"},
                                 {"2", Moment::second, "dispersion of the coordinate, weighted by brightness"},
                                 {"ew", Moment::width, "M0 / (sqrt(2 pi) peak): the dispersion of a Gaussian"},
                                 {"peak", Moment::peak, "largest value"}});

/// What its file's name ends in: "mom0", "ew".
[[nodiscard]] std::string name_of(Moment moment);
/// Unit of the map and of its error.
[[nodiscard]] std::string unit_of(Moment moment, const std::string& brightness, const std::string& coordinate);

/// Moments by MomentSums of the finite values of a spectrum, with x of the grid; the equivalent width by Heyer et al.
/// 2001, as PHANGS (Leroy et al. 2021). NaN where no value is finite, and for moments 1, 2 and the width where M0 is
/// not above 0.
///   Errors: sqrt(sum b_k b_l s_k s_l rho(k - l)), over the values that took part, s the noise of the voxel, rho the
///   correlation of channels, and b the derivative of the moment by the value:
///     0: dx    1: dx (x - M1) / M0    2: dx ((x - M1)^2 - M2^2) / (2 M0 M2)
///     ew: (dx - [k is the peak] M0 / peak) / (sqrt(2 pi) peak)    peak: 1 at the peak
///   The choice of voxels, by a mask, is taken for given.
class MomentMaps {
 public:
  MomentMaps(std::vector<Moment> moments, const SpectralGrid& grid, const ChannelNoise& noise);

  [[nodiscard]] std::size_t maps() const { return 2 * moments_.size(); }
  /// Kernel of all maps: that of moment m in out[2 m], of its error in out[2 m + 1], strip.pixels values each.
  void make(const Strip& strip, const std::vector<float*>& out) const;

 private:
  struct Values;
  void fill(const Strip& strip, Values& values) const;
  void value(Moment moment, const Values& values, std::int64_t pixels, float* out) const;
  void error(Moment moment, const Strip& strip, const Values& values, float* out) const;
  void add_products(const std::vector<double>& terms, std::vector<double>& sums) const;

  std::vector<Moment> moments_;
  int highest_ = 0;
  double middle_ = 0;
  std::vector<double> at_, width_;
  const ChannelNoise& noise_;
};

}  // namespace reber
