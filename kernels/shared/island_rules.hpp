// SPDX-License-Identifier: BSD-3-Clause
// Runs of pixels, the union-find over them, and the fixed order in which an island's sums are added up.
#pragma once

#include <cstdint>

#include "core/seam/compute/detection.hpp"
#include "kernels/shared/host_device.hpp"

namespace reber::rules {

/// Pixels [x0, x1) of row y, all above the flood threshold; blank or lower ones on both sides. Runs are numbered in
/// raster order, so the root of an island, its smallest run, holds the island's first pixel.
struct Run {
  std::int32_t y, x0, x1;
};

/// Whether runs of neighbouring rows touch. Diagonal neighbours count with connectivity 8 (reach 1).
REBER_HD bool touch(const Run& a, const Run& b, std::int32_t reach) {
  return a.x0 < b.x1 + reach && b.x0 < a.x1 + reach;
}

/// Sums over one run, x counted from its first pixel: exact integers times values, added left to right.
struct RunSums {
  double s, sx, sxx;
  float peak_above;     ///< largest pixel above background
  std::int32_t peak_x;  ///< its column; the first where several are
};

REBER_HD void start_run(RunSums& sums) {
  sums.s = sums.sx = sums.sxx = 0;
  sums.peak_above = 0;
  sums.peak_x = -1;
}

REBER_HD void add_pixel(RunSums& sums, std::int32_t x, std::int32_t x0, float above) {
  const double value = above;
  const double offset = x - x0;
  sums.s += value;
  sums.sx += value * offset;
  sums.sxx += value * (offset * offset);
  if (sums.peak_x < 0 || above > sums.peak_above) {
    sums.peak_above = above;
    sums.peak_x = x;
  }
}

/// The part of an IslandSums that is added up over runs.
struct Partial {
  double s, sx, sy, sxx, sxy, syy;
};

REBER_HD Partial zero_partial() { return {0, 0, 0, 0, 0, 0}; }

/// A run's sums with x and y taken from the island's first pixel instead.
REBER_HD Partial shifted(const RunSums& run, const Run& where, std::int32_t first_y, std::int32_t first_x) {
  const double dx = where.x0 - first_x;
  const double dy = where.y - first_y;
  const double sx = run.sx + dx * run.s;
  return {run.s, sx, dy * run.s, run.sxx + 2 * dx * run.sx + (dx * dx) * run.s, dy * sx, (dy * dy) * run.s};
}

REBER_HD Partial add(const Partial& a, const Partial& b) {
  return {a.s + b.s, a.sx + b.sx, a.sy + b.sy, a.sxx + b.sxx, a.sxy + b.sxy, a.syy + b.syy};
}

/// The island's runs, in raster order, are taken in sections of kSectionRuns. Those of a section go to kIslandLanes
/// partial sums in turn (run k to lane k mod kIslandLanes); the lanes are then added pairwise, lane l to lane l + half,
/// for half = lanes/2 ... 1. One warp does this on a GPU. The sections' sums go to as many lanes and are added the same
/// way.
inline constexpr int kIslandLanes = 32;
inline constexpr int kSectionRuns = 1024;

}  // namespace reber::rules
