// SPDX-License-Identifier: BSD-3-Clause
// Pixels in several sorted lists that are clipped as one: ranks are found in all lists, sums are differences of each
// list's running sums. The values are those of rules::clip_sorted_cell of the lists merged, since its sums are exact.
#pragma once

#include <cstdint>
#include <vector>

#include "core/seam/compute/statistics.hpp"
#include "kernels/shared/cell_clip.hpp"

namespace reber::cpu {

/// Keys in ascending order and, each kEvery of them, the sums of those before.
class SortedPixels {
 public:
  static constexpr std::int64_t kEvery = 16;

  /// Room for so many keys, which the caller puts in order; then finish() sums them.
  std::uint32_t* begin(std::int64_t count);
  void finish();

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] const std::uint32_t* keys() const { return keys_.data(); }
  /// Whether the sums could be made: not where values differ by more orders of magnitude than 128 bits of squares hold.
  [[nodiscard]] bool summed() const { return summed_; }
  /// All values are whole numbers of 2^unit.
  [[nodiscard]] int unit() const { return unit_; }
  /// Sums of the first `count` values and of their squares, in units and in their squares.
  [[nodiscard]] rules::WindowSums sums_before(std::int64_t count) const;

 private:
  void add(std::uint32_t key, rules::WindowSums& sums) const;

  std::vector<std::uint32_t> keys_;
  std::vector<rules::WindowSums> sums_;
  std::int64_t count_ = 0;
  int unit_ = 0;
  double per_unit_ = 0;
  bool summed_ = false;
};

/// Ranks [lo, hi) of a list.
struct SortedRange {
  const SortedPixels* list;
  std::int64_t lo, hi;
};

/// Clips what several lists hold. Memory of one worker, kept from cell to cell.
class ListsClip {
 public:
  void clear() { ranges_.clear(); }
  /// A list of summed pixels, not empty, which must stay until the clip is done.
  void add(const SortedPixels& list) { ranges_.push_back({&list, 0, list.count()}); }
  [[nodiscard]] std::int64_t kept() const;

  /// What rules::clip_sorted_cell leaves of all lists; kept() > 0. lo and hi are 0 and the number of pixels left.
  [[nodiscard]] rules::CellClip clip(const ClipOptions& options);

 private:
  struct Window {
    const std::uint32_t *begin, *end, *at, *past;
  };
  struct Middle {
    std::uint32_t lower, upper;
  };
  [[nodiscard]] Middle middle_keys(std::int64_t lower, std::int64_t upper);
  [[nodiscard]] Middle few_keys(std::int64_t lower, std::int64_t upper);
  [[nodiscard]] std::uint32_t count_below(std::uint32_t pivot, std::int64_t& below);
  [[nodiscard]] double median(std::int64_t kept);
  [[nodiscard]] rules::MeanStd moments(std::int64_t kept) const;
  [[nodiscard]] bool keep(const rules::CellLimits& limits);

  std::vector<SortedRange> ranges_;
  std::vector<Window> windows_;
  std::vector<std::uint32_t> few_;
};

}  // namespace reber::cpu
