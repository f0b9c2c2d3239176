// SPDX-License-Identifier: BSD-3-Clause
// Gathers the finite pixels of a cell, sorts them by key, clips the sorted array.
#include "kernels/cpu/mesh.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "kernels/cpu/row_maker.hpp"
#include "kernels/cpu/share.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/cell_clip.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cpu {
namespace {

/// Digits of the keys of a cell. Few keys are sorted sooner by narrow digits, whose counts are soon cleared and summed.
template <int kBitsOfOne>
struct Digits {
  static constexpr int kBits = kBitsOfOne, kPasses = (32 + kBits - 1) / kBits;
  static constexpr std::uint32_t kCount = 1u << kBits;
  static std::uint32_t of(std::uint32_t key, int pass) { return key >> (pass * kBits) & (kCount - 1); }
};
using WideDigits = Digits<11>;
using NarrowDigits = Digits<8>;
constexpr std::int64_t kNarrow = 2500;
/// Below this many keys a comparison sort is faster than clearing and scanning three histograms.
constexpr std::int64_t kSmall = 256;
constexpr std::int64_t kLineFloats = 16;  ///< a cache line
/// Neighbouring cells a task at most.
constexpr std::int64_t kMostCellsATask = 8;

/// Memory of one worker, kept from cell to cell.
struct Scratch {
  std::vector<std::uint32_t> keys, spare;
  std::vector<float> sorted;
  std::array<std::uint32_t, NarrowDigits::kPasses * WideDigits::kCount> starts;  ///< pass after pass
};

/// Keys of the finite pixels of a rectangle, and how often each digit of theirs occurs.   returns how many
template <class Digit>
std::int64_t gather_keys(const HeldRows& plane, const Rect& cell, Scratch& scratch) {
  std::uint32_t* const counts = scratch.starts.data();
  std::fill_n(counts, Digit::kPasses * Digit::kCount, 0);
  std::uint32_t* keys = scratch.keys.data();
  std::int64_t n = 0;
  for (std::int64_t y = cell.y0; y < cell.y0 + cell.ny; ++y) {
    const float* row = plane.row(y) + cell.x0;
    // The next cell's part of the row, while this cell is worked on: its short rows defeat the hardware's prefetch.
    for (std::int64_t x = 0; x < cell.nx; x += kLineFloats) __builtin_prefetch(row + cell.nx + x);
    for (std::int64_t x = 0; x < cell.nx; ++x) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, row + x, sizeof(bits));
      if ((bits & 0x7f800000u) == 0x7f800000u) continue;
      const std::uint32_t key = rules::key_of_bits(bits);
      keys[n++] = key;
      for (int pass = 0; pass < Digit::kPasses; ++pass) ++counts[pass * Digit::kCount + Digit::of(key, pass)];
    }
  }
  return n;
}

/// Sorts the gathered keys into scratch.sorted, as floats. Least digit first: three passes of 11 bits over 4096 keys
/// take 15 us, a comparison sort 150 us.
template <class Digit>
void sort_keys(Scratch& scratch, std::int64_t n) {
  float* sorted = scratch.sorted.data();
  if (n < kSmall) {
    std::sort(scratch.keys.begin(), scratch.keys.begin() + n);
    for (std::int64_t k = 0; k < n; ++k) sorted[k] = rules::value_of(scratch.keys[k]);
    return;
  }
  for (int pass = 0; pass < Digit::kPasses; ++pass) {
    std::uint32_t* const starts = scratch.starts.data() + pass * Digit::kCount;
    const bool last = pass == Digit::kPasses - 1;
    if (!last && starts[Digit::of(scratch.keys[0], pass)] == n) continue;  // all keys share this digit
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < Digit::kCount; ++k) {
      const std::uint32_t count = starts[k];
      starts[k] = sum;
      sum += count;
    }
    const std::uint32_t* from = scratch.keys.data();
    if (last) {
      for (std::int64_t k = 0; k < n; ++k) sorted[starts[Digit::of(from[k], pass)]++] = rules::value_of(from[k]);
      return;
    }
    std::uint32_t* to = scratch.spare.data();
    for (std::int64_t k = 0; k < n; ++k) to[starts[Digit::of(from[k], pass)]++] = from[k];
    std::swap(scratch.keys, scratch.spare);
  }
}

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

