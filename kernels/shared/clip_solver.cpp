// SPDX-License-Identifier: BSD-3-Clause
// Solves the clip on histograms: whole bins by their exact moments, bins that are cut by their counts of single values.
#include "kernels/shared/clip_solver.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <map>

#include "core/base/error.hpp"
#include "kernels/shared/exact_sums.hpp"

namespace reber {
namespace {

using rules::kBins;
constexpr std::uint32_t kOffsets = 65536;
/// Tables of 65536 counts fetched in one pass at most: 32 MB.
constexpr std::size_t kMostBinsAtOnce = 64;
using rules::Int128;
using rules::Uint128;

/// Number of pixels, sum and sum of squares of their lower key halves.
struct Moments {
  std::uint64_t count = 0, sum = 0;
  Uint128 squares = 0;
};
/// Pixels of a bin whose sum of squares certainly fits the 64 bits that it is counted in.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 32;

/// Exact sum of any floats in units of the smallest one, 2^-149, and of their squares in units of its square.
using Wide = rules::WideInt<11>;
constexpr int kUnit = -149;
/// Exponents of finite floats; those of 0 and 1 have the same unit.
constexpr std::uint32_t kExponents = 255;

double value_at(std::uint32_t bin, std::uint32_t offset) { return rules::value_of(bin << 16 | offset); }

/// Pixels of a range of keys. Those of one exponent are whole multiples of one unit, and summed in it.
class RangeSums {
 public:
  void add_bin(const Moments& part, std::uint32_t bin) {
    if (part.count == 0) return;
    const bool negative = (bin & 0x8000u) == 0;
    const std::uint32_t magnitude = (negative ? ~bin : bin) & 0x7fffu, exponent = magnitude >> 7;
    // Significands are first + offset; of negative values, whose keys rise as they fall, first - offset.
    const std::uint32_t high = (exponent > 0 ? 128 : 0) + (magnitude & 127);
    const Int128 first = static_cast<Int128>(high) * kOffsets + (negative ? kOffsets - 1 : 0);
    const Int128 n = static_cast<Int128>(part.count), offsets = negative ? -static_cast<Int128>(part.sum) : part.sum;
    const Int128 sum = n * first + offsets;
    sums_[exponent] += negative ? -sum : sum;
    squares_[exponent] += static_cast<Uint128>(n * first * first + 2 * first * offsets) + part.squares;
    count_ += part.count;
    least_ = std::min(least_, exponent);
    largest_ = std::max(largest_, exponent);
  }

  [[nodiscard]] rules::MeanStd mean_and_std() const {
    Wide sum, squares;
    for (std::uint32_t exponent = least_; exponent <= largest_; ++exponent) {
      const int shift = static_cast<int>(std::max(exponent, 1u)) - 1;
      const Int128 part = sums_[exponent];
      const Wide size = rules::shifted<11>(static_cast<Uint128>(part < 0 ? -part : part), shift);
      rules::add(sum, part < 0 ? rules::negated(size) : size);
      rules::add(squares, rules::shifted<11>(squares_[exponent], 2 * shift));
    }
    return rules::mean_and_std(count_, sum, squares, kUnit);
  }

 private:
  std::array<Int128, kExponents> sums_{};
  std::array<Uint128, kExponents> squares_{};
  std::uint64_t count_ = 0;
  std::uint32_t least_ = kExponents, largest_ = 0;
};

std::uint32_t key_above(double limit) {  // of the smallest float greater than limit
  if (limit < -FLT_MAX) return rules::key_of(-FLT_MAX);
  if (limit >= FLT_MAX) return rules::key_of(FLT_MAX) + 1;
  auto value = static_cast<float>(limit);
  while (value > limit) value = std::nextafterf(value, -HUGE_VALF);
  return rules::key_of(std::nextafterf(value, HUGE_VALF));
}

std::uint32_t key_below(double limit) {  // of the largest float less than limit
  if (limit > FLT_MAX) return rules::key_of(FLT_MAX);
  if (limit <= -FLT_MAX) return rules::key_of(-FLT_MAX) - 1;
  auto value = static_cast<float>(limit);
  while (value < limit) value = std::nextafterf(value, HUGE_VALF);
  return rules::key_of(std::nextafterf(value, -HUGE_VALF));
}

/// The moments, and the values of the bins fetched so far. Where a bin's values are needed and not there, an answer is
/// estimated and the bin is noted: a run of the clip on estimates finds nearly every bin that the exact run will need.
class Pixels {
 public:
  explicit Pixels(HistogramSource& source) : source_(source), moments_(source.moments()), below_(kBins + 1) {
    for (std::uint32_t bin = 0; bin < kBins; ++bin) below_[bin + 1] = below_[bin] + moments_.count[bin];
  }

