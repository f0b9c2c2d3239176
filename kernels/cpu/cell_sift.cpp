// SPDX-License-Identifier: BSD-3-Clause
// One pass over a cell's pixels, eight at a time; then rounds over the few that were set aside.
#include "kernels/cpu/cell_sift.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cpu/simd_double.hpp"
#include "kernels/shared/cell_clip.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kSlack = kLanes;  ///< floats behind an array that vectors may write
constexpr int kSample = 64;
constexpr double kSigma = 0.7413;  ///< of the distance of the quartiles of noise
/// Of the sample's std: how far the median may lie from the sample's, four standard errors. With what the tails add,
/// two cells of noise in a hundred do not fit.
constexpr double kMiddle = 0.65;
/// Part of the clip's limits, as the sample has them, inside which pixels are sure to be kept; what is kept lies within
/// twice the limits.
constexpr double kSure = 0.7, kBound = 2;
/// Distances from the pivot are below 2^exponent, and whole numbers of 2^(exponent - kBits).
constexpr int kBits = 46, kMostExponent = 100;

#ifdef __AVX2__
/// For each set of lanes their numbers, a byte each, the others behind them.
constexpr std::array<std::uint64_t, 256> kOrder = [] {
  std::array<std::uint64_t, 256> order{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    int place = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      if ((bits >> lane & 1) != 0) order[bits] |= std::uint64_t{lane} << (8 * place++);
  }
  return order;
}();
#endif

/// Appends the lanes whose bits are set; eight floats may be written.   returns the end
float* append(float* to, Floats values, unsigned bits) {
#ifdef __AVX2__
  const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kOrder[bits])));
  _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(values, order));
#else
  for (int lane = 0, place = 0; lane < kLanes; ++lane)
    if ((bits >> lane & 1) != 0) to[place++] = values[lane];
#endif
  return to + std::popcount(bits);
}

Doubles half_of(Floats values, int half) {
  HalfFloats raw;
  std::memcpy(&raw, reinterpret_cast<const char*>(&values) + half * sizeof raw, sizeof raw);
  return __builtin_convertvector(raw, Doubles);
}

/// Exact sums of whole numbers below 2^kBits and of their squares.
struct WholeSums {
  rules::Int128 sum = 0;
  rules::Uint128 squares = 0;

  void add(double number) {
    const auto whole = static_cast<std::int64_t>(number);
    sum += whole;
    squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  }
};

/// The same of four at a time, each cut into upper x 2^23 + lower: doubles hold 2^6 sums of products.
class FourSums {
 public:
  static constexpr int kMostAdded = 1 << 6;

  void add(Doubles whole) {
    constexpr double kRound = 0x1.8p52;  // a number below 2^51, added and taken away, is rounded to a whole one
    const Doubles upper = (whole * 0x1p-23 + kRound) - kRound, lower = whole - upper * 0x1p23;
    sum_ += whole;
    upper2_ += upper * upper;
    both_ += upper * lower;
    lower2_ += lower * lower;
  }
  void move_to(WholeSums& total) {
    const auto whole = [](Doubles a) {
      rules::Int128 sum = 0;
      for (int k = 0; k < 4; ++k) sum += static_cast<std::int64_t>(a[k]);
      return sum;
    };
    total.sum += whole(sum_);
    total.squares += static_cast<rules::Uint128>(whole(upper2_) * (rules::Int128{1} << 46) +
                                                 whole(both_) * (rules::Int128{1} << 24) + whole(lower2_));
    *this = {};
  }

 private:
  Doubles sum_{}, upper2_{}, both_{}, lower2_{};
};

/// How a cell's pixels are divided, from a sample of them.
struct Division {
  float low, high;                ///< strictly between: sure to be kept
  float middle_low, middle_high;  ///< could be a median
  double pivot;                   ///< a float, a whole number of units
  int exponent;                   ///< the unit is 2^(exponent - kBits)
  bool usable;

  [[nodiscard]] double per_unit() const { return std::ldexp(1.0, kBits - exponent); }
  [[nodiscard]] float least() const { return std::ldexp(1.0F, exponent - kBits + 23); }  ///< smaller: no whole number
};