rules::CellValue cell_value(const HeldRows& plane, const Rect& cell, const MeshOptions& options, double bias,
                            Scratch& scratch) {
  const auto area = static_cast<std::size_t>(cell.shape().count());
  if (scratch.keys.size() < area) {
    scratch.keys.resize(area);
    scratch.spare.resize(area);
    scratch.sorted.resize(area);
  }
  const bool narrow = cell.shape().count() <= kNarrow;
  const std::int64_t n =
      narrow ? gather_keys<NarrowDigits>(plane, cell, scratch) : gather_keys<WideDigits>(plane, cell, scratch);
  if (n < 3 || static_cast<double>(n) < options.min_valid * static_cast<double>(area))
    return {rules::blank_value(), rules::blank_value()};
  narrow ? sort_keys<NarrowDigits>(scratch, n) : sort_keys<WideDigits>(scratch, n);
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
      rules::clip_sorted_cell(sorted, n, options.clip.kappa, options.clip.max_rounds, sums, exact, search);
  return rules::cell_value(clip.median, clip.mean, clip.std, bias, options.centre);
}

/// Of rows of cells [first, last): first ones of groups whose pixels fit a band, then `last`; one group where the plane
/// is resident.
std::vector<std::int64_t> group_edges(const CpuPlane& plane, const MeshGrid& grid, std::int64_t first,
                                      std::int64_t last) {
  std::vector<std::int64_t> edges{first};
  if (!plane.resident())
    for (std::int64_t j = first + 1; j < last; ++j)
      if (grid.rows[j].end - grid.rows[edges.back()].begin > plane.maker()->band_rows()) edges.push_back(j);
  if (last > first) edges.push_back(last);
  return edges;
}

/// Cells of this process's rows [first, last), and those of the others at their places.
void exchange_cells(const MeshGrid& grid, std::int64_t first, std::int64_t last, MeshCells& cells,
                    const JobThreads& threads) {
  Packed packed;
  const auto count = static_cast<std::size_t>((last - first) * grid.nx());
  packed.add(cells.mean.data() + first * grid.nx(), count);
  packed.add(cells.rms.data() + first * grid.nx(), count);
  const std::vector<std::string> all = threads.others()->gather(packed.take(), threads.job().progress());
  for (std::size_t who = 0; who < all.size(); ++who) {
    const std::int64_t at = threads.others()->part(grid.ny(), static_cast<std::int64_t>(who)).first * grid.nx();
    Unpacked unpacked(all[who]);
    std::ranges::copy(unpacked.next<float>(), cells.mean.begin() + at);
    std::ranges::copy(unpacked.next<float>(), cells.rms.begin() + at);
  }
}

}  // namespace

MeshCells measure_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                       const JobThreads& threads) {
  const double bias = clip_bias(options.clip.kappa);
  const std::int64_t count = grid.ny() * grid.nx();
  MeshCells cells;
  cells.mean.resize(static_cast<std::size_t>(count));
  cells.rms.resize(static_cast<std::size_t>(count));
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::int64_t> done{0};
  const auto [own_first, own_last] = own_part(threads, grid.ny());
  const std::vector<std::int64_t> edges = group_edges(plane, grid, own_first, own_last);
  for (std::size_t group = 0; group + 1 < edges.size(); ++group) {
    const std::int64_t first = edges[group] * grid.nx(), last = edges[group + 1] * grid.nx();
    const std::int64_t y0 = grid.rows[edges[group]].begin, y1 = grid.rows[edges[group + 1] - 1].end;
    const HeldRows rows = hold_rows(plane, y0, y1 - y0, threads);
    const std::int64_t chunk = std::clamp<std::int64_t>((last - first) / (8 * threads.threads()), 1, kMostCellsATask);
    threads.for_each_worker((last - first + chunk - 1) / chunk, [&](std::int64_t task, int worker) {
      const std::int64_t begin = first + task * chunk, end = std::min(begin + chunk, last);
      for (std::int64_t cell = begin; cell < end; ++cell) {
        const std::int64_t j = cell / grid.nx(), i = cell % grid.nx();
        const Rect rect{grid.rows[j].begin, grid.cols[i].begin, grid.rows[j].size(), grid.cols[i].size()};
        const auto [mean, rms] = cell_value(rows, rect, options, bias, scratch[static_cast<std::size_t>(worker)]);
        cells.mean[cell] = mean;
        cells.rms[cell] = rms;
      }
      const std::int64_t finished = done += end - begin;
      if (worker == 0) threads.job().report("background", static_cast<double>(finished) / static_cast<double>(count));
    });
  }
  if (threads.others() != nullptr) exchange_cells(grid, own_first, own_last, cells, threads);
  return cells;
}

}  // namespace reber::cpu
