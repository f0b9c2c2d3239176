// SPDX-License-Identifier: BSD-3-Clause
// Selection over sorted lists, and exact sums of their ranges.
#include "kernels/cpu/sorted_pixels.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "kernels/shared/float_keys.hpp"

namespace reber::cpu {
namespace {

constexpr int kLeastUnit = -149, kSignificand = 23;

/// First of sorted keys that is not below the key; without a branch that depends on them.
const std::uint32_t* first_not_below(const std::uint32_t* begin, const std::uint32_t* end, std::uint32_t key) {
  std::int64_t n = end - begin;
  while (n > 1) {
    const std::int64_t half = n / 2;
    begin += begin[half - 1] < key ? half : 0;
    n -= half;
  }
  return n == 1 && *begin < key ? begin + 1 : begin;
}

/// The least key of a value above the limit (strict) or, not strict, not below it. Both zeros count as one value.
std::uint32_t key_from(double limit, bool strict) {
  const auto inside = [&](float value) {
    return strict ? static_cast<double>(value) > limit : static_cast<double>(value) >= limit;
  };
  if (limit < -FLT_MAX) return rules::key_of(-FLT_MAX);
  if (limit > FLT_MAX) return rules::key_of(FLT_MAX) + 1;
  auto value = static_cast<float>(limit);
  while (!inside(value)) value = std::nextafterf(value, HUGE_VALF);
  for (float before = std::nextafterf(value, -HUGE_VALF); inside(before) && before != value;) {
    value = before;
    before = std::nextafterf(value, -HUGE_VALF);
  }
  return rules::key_of(value == 0.0f ? -0.0f : value);
}

int bits_of(std::int64_t count) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))); }

double size_of(std::uint32_t key) { return std::abs(static_cast<double>(rules::value_of(key))); }

/// Exponent of a power of two above the value; value > 0.
int exponent_above(double value) { return std::ilogb(value) + 1; }

/// Where to part the largest of windows of keys that are spread alike, so that the wanted rank of all their keys likely
/// comes to lie in the lesser part: at its own place, less what it may be wrong by.
std::int64_t place_of(std::int64_t wanted, std::int64_t all, std::int64_t size) {
  const double part = (static_cast<double>(wanted) + 0.5) / static_cast<double>(all), count = static_cast<double>(size);
  const double error = std::sqrt(count * part * (1 - part)) + 1;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(count * part + (part < 0.5 ? error : -error)), 0, size - 1);
}

}  // namespace

std::uint32_t* SortedPixels::begin(std::int64_t count) {
  count_ = count;
  if (static_cast<std::int64_t>(keys_.size()) < count) keys_.resize(static_cast<std::size_t>(count));
  return keys_.data();
}

void SortedPixels::add(std::uint32_t key, rules::WindowSums& sums) const {
  const auto whole = static_cast<std::int64_t>(static_cast<double>(rules::value_of(key)) * per_unit_);
  sums.sum += whole;
  sums.squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
}

void SortedPixels::finish() {
  summed_ = true;
  unit_ = 0;
  per_unit_ = 0;
  const std::uint32_t* const keys = keys_.data();
  sums_.resize(static_cast<std::size_t>(count_ / kEvery + 1));
  if (count_ == 0) return;
  const std::uint32_t* const zeros = first_not_below(keys, keys + count_, rules::key_of(-0.0f));
  const std::uint32_t* const above = first_not_below(zeros, keys + count_, rules::key_of(0.0f) + 1);
  const double largest = std::max(size_of(keys[0]), size_of(keys[count_ - 1]));
  if (largest > 0) {
    double smallest = largest;
    if (zeros > keys) smallest = std::min(smallest, size_of(zeros[-1]));
    if (above < keys + count_) smallest = std::min(smallest, size_of(*above));
    unit_ = std::max(std::ilogb(smallest) - kSignificand, kLeastUnit);
    per_unit_ = std::ldexp(1.0, -unit_);
    summed_ = exponent_above(largest) - unit_ <= 62 - bits_of(count_);
    if (!summed_) return;
  }
  rules::WindowSums sums;
  for (std::int64_t k = 0; k < count_; ++k) {
    if (k % kEvery == 0) sums_[static_cast<std::size_t>(k / kEvery)] = sums;
    add(keys[k], sums);
  }
  if (count_ % kEvery == 0) sums_[static_cast<std::size_t>(count_ / kEvery)] = sums;
}

rules::WindowSums SortedPixels::sums_before(std::int64_t count) const {
  const std::int64_t whole = count / kEvery;
  rules::WindowSums sums = sums_[static_cast<std::size_t>(whole)];
  for (std::int64_t k = whole * kEvery; k < count; ++k) add(keys_[static_cast<std::size_t>(k)], sums);
  return sums;
}

std::int64_t ListsClip::kept() const {
  std::int64_t sum = 0;
  for (const SortedRange& range : ranges_) sum += range.hi - range.lo;
  return sum;
}

/// Keys below a pivot and, of each window, up to it: at, past.   returns the least key above it
std::uint32_t ListsClip::count_below(std::uint32_t pivot, std::int64_t& below) {
  std::uint32_t next = ~0u;
  for (Window& window : windows_) {
    window.at = first_not_below(window.begin, window.end, pivot);
    window.past = window.at;
    if (window.past < window.end && *window.past == pivot)
      window.past = first_not_below(window.past, window.end, pivot + 1);
    if (window.past < window.end) next = std::min(next, *window.past);
    below += window.at - window.begin;
  }
  return next;
}