Division choose_division(const float* pixels, std::int64_t n, double kappa) {
  std::array<float, kSample> sample;
  for (std::uint32_t k = 0; k < kSample; ++k) {
    // By the golden section: rows and columns are then met evenly.
    const std::uint64_t part = k * 2654435769U & 0xffffffffU;
    sample[k] = pixels[part * static_cast<std::uint64_t>(n) >> 32];
  }
  std::ranges::sort(sample);
  const double centre = 0.5 * (static_cast<double>(sample[kSample / 2 - 1]) + sample[kSample / 2]);
  const double std = kSigma * (static_cast<double>(sample[kSample * 3 / 4 - 1]) - sample[kSample / 4]);
  const double middle = kMiddle * std, sure = kSure * kappa * std, bound = kBound * kappa * std;
  Division division{};
  if (!(std > 0 && std::isfinite(bound) && middle < sure)) return division;
  division.exponent = std::ilogb(bound) + 1;
  division.low = static_cast<float>(centre - sure), division.high = static_cast<float>(centre + sure);
  division.middle_low = static_cast<float>(centre - middle);
  division.middle_high = static_cast<float>(centre + middle);
  // A pivot near 0 has digits below the unit: it need not be the centre itself.
  const double step = std::ldexp(1.0, division.exponent - 20);
  division.pivot = std::fabs(centre) < 0x1p23 * step ? std::nearbyint(centre / step) * step
                                                     : static_cast<double>(static_cast<float>(centre));
  division.usable = std::abs(division.exponent) <= kMostExponent && division.low < division.middle_low &&
                    division.middle_low < division.middle_high && division.middle_high < division.high;
  return division;
}

/// What one pass over the pixels finds.
struct Divided {
  WholeSums sure;
  std::int64_t below = 0;  ///< pixels below the middle
  std::int64_t middle = 0, tails = 0;
  bool whole = true;  ///< every pixel is a whole number of units
};

Divided divide(const float* pixels, std::int64_t n, const Division& division, float* middle, float* tails) {
  Divided divided;
  float *middle_end = middle, *tails_end = tails;
  const double pivot = division.pivot, per_unit = division.per_unit();
  const Floats low = all(division.low), high = all(division.high), middle_low = all(division.middle_low),
               middle_high = all(division.middle_high), at_pivot = all(static_cast<float>(pivot)),
               infinity = all(std::numeric_limits<float>::infinity());
  Floats smallest = infinity;
  FourSums sums[2];
  const std::int64_t whole_vectors = n / kLanes;
  for (std::int64_t done = 0; done < whole_vectors;) {
    const std::int64_t end = std::min(done + FourSums::kMostAdded, whole_vectors);
    for (; done < end; ++done) {
      const Floats v = load(pixels + done * kLanes);
      const Ints sure = (v > low) & (v < high);
      middle_end = append(middle_end, v, bits_of((v >= middle_low) & (v <= middle_high)));
      divided.below += std::popcount(bits_of(v < middle_low));
      if (const unsigned others = 0xffU & ~bits_of(sure); others != 0) tails_end = append(tails_end, v, others);
      const Floats size = where(v < all(0.0F), -v, where(v == all(0.0F), infinity, v));
      smallest = where(size < smallest, size, smallest);
      const Floats held = where(sure, v, at_pivot);
      for (int half = 0; half < 2; ++half) sums[half].add((half_of(held, half) - pivot) * per_unit);
    }
    for (FourSums& one : sums) one.move_to(divided.sure);
  }
  float least = infinity[0];
  for (int k = 0; k < kLanes; ++k) least = std::min(least, smallest[k]);
  for (std::int64_t k = whole_vectors * kLanes; k < n; ++k) {
    const float v = pixels[k];
    if (v != 0) least = std::min(least, std::fabs(v));
    if (v >= division.middle_low && v <= division.middle_high) *middle_end++ = v;
    divided.below += v < division.middle_low ? 1 : 0;
    if (v > division.low && v < division.high)
      divided.sure.add((v - pivot) * per_unit);
    else
      *tails_end++ = v;
  }
  divided.middle = middle_end - middle;
  divided.tails = tails_end - tails;
  divided.whole = least >= division.least();
  return divided;
}

