// SPDX-License-Identifier: BSD-3-Clause
// Mean products of pixels at each offset, patch by patch.
#include "core/measure/sources/measured_noise.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/processor_clones.hpp"
#include "core/base/trace.hpp"

namespace reber {
namespace {

constexpr std::int64_t kPatch = kMostNoiseSide, kPatchesPerAxis = 8;
constexpr std::int64_t kFewestPixels = 1000;
/// Of the square of a larger reach: a hundred beams.
constexpr std::int64_t kFewestOfReach = 25;

/// Rows apart of the first pixels of pairs. Of a beam of more than 20 pixels some rows say as much as all, and the cost
/// stays what it is.
std::int64_t rows_apart(std::int64_t reach) {
  return std::max<std::int64_t>(reach * reach / (kMostNoiseReach * kMostNoiseReach), 1);
}

/// Floats side by side in a sum of products, whose lanes are added as a tree: what vector units do.
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t padded(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// Rows of a patch with zeros in place of blank pixels and behind their ends, so that no test stands in an inner loop.
struct PatchRows {
  PatchRows(const std::vector<float>& patch, std::int64_t width, std::int64_t height)
      : nx(width),
        ny(height),
        stride(padded(width) + 2 * kLanes),  // zeros for the last lanes, and for offsets that are asked for together
        value(static_cast<std::size_t>(stride * height)),
        known(static_cast<std::size_t>(height)) {
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const float here = patch[static_cast<std::size_t>(y * nx + x)];
        if (!std::isfinite(here)) continue;
        value[static_cast<std::size_t>(y * stride + x)] = here;
        known[static_cast<std::size_t>(y)].set(static_cast<std::size_t>(x));
      }
    for (const auto& row : known) whole.push_back(row.count() == static_cast<std::size_t>(nx));
  }

  /// Pairs of known pixels dx >= 0 apart, the first in row y, the second in row v.
  [[nodiscard]] double pairs(std::int64_t y, std::int64_t v, std::int64_t dx) const {
    const auto &here = known[static_cast<std::size_t>(y)], &there = known[static_cast<std::size_t>(v)];
    return static_cast<double>((here & (there >> static_cast<std::size_t>(dx))).count());
  }

  std::int64_t nx, ny, stride;
  std::vector<float> value;
  std::vector<std::bitset<kPatch>> known;  ///< the pixels that are not blank, of each row
  std::vector<bool> whole;                 ///< whether all of a row are known
};

using SixteenFloats [[gnu::vector_size(64)]] = float;
using EightFloats [[gnu::vector_size(32)]] = float;
using FourFloats [[gnu::vector_size(16)]] = float;
static_assert(sizeof(SixteenFloats) == kLanes * sizeof(float));

/// The 16 lanes of a sum in four.
[[gnu::always_inline]] inline FourFloats folded(const SixteenFloats& sum) {
  EightFloats eight[2];
  std::memcpy(eight, &sum, sizeof sum);
  eight[0] += eight[1];
  FourFloats half[2];
  std::memcpy(half, eight, sizeof half);
  return half[0] + half[1];
}

/// Sums of products of `count` pairs in float, of b at four offsets 0 .. 3. The arrays hold zeros behind their ends.
[[gnu::always_inline]] inline FourFloats four_dots(const float* a, const float* b, std::int64_t count) {
  SixteenFloats sum[4]{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    SixteenFloats left, right;
    std::memcpy(&left, a + i, sizeof left);
    for (int k = 0; k < 4; ++k) {
      std::memcpy(&right, b + i + k, sizeof right);
      sum[k] += left * right;
    }
  }
  const FourFloats at[4] = {folded(sum[0]), folded(sum[1]), folded(sum[2]), folded(sum[3])};
  // Of each the lanes (0 + 2) + (1 + 3).
  const auto halves = [](FourFloats one, FourFloats other) {
    return __builtin_shufflevector(one, other, 0, 4, 1, 5) + __builtin_shufflevector(one, other, 2, 6, 3, 7);
  };
  const FourFloats low = halves(at[0], at[1]), high = halves(at[2], at[3]);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

/// Products of a row with another from `first` to `last` pixels on, to product[0], product[1] and so on, and up to
/// three more of no use.
[[gnu::always_inline]] inline void add_products(const float* row, const float* other, std::int64_t nx,
                                                std::int64_t first, std::int64_t last, double* product) {
  for (std::int64_t dx = first; dx <= last; dx += 4, product += 4) {
    const FourFloats sums = four_dots(row, other + dx, nx - dx);
    for (int k = 0; k < 4; ++k) product[k] += static_cast<double>(sums[k]);
  }
}

/// Pairs whose first pixel, and second as well, lies in the patch.
REBER_AVX512_CLONE void correlate(const PatchRows& rows, std::int64_t reach, NoiseSums& sums) {
  const std::int64_t side = 2 * reach + 1, room = reach + 4;
  std::vector<double> right(static_cast<std::size_t>(room)), left(right);
  for (std::int64_t dy = 0; dy <= std::min(reach, rows.ny - 1); ++dy) {
    std::ranges::fill(right, 0.0);
    std::ranges::fill(left, 0.0);
    double* product = sums.product.data() + dy * side + reach;
    double* count = sums.count.data() + dy * side + reach;
    std::int64_t whole = 0;  // pairs of rows
    for (std::int64_t y = 0; y + dy < rows.ny; y += rows_apart(reach)) {
      const float *first = rows.value.data() + y * rows.stride, *second = first + dy * rows.stride;
      add_products(second, first, rows.nx, 1, reach, left.data());
      add_products(first, second, rows.nx, 0, reach, right.data());
      if (rows.whole[static_cast<std::size_t>(y)] && rows.whole[static_cast<std::size_t>(y + dy)]) {
        ++whole;
        continue;
      }
      for (std::int64_t dx = 1; dx <= reach; ++dx) count[-dx] += rows.pairs(y + dy, y, dx);
      for (std::int64_t dx = 0; dx <= reach; ++dx) count[dx] += rows.pairs(y, y + dy, dx);
    }
    for (std::int64_t dx = -reach; dx <= reach; ++dx) {
      product[dx] = dx < 0 ? left[static_cast<std::size_t>(-dx - 1)] : right[static_cast<std::size_t>(dx)];
      count[dx] += static_cast<double>(whole * (rows.nx - std::abs(dx)));
    }
  }
}

NoiseSums correlate(const std::vector<float>& patch, std::int64_t width, std::int64_t height, std::int64_t reach) {
  const auto slots = static_cast<std::size_t>((reach + 1) * (2 * reach + 1));
  NoiseSums sums{std::vector<double>(slots), std::vector<double>(slots)};
  correlate(PatchRows(patch, width, height), reach, sums);
  return sums;
}

}  // namespace

namespace {

/// Spans of one length that hold [begin, begin + length), or at most eight of them, from both ends alike: one, or an
/// even number.
std::vector<PixelSpan> patch_spans(std::int64_t begin, std::int64_t length) {
  const std::int64_t side = std::min(kPatch, length), pairs = (length + 2 * kPatch - 1) / (2 * kPatch);
  const std::int64_t n = length <= kPatch ? 1 : std::min(2 * pairs, kPatchesPerAxis);
  std::vector<PixelSpan> spans(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; 2 * i < n; ++i) {
    const std::int64_t middle = ((2 * i + 1) * length + 2 * n - 1) / (2 * n);
    const std::int64_t start = std::clamp<std::int64_t>(middle - side / 2, 0, length - side);
    const auto first = static_cast<std::size_t>(i);
    spans[first] = {begin + start, begin + start + side};
    spans[spans.size() - 1 - first] = {begin + length - start - side, begin + length - start};
  }
  return spans;
}

}  // namespace

std::vector<Rect> noise_patches(const Rect& part) {
  std::vector<Rect> patches;
  const std::vector<PixelSpan> across = patch_spans(part.x0, part.nx);
  for (const PixelSpan& rows : patch_spans(part.y0, part.ny))
    for (const PixelSpan& cols : across) patches.push_back({rows.begin, cols.begin, rows.size(), cols.size()});
  return patches;
}

namespace {

NoiseSums sums_of_patches(const std::vector<Rect>& patches, const NoisePatch& patch, std::int64_t reach,
                          ThreadPool& pool, const Progress& progress) {
  std::vector<NoiseSums> each(patches.size());
  pool.for_each(static_cast<std::int64_t>(patches.size()), [&](std::int64_t i) {
    progress.check();
    const Rect& where = patches[static_cast<std::size_t>(i)];
    std::vector<float> pixels(static_cast<std::size_t>(where.shape().count()));
    patch(where, pixels.data());
    each[static_cast<std::size_t>(i)] = correlate(pixels, where.nx, where.ny, reach);
  });
  const auto slots = static_cast<std::size_t>((reach + 1) * (2 * reach + 1));
  NoiseSums all{std::vector<double>(slots), std::vector<double>(slots)};
  for (const NoiseSums& one : each)
    for (std::size_t k = 0; k < slots; ++k) all.product[k] += one.product[k], all.count[k] += one.count[k];
  return all;
}

/// No longer than a patch.
std::int64_t reach_in(const std::vector<Rect>& patches, std::int64_t reach) {
  return std::min({reach, patches.front().nx - 1, patches.front().ny - 1});
}

}  // namespace

MeasuredCorrelation correlation_of(const NoiseSums& sums, std::int64_t reach) {
  MeasuredCorrelation measured;
  const auto zero = static_cast<std::size_t>(reach);
  const std::int64_t fewest =
      reach > kMostNoiseReach ? kFewestOfReach * reach * reach / rows_apart(reach) : kFewestPixels;
  if (!(sums.count[zero] >= static_cast<double>(fewest)) || !(sums.product[zero] > 0)) return measured;
  const double variance = sums.product[zero] / sums.count[zero];
  std::vector<double> values(sums.count.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = sums.count[k] > 0 ? sums.product[k] / sums.count[k] / variance : 0;
  measured.pixels = static_cast<std::int64_t>(sums.count[zero]);
  measured.correlation = NoiseCorrelation::of_table(reach, std::move(values));
  return measured;
}

MeasuredCorrelation measure_noise_correlation(const Rect& part, const NoisePatch& patch, std::int64_t reach,
                                              ThreadPool& pool, const Progress& progress) {
  const trace::Span span("host", "the noise's correlation");
  const std::vector<Rect> patches = noise_patches(part);
  reach = reach_in(patches, reach);
  return correlation_of(sums_of_patches(patches, patch, reach, pool, progress), reach);
}

NoiseSums sum_noise(const NoiseOf& of, const NoiseQuestion& question, std::optional<LabelRuns>& labels,
                    ThreadPool& pool, const Job& job) {
  if (auto sums = of.backend.noise_sums(of.plane, of.background, of.islands, question, job)) return std::move(*sums);
  const trace::Span span("host", "the noise's correlation");
  if (!labels) labels = of.backend.label_runs(of.islands, job);
  const NoiseField field(of, question, *labels, job);
  return sums_of_patches(
      question.patches, [&field](const Rect& where, float* out) { field.patch(where, out); }, question.reach, pool,
      job.progress());
}

MeasuredCorrelation measure_noise_correlation(const NoiseOf& of, std::int64_t reach, float limit, std::int64_t grow,
                                              ThreadPool& pool, const Job& job) {
  NoiseQuestion question{noise_patches(of.background.grid.part()), 0, limit, grow};
  question.reach = reach_in(question.patches, reach);
  std::optional<LabelRuns> labels;
  return correlation_of(sum_noise(of, question, labels, pool, job), question.reach);
}

NoiseField::NoiseField(const NoiseOf& of, const NoiseQuestion& question, const LabelRuns& labels, const Job& job)
    : labels_(labels), limit_(question.limit), grow_(question.grow), image_(of.plane.shape()) {
  for (const Rect& patch : question.patches) {
    wide_.push_back(wide_of(patch));
    first_.push_back(first_.back() + wide_.back().shape().count());
  }
  pixels_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(first_.back()));
  of.backend.render_each(MapKind::snr, of.plane, &of.background, wide_, pixels_.get(), job);
}

Rect NoiseField::wide_of(const Rect& patch) const {
  const std::int64_t x0 = std::max<std::int64_t>(patch.x0 - grow_, 0),
                     x1 = std::min(patch.x0 + patch.nx + grow_, image_.nx);
  return {patch.y0, x0, patch.ny, x1 - x0};
}

void NoiseField::patch(const Rect& where, float* out) const {
  const auto k = static_cast<std::size_t>(std::ranges::find(wide_, wide_of(where)) - wide_.begin());
  const Rect& wide = wide_[k];
  std::vector<float> snr(pixels_.get() + first_[k], pixels_.get() + first_[k + 1]);
  blank_sources(snr, wide, labels_, limit_, grow_);
  for (std::int64_t y = 0; y < where.ny; ++y)
    std::copy_n(snr.begin() + y * wide.nx + where.x0 - wide.x0, where.nx, out + y * where.nx);
}

void blank_sources(std::vector<float>& snr, const Rect& where, const LabelRuns& labels, float limit,
                   std::int64_t grow) {
  const std::int64_t nx = where.nx, ny = where.ny;
  std::vector<std::uint8_t> wide(snr.size());
  const auto widen = [&](std::int64_t y, std::int64_t x0, std::int64_t x1) {
    const auto row = wide.begin() + static_cast<std::ptrdiff_t>(y * nx);
    const std::int64_t from = std::max<std::int64_t>(0, x0 - grow), to = std::min(nx, x1 + grow);
    if (from < to) std::fill(row + from, row + to, std::uint8_t{1});
  };
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x)
      if (std::abs(snr[static_cast<std::size_t>(y * nx + x)]) > limit) widen(y, x, x + 1);
  for (auto run = std::ranges::lower_bound(labels.runs, where.y0, {}, &LabelRuns::Run::y);
       run != labels.runs.end() && run->y < where.y0 + ny; ++run) {
    const std::int64_t x0 = std::max(run->x0 - where.x0, std::int64_t{0}), x1 = std::min(run->x1 - where.x0, nx);
    if (x0 < x1) widen(run->y - where.y0, x0, x1);
  }
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      if (wide[static_cast<std::size_t>(y * nx + x)] == 0) continue;
      for (std::int64_t v = std::max<std::int64_t>(0, y - grow); v < std::min(ny, y + grow + 1); ++v)
        snr[static_cast<std::size_t>(v * nx + x)] = std::numeric_limits<float>::quiet_NaN();
    }
}

}  // namespace reber
