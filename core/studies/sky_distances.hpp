// SPDX-License-Identifier: BSD-3-Clause
// How far pixels of a grid are from a direction.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// sin^2(theta / 2) of the angle between pixels of a grid and a direction: exact at nodes 32 pixels apart, of second
/// degree between three of them.
class SkyDistances {
 public:
  static constexpr std::int64_t kStep = 32;
  /// centre: in the frame of `grid`
  SkyDistances(const Wcs& grid, const SkyPosition& centre, const Rect& area)
      : y0_(area.y0 / (2 * kStep) * 2 * kStep), x0_(area.x0 / (2 * kStep) * 2 * kStep) {
    const std::int64_t ny = (area.y0 + area.ny - y0_ + 2 * kStep - 1) / (2 * kStep) * 2 + 1;
    nx_ = (area.x0 + area.nx - x0_ + 2 * kStep - 1) / (2 * kStep) * 2 + 1;
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const auto sky = grid.to_sky(static_cast<double>(x0_ + i * kStep), static_cast<double>(y0_ + j * kStep));
        const double half = sky ? std::sin(separation_deg(*sky, centre) * (std::numbers::pi / 180) / 2)
                                : std::numeric_limits<double>::quiet_NaN();
        nodes_.push_back(half * half);
      }
  }
  /// Pixels [x, x + count) of row y.
  void row(std::int64_t y, std::int64_t x, std::int64_t count, double* out) const {
    const auto [block_y, low] = part(y - y0_);
    const std::array<double, 3> down = weights(low);
    for (std::int64_t done = 0; done < count;) {
      const auto [block_x, first] = part(x + done - x0_);
      std::array<double, 3> columns{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          columns[i] +=
              down[j] *
              nodes_[static_cast<std::size_t>((2 * block_y + static_cast<std::int64_t>(j)) * nx_ + 2 * block_x) + i];
      const std::int64_t n = std::min(2 * kStep - first, count - done);
      const auto* const right = kWeights.data() + first;
      for (std::int64_t k = 0; k < n; ++k)
        out[done + k] = right[k][0] * columns[0] + right[k][1] * columns[1] + right[k][2] * columns[2];
      done += n;
    }
  }

 private:
  static std::pair<std::int64_t, std::int64_t> part(std::int64_t at) { return {at / (2 * kStep), at % (2 * kStep)}; }
  /// Lagrange's for nodes 0, 1, 2.
  static constexpr std::array<double, 3> weights(std::int64_t at) {
    const double t = static_cast<double>(at) / kStep;
    return {(t - 1) * (t - 2) / 2, t * (2 - t), t * (t - 1) / 2};
  }
  /// Those of all pixels between three nodes.
  static inline const std::array<std::array<double, 3>, 2 * kStep> kWeights = [] {
    std::array<std::array<double, 3>, 2 * kStep> all{};
    for (std::int64_t at = 0; at < 2 * kStep; ++at) all[static_cast<std::size_t>(at)] = weights(at);
    return all;
  }();

  std::int64_t y0_, x0_, nx_ = 0;
  std::vector<double> nodes_;
};

}  // namespace reber