/// Numbers between two values, about as many everywhere.
struct Window {
  const float* values;
  std::int64_t count, below;  ///< that many pixels lie below it
  double low, high;

  [[nodiscard]] bool holds(std::int64_t first, std::int64_t last) const {
    return first >= below && last < below + count;
  }
};

/// The part of a window that most likely has ranks first to last in it.   to: room for all of it
Window narrowed(const Window& from, std::int64_t first, std::int64_t last, float* to) {
  const auto count = static_cast<double>(from.count);
  const double reach = 2 * std::sqrt(count) + 4, width = (from.high - from.low) / count;
  const double low = from.low + (static_cast<double>(first - from.below) - reach) * width;
  const double high = from.low + (static_cast<double>(last - from.below) + reach) * width;
  Window part{to, 0, from.below, std::max(low, from.low), std::min(high, from.high)};
  const auto at_least = static_cast<float>(part.low), at_most = static_cast<float>(part.high);
  float* end = to;
  std::int64_t k = 0;
  for (; k + kLanes <= from.count; k += kLanes) {
    const Floats v = load(from.values + k);
    part.below += std::popcount(bits_of(v < all(at_least)));
    end = append(end, v, bits_of((v >= all(at_least)) & (v <= all(at_most))));
  }
  for (; k < from.count; ++k) {
    const float v = from.values[k];
    part.below += v < at_least ? 1 : 0;
    if (v >= at_least && v <= at_most) *end++ = v;
  }
  part.count = end - to;
  return part;
}

/// The pixel of rank `last`, or the mean of it and that of rank `first`, the one before.
///   rooms: each for all of the window
double median_of(Window window, std::int64_t first, std::int64_t last, const std::array<float*, 2>& rooms) {
  constexpr std::int64_t kFew = 40;
  std::size_t turn = 0;
  while (window.count > kFew) {
    const Window part = narrowed(window, first, last, rooms[turn]);
    if (!part.holds(first, last) || part.count > window.count / 2) break;
    window = part;
    turn = 1 - turn;
  }
  float* const values = rooms[turn];
  std::copy_n(window.values, window.count, values);
  float* const at = values + (last - window.below);
  std::nth_element(values, at, values + window.count);
  const double upper = *at;
  return first == last ? upper : 0.5 * (static_cast<double>(*std::max_element(values, at)) + upper);
}

/// What a round finds in the tails.
struct TailSums {
  double sum = 0, sum2 = 0;
  std::int64_t kept = 0, below = 0;
};

TailSums sum_tails(const std::vector<float>& tails, std::int64_t count, double pivot, double low, double high) {
  TailSums sums;
  for (std::int64_t k = 0; k < count; ++k) {
    const double value = tails[static_cast<std::size_t>(k)];
    if (!(value > low)) {
      ++sums.below;
    } else if (value < high) {
      const double distance = value - pivot;
      sums.sum += distance;
      sums.sum2 += distance * distance;
      ++sums.kept;
    }
  }
  return sums;
}

/// As rules::mean_and_std_about() has it, of the sure pixels and of the tails between two limits. Empty where those are
/// no whole numbers of units below 2^kBits.
std::optional<rules::MeanStd> exact_moments(const Division& division, const Divided& divided,
                                            const std::vector<float>& tails, double low, double high,
                                            std::int64_t kept) {
  const double per_unit = division.per_unit();
  WholeSums sums = divided.sure;
  for (std::int64_t k = 0; k < divided.tails; ++k) {
    const double value = tails[static_cast<std::size_t>(k)];
    if (!(value > low && value < high)) continue;
    const double number = (value - division.pivot) * per_unit;
    if (!(std::fabs(number) < 0x1p46)) return std::nullopt;
    sums.add(number);
  }
  rules::Int128 pivot = 0;
  if (division.pivot != 0) {
    // A float's digits, moved to the unit.
    const int digit = std::ilogb(division.pivot) - 23, unit = division.exponent - kBits;
    if (digit - unit > 60) return std::nullopt;
    pivot = static_cast<rules::Int128>(std::ldexp(division.pivot, -digit)) * (rules::Int128{1} << (digit - unit));
  }
  return rules::mean_and_std_about(pivot, static_cast<std::uint64_t>(kept), sums.sum, sums.squares,
                                   division.exponent - kBits);
}

}  // namespace

