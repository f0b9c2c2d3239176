// SPDX-License-Identifier: BSD-3-Clause
// Sums of a cell's sorted pixels, four side by side.
#include "kernels/cpu/mesh_cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernels/cpu/simd.hpp"
#include "kernels/shared/cell_clip.hpp"

namespace reber::cpu {
namespace {

Doubles four_doubles(const float* from) {
  HalfFloats raw;
  std::memcpy(&raw, from, sizeof(raw));
  return __builtin_convertvector(raw, Doubles);
}

double sum_of(Doubles a) { return a[0] + a[1] + (a[2] + a[3]); }

/// Sums in kCellLanes lanes, four side by side.
rules::CellSums lane_sums(const float* values, std::int64_t n, double median) {
  constexpr int kWidth = 4, kSide = rules::kCellLanes / kWidth;
  const Doubles pivot = Doubles{} + median;
  Doubles sum[kSide] = {}, sum2[kSide] = {};
  std::int64_t k = 0;
  for (; k + rules::kCellLanes <= n; k += rules::kCellLanes) {
    for (int side = 0; side < kSide; ++side) {
      const Doubles d = four_doubles(values + k + side * kWidth) - pivot;
      sum[side] += d;
      sum2[side] += d * d;
    }
  }
  rules::CellSums total{sum_of(sum[0] + sum[1] + (sum[2] + sum[3])), sum_of(sum2[0] + sum2[1] + (sum2[2] + sum2[3]))};
  for (; k < n; ++k) {
    const double d = static_cast<double>(values[k]) - median;
    total.sum += d;
    total.sum2 += d * d;
  }
  return total;
}

/// Exact sums of whole numbers of 2^unit. Each is cut into upper x 2^18 + lower, so that doubles hold the sums of
/// products of kChunk of them.
rules::WindowSums window_sums(const float* values, std::int64_t n, int unit) {
  constexpr int kCut = rules::kWindowBits / 2;
  constexpr std::int64_t kChunk = 1 << 16;
  constexpr double kRound = 0x1.8p52;  // a number below 2^51, added and taken away, is rounded to a whole one
  const double scale = std::ldexp(1.0, -unit);
  rules::WindowSums total;
  for (std::int64_t begin = 0; begin < n; begin += kChunk) {
    const std::int64_t end = std::min(begin + kChunk, n);
    Doubles sum{}, upper2{}, both{}, lower2{};
    const auto add = [&](Doubles whole) {
      whole *= scale;
      const Doubles upper = (whole * 0x1p-18 + kRound) - kRound, lower = whole - upper * 0x1p18;
      sum += whole;
      upper2 += upper * upper;
      both += upper * lower;
      lower2 += lower * lower;
    };
    std::int64_t k = begin;
    for (; k + 4 <= end; k += 4) add(four_doubles(values + k));
    for (; k < end; ++k) add(Doubles{static_cast<double>(values[k])});
    const auto whole = [](Doubles a) { return static_cast<rules::Int128>(sum_of(a)); };
    total.sum += whole(sum);
    total.squares += static_cast<rules::Uint128>(whole(upper2) * (rules::Int128{1} << 2 * kCut) +
                                                 whole(both) * (rules::Int128{1} << (kCut + 1)) + whole(lower2));
  }
  return total;
}

}  // namespace

ClippedCell clipped_cell(const HeldRows& plane, const Rect& cell, const CellRules& given, CellScratch& scratch) {
  const std::int64_t area = cell.shape().count();
  if (area >= CellSift::kFewest && area <= CellSift::kMost) {
    const std::int64_t n = scratch.sift.gather(plane, cell, true);
    if (!given.enough(n, area)) return kBlankCell;
    if (const auto sifted = scratch.sift.clip(given.clip)) return *sifted;
  }
  return sorted_cell(plane, cell, given, scratch);
}

ClippedCell sorted_cell(const HeldRows& plane, const Rect& cell, const CellRules& given, CellScratch& scratch) {
  const std::int64_t area = cell.shape().count();
  if (static_cast<std::int64_t>(scratch.sorted.size()) < area) scratch.sorted.resize(static_cast<std::size_t>(area));
  scratch.sort.begin(area);
  scratch.sort.gather(plane, cell, true);
  const std::int64_t n = scratch.sort.count();
  if (!given.enough(n, area)) return kBlankCell;
  scratch.sort.sort_into(scratch.sorted.data(), [](std::uint32_t key) { return rules::value_of(key); });
  const float* sorted = scratch.sorted.data();
  const rules::PlainSearch search;
  const auto sums = [sorted](std::int64_t lo, std::int64_t hi, double median) {
    return lane_sums(sorted + lo, hi - lo, median);
  };
  const auto window = [sorted](std::int64_t lo, std::int64_t hi, int unit) {
    return window_sums(sorted + lo, hi - lo, unit);
  };
  const auto exact = [&](std::int64_t lo, std::int64_t hi) {
    return rules::exact_moments(sorted, lo, hi, window, search);
  };
  const rules::CellClip clip =
      rules::clip_sorted_cell(sorted, n, given.clip.kappa, given.clip.max_rounds, sums, exact, search);
  return {clip.median, clip.mean, clip.std};
}

}  // namespace reber::cpu