  [[nodiscard]] std::uint64_t finite() const { return below_[kBins]; }

  /// Number of pixels with keys in [lo, hi].
  std::uint64_t count(std::uint32_t lo, std::uint32_t hi) { return lo > hi ? 0 : rank(hi, true) - rank(lo, false); }

  /// Value of the pixel of that rank (0-based) among all finite ones.
  double select(std::uint64_t rank_wanted) {
    const auto found = std::ranges::upper_bound(below_, rank_wanted);
    const auto bin = static_cast<std::uint32_t>(found - below_.begin()) - 1;
    const std::uint64_t inside = rank_wanted - below_[bin];
    const Moments all = whole(bin);
    if (same_values(all)) return value_at(bin, static_cast<std::uint32_t>(all.sum / all.count));
    const auto* values = values_of(bin);
    if (values == nullptr)
      return value_at(bin, static_cast<std::uint32_t>((static_cast<double>(inside) + 0.5) * kOffsets /
                                                      static_cast<double>(all.count)));
    std::uint64_t seen = 0;
    std::uint32_t offset = 0;
    while ((seen += (*values)[offset]) <= inside) ++offset;
    return value_at(bin, offset);
  }

  /// Median of the pixels of ranks [first, first + kept).
  double median(std::uint64_t first, std::uint64_t kept) {
    const double upper = select(first + kept / 2);
    return kept % 2 != 0 ? upper : 0.5 * (select(first + kept / 2 - 1) + upper);
  }

  /// Sums over keys in [lo, hi].
  RangeSums sums(std::uint32_t lo, std::uint32_t hi) {
    RangeSums total;
    if (lo > hi) return total;
    const std::uint32_t first = rules::bin_of(lo), last = rules::bin_of(hi);
    for (std::uint32_t bin = first; bin <= last; ++bin) {
      if (moments_.count[bin] == 0) continue;
      const std::uint32_t from = bin == first ? rules::offset_in_bin(lo) : 0;
      const std::uint32_t to = bin == last ? rules::offset_in_bin(hi) : kOffsets - 1;
      total.add_bin(part(bin, from, to), bin);
    }
    return total;
  }

  /// Rank of the first pixel with a key >= key (or > key, where `past`).
  std::uint64_t rank(std::uint32_t key, bool past) {
    const std::uint32_t bin = rules::bin_of(key), offset = rules::offset_in_bin(key);
    if (!past && offset == 0) return below_[bin];
    return below_[bin] + part(bin, 0, past ? offset : offset - 1).count;
  }

  /// Fetches what was noted.   returns whether there was anything
  bool fetch() {
    if (wanted_.empty()) return false;
    if (wanted_.size() > kMostBinsAtOnce) wanted_.resize(kMostBinsAtOnce);
    auto fetched = source_.values(wanted_);
    if (fetched.size() != wanted_.size()) throw InternalError("the clip asked for values of bins and got others");
    for (std::size_t k = 0; k < wanted_.size(); ++k) values_[wanted_[k]] = std::move(fetched[k]);
    wanted_.clear();
    return true;
  }

 private:
  /// Of a bin with more pixels than its sum of squares is counted for, from its values.
  Moments whole(std::uint32_t bin) {
    const Moments counted{moments_.count[bin], moments_.sum[bin], moments_.sum_squares[bin]};
    if (counted.count <= kMostCounted) return counted;
    const auto* values = values_of(bin);
    return values == nullptr ? counted : sum_of(*values, 0, kOffsets - 1);
  }

  static Moments sum_of(const std::vector<std::uint64_t>& values, std::uint64_t from, std::uint64_t to) {
    Moments all;
    for (std::uint64_t offset = from; offset <= to; ++offset) {
      const std::uint64_t n = values[offset];
      all.count += n;
      all.sum += n * offset;
      all.squares += static_cast<Uint128>(n) * (offset * offset);
    }
    return all;
  }