std::int64_t CellSift::gather(const HeldRows& plane, const Rect& cell, bool ahead) {
  const std::int64_t area = cell.shape().count();
  const auto room = static_cast<std::size_t>(area + kSlack);
  if (pixels_.size() < room) pixels_.resize(room);
  float* end = pixels_.data();
  for (std::int64_t y = cell.y0; y < cell.y0 + cell.ny; ++y) {
    const float* row = plane.row(y) + cell.x0;
    // The next cell's part of the row: its short rows defeat the hardware's prefetch.
    constexpr std::int64_t kLineFloats = 16;
    if (ahead)
      for (std::int64_t x = 0; x < cell.nx; x += kLineFloats) __builtin_prefetch(row + cell.nx + x);
    std::int64_t x = 0;
    for (; x + kLanes <= cell.nx; x += kLanes) {
      const Floats v = load(row + x);
      const unsigned known = bits_of(finite(v));
      if (known == 0xffU) {
        store(end, v);
        end += kLanes;
      } else {
        end = append(end, v, known);
      }
    }
    for (; x < cell.nx; ++x)
      if (std::isfinite(row[x])) *end++ = row[x];
  }
  return count_ = end - pixels_.data();
}

std::optional<ClippedCell> CellSift::clip(const ClipOptions& options) {
  const std::int64_t n = count_;
  if (n < kFewest || n > kMost) return std::nullopt;
  const Division division = choose_division(pixels_.data(), n, options.kappa);
  if (!division.usable) return std::nullopt;
  const auto room = static_cast<std::size_t>(n + kSlack);
  for (std::vector<float>* one : {&middle_, &near_, &first_, &second_, &tails_})
    if (one->size() < room) one->resize(room);
  const Divided divided = divide(pixels_.data(), n, division, middle_.data(), tails_.data());
  if (!divided.whole || divided.tails > n / 4) return std::nullopt;
  const Window middle{middle_.data(), divided.middle, divided.below, division.middle_low, division.middle_high};
  const std::int64_t reach = divided.tails / 2 + 1, lowest = n / 2 - 1 - reach, highest = n / 2 + reach;
  if (!middle.holds(lowest, highest)) return std::nullopt;
  Window near = narrowed(middle, lowest, highest, near_.data());
  if (!near.holds(lowest, highest)) near = middle;

  const double unit = std::ldexp(1.0, division.exponent - kBits);
  const double sure_sum = static_cast<double>(divided.sure.sum) * unit,
               sure_sum2 = static_cast<double>(divided.sure.squares) * unit * unit;
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  ClippedCell cell;
  std::int64_t kept = 0;
  for (int round = 0;; ++round) {
    const std::int64_t before = kept;
    const TailSums found = sum_tails(tails_, divided.tails, division.pivot, low, high);
    kept = n - divided.tails + found.kept;
    const std::int64_t last = found.below + kept / 2, first = last - (kept % 2 == 0 ? 1 : 0);
    cell.median = median_of(near, first, last, {first_.data(), second_.data()});
    if (cell.median == 0) return std::nullopt;  // its sign is that of the zero that is in the middle of all
    if (round >= options.max_rounds || kept == before) break;
    const double mean = (sure_sum + found.sum) / static_cast<double>(kept);
    const double variance = (sure_sum2 + found.sum2) / static_cast<double>(kept) - mean * mean;
    const double std = variance > 0 ? std::sqrt(variance) : 0;
    const rules::CellLimits limits = rules::cell_limits(cell.median, options.kappa * std, kept);
    // Rounding must not matter, nor may a sure pixel be removed.
    if (!limits.sure || !(std > 0) || !(std::fabs(cell.median - division.pivot) <= std) ||
        !(limits.low <= division.low && limits.high >= division.high))
      return std::nullopt;
    low = std::max(low, limits.low);
    high = std::min(high, limits.high);
  }
  const auto moments = exact_moments(division, divided, tails_, low, high, kept);
  if (!moments) return std::nullopt;
  cell.mean = moments->mean;
  cell.std = moments->std;
  return cell;
}

}  // namespace reber::cpu