/// Of the windows' few keys those of two ranks.
ListsClip::Middle ListsClip::few_keys(std::int64_t lower, std::int64_t upper) {
  few_.clear();
  for (const Window& window : windows_) few_.insert(few_.end(), window.begin, window.end);
  std::ranges::sort(few_);
  return {few_[static_cast<std::size_t>(lower)], few_[static_cast<std::size_t>(upper)]};
}

/// Keys of two ranks of all ranges, equal or next to each other. Windows close in on them: each pivot is of the largest
/// one.
ListsClip::Middle ListsClip::middle_keys(std::int64_t lower, std::int64_t upper) {
  constexpr std::int64_t kFew = 32;
  windows_.clear();
  for (const SortedRange& range : ranges_) {
    const std::uint32_t* keys = range.list->keys();
    windows_.push_back({keys + range.lo, keys + range.hi, nullptr, nullptr});
  }
  for (std::int64_t before = 0;;) {  // keys before all windows
    std::int64_t all = 0;
    const Window* largest = windows_.data();
    for (const Window& window : windows_) {
      all += window.end - window.begin;
      if (window.end - window.begin > largest->end - largest->begin) largest = &window;
    }
    if (all <= kFew) return few_keys(lower - before, upper - before);
    const std::uint32_t pivot = largest->begin[place_of(lower - before, all, largest->end - largest->begin)];
    std::int64_t below = before, through = before;
    const std::uint32_t next = count_below(pivot, below);
    for (const Window& window : windows_) through += window.past - window.begin;
    if (below > upper) {
      for (Window& window : windows_) window.end = window.at;
    } else if (through <= lower) {
      for (Window& window : windows_) window.begin = window.past;
      before = through;
    } else {
      std::uint32_t last = 0;  // below the pivot
      if (below > lower)
        for (const Window& window : windows_)
          if (window.at > window.begin) last = std::max(last, window.at[-1]);
      return {below > lower ? last : pivot, upper < through ? pivot : next};
    }
  }
}

double ListsClip::median(std::int64_t kept) {
  const bool odd = kept % 2 != 0;
  const auto [lower, upper] = middle_keys(odd ? kept / 2 : kept / 2 - 1, kept / 2);
  const double above = rules::value_of(upper);
  return odd ? above : 0.5 * (static_cast<double>(rules::value_of(lower)) + above);
}

rules::MeanStd ListsClip::moments(std::int64_t kept) const {
  int unit = 1 << 20;
  double largest = 0;
  for (const SortedRange& range : ranges_) {
    if (range.lo == range.hi) continue;
    const std::uint32_t* keys = range.list->keys();
    unit = std::min(unit, range.list->unit());
    largest = std::max({largest, size_of(keys[range.lo]), size_of(keys[range.hi - 1])});
  }
  const auto n = static_cast<std::uint64_t>(kept);
  // 128 bits hold n times the sum of squares.
  const bool narrow = largest == 0 || exponent_above(largest) - unit <= 63 - bits_of(kept);
  rules::WindowSums all;
  rules::WideInt<5> wide_sum;
  rules::WideInt<11> wide_squares;
  for (const SortedRange& range : ranges_) {
    if (range.lo == range.hi) continue;
    const rules::WindowSums first = range.list->sums_before(range.lo), last = range.list->sums_before(range.hi);
    const rules::Int128 sum = last.sum - first.sum;
    const rules::Uint128 squares = last.squares - first.squares;
    if (squares == 0) continue;
    if (narrow) {
      all.sum += sum * (rules::Int128{1} << (range.list->unit() - unit));
      all.squares += squares << 2 * (range.list->unit() - unit);
      continue;
    }
    const int shift = range.list->unit() - kLeastUnit;
    const auto size = rules::shifted<5>(static_cast<rules::Uint128>(sum < 0 ? -sum : sum), shift);
    rules::add(wide_sum, sum < 0 ? rules::negated(size) : size);
    rules::add(wide_squares, rules::shifted<11>(squares, 2 * shift));
  }
  return narrow ? rules::mean_and_std_about(0, n, all.sum, all.squares, unit)
                : rules::mean_and_std(n, wide_sum, wide_squares, kLeastUnit);
}

/// Leaves the pixels strictly between.   returns whether any fell
bool ListsClip::keep(const rules::CellLimits& limits) {
  const std::uint32_t low = key_from(limits.low, true), high = key_from(limits.high, false);
  bool fell = false;
  for (SortedRange& range : ranges_) {
    const std::uint32_t* keys = range.list->keys();
    const std::uint32_t* const end = keys + range.hi;
    const std::uint32_t* const first = first_not_below(keys + range.lo, end, low);
    const std::uint32_t* const last = first_not_below(first, end, high);
    fell = fell || first != keys + range.lo || last != end;
    range.lo = first - keys;
    range.hi = last - keys;
  }
  return fell;
}

rules::CellClip ListsClip::clip(const ClipOptions& options) {
  for (int round = 0;; ++round) {
    const std::int64_t left = kept();
    if (left == 0) {
      const auto blank = static_cast<double>(rules::blank_value());
      return {0, 0, blank, blank, blank};
    }
    const double middle = median(left);
    const rules::MeanStd now = moments(left);
    // Limits about a std of 0 would be the median itself: all pixels have one value.
    if (round < options.max_rounds && now.std > 0 && keep(rules::cell_limits(middle, options.kappa * now.std, left)))
      continue;
    return {0, left, middle, now.mean, now.std};
  }
}

}  // namespace reber::cpu