  /// Whether all pixels of a bin have one value: equality in Cauchy's inequality.
  static bool same_values(const Moments& all) {
    return static_cast<Uint128>(all.count) * all.squares == static_cast<Uint128>(all.sum) * all.sum;
  }

  /// Moments of the bin's pixels with lower halves in [from, to].
  Moments part(std::uint32_t bin, std::uint32_t from, std::uint32_t to) {
    const Moments all = whole(bin);
    if (all.count == 0 || (from == 0 && to == kOffsets - 1)) return all;
    if (same_values(all)) {
      const std::uint64_t offset = all.sum / all.count;
      return offset >= from && offset <= to ? all : Moments{};
    }
    if (const auto* values = values_of(bin)) return sum_of(*values, from, to);
    Moments cut;
    const double width = to - from + 1.0, middle = 0.5 * (static_cast<double>(from) + to);
    const double n = std::floor(static_cast<double>(all.count) * width / kOffsets);
    cut.count = static_cast<std::uint64_t>(n);
    cut.sum = static_cast<std::uint64_t>(n * middle);
    cut.squares = static_cast<Uint128>(n * (middle * middle + width * width / 12));
    return cut;
  }

  const std::vector<std::uint64_t>* values_of(std::uint32_t bin) {
    const auto found = values_.find(bin);
    if (found != values_.end()) return &found->second;
    if (std::ranges::find(wanted_, bin) == wanted_.end()) wanted_.push_back(bin);
    return nullptr;
  }

  HistogramSource& source_;
  MomentHistogram moments_;
  std::vector<std::uint64_t> below_;  ///< finite pixels in bins below each
  std::map<std::uint32_t, std::vector<std::uint64_t>> values_;
  std::vector<std::uint32_t> wanted_;
};

ClipStatistics clip_once(Pixels& pixels, const ClipOptions& options) {
  ClipStatistics result;
  if (pixels.finite() == 0) return result;
  std::uint32_t lo = rules::key_of(-FLT_MAX), hi = rules::key_of(FLT_MAX);
  std::uint64_t kept = pixels.finite();
  for (;;) {
    result.kept = static_cast<std::int64_t>(kept);
    if (kept == 0) {
      result.median = result.mean = result.std = std::numeric_limits<double>::quiet_NaN();
      return result;
    }
    result.median = pixels.median(pixels.rank(lo, false), kept);
    const rules::MeanStd now = pixels.sums(lo, hi).mean_and_std();
    result.mean = now.mean;
    result.std = now.std;
    if (result.converged || result.rounds >= options.max_rounds) return result;
    ++result.rounds;
    if (!(result.std > 0)) {
      result.converged = true;
      return result;
    }
    const double reach = options.kappa * result.std;
    lo = std::max(lo, key_above(result.median - reach));
    hi = std::min(hi, key_below(result.median + reach));
    const std::uint64_t left = std::min(pixels.count(lo, hi), kept);
    if (left == kept) {
      result.converged = true;
      return result;
    }
    kept = left;
  }
}

PlaneStatistics statistics_once(Pixels& pixels, std::int64_t blank, StatisticsParts parts) {
  PlaneStatistics result;
  result.blank = blank;
  const std::uint64_t finite = pixels.finite();
  result.finite = static_cast<std::int64_t>(finite);
  if (finite == 0) return result;
  if (parts == StatisticsParts::all) {
    result.min = pixels.select(0);
    result.max = pixels.select(finite - 1);
  }
  if (parts != StatisticsParts::mean_and_std) result.median = pixels.median(0, finite);
  if (parts == StatisticsParts::median) return result;
  const rules::MeanStd all = pixels.sums(rules::key_of(-FLT_MAX), rules::key_of(FLT_MAX)).mean_and_std();
  result.mean = all.mean;
  result.std = all.std;
  return result;
}

}  // namespace

ClipStatistics solve_clip(HistogramSource& source, const ClipOptions& options) {
  Pixels pixels(source);
  ClipStatistics result = clip_once(pixels, options);
  while (pixels.fetch()) result = clip_once(pixels, options);
  return result;
}

PlaneStatistics solve_statistics(HistogramSource& source, std::int64_t blank, StatisticsParts parts) {
  Pixels pixels(source);
  PlaneStatistics result = statistics_once(pixels, blank, parts);
  while (pixels.fetch()) result = statistics_once(pixels, blank, parts);
  return result;
}

}  // namespace reber
