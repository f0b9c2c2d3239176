// SPDX-License-Identifier: BSD-3-Clause
// Mean products of pixels at each offset, patch by patch.
#include "core/sources/measured_noise.hpp"

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
        stride(padded(width) + kLanes),
        value(static_cast<std::size_t>(stride * height)),
        known(static_cast<std::size_t>(height)) {
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const float here = patch[static_cast<std::size_t>(y * nx + x)];
        if (!std::isfinite(here)) continue;
        value[static_cast<std::size_t>(y * stride + x)] = here;
        known[static_cast<std::size_t>(y)].set(static_cast<std::size_t>(x));
      }
  }

  [[nodiscard]] bool whole(std::int64_t y) const {
    return known[static_cast<std::size_t>(y)].count() == static_cast<std::size_t>(nx);
  }
  /// Pairs of known pixels dx >= 0 apart, the first in row y, the second in row v.
  [[nodiscard]] double pairs(std::int64_t y, std::int64_t v, std::int64_t dx) const {
    const auto &here = known[static_cast<std::size_t>(y)], &there = known[static_cast<std::size_t>(v)];
    return static_cast<double>((here & (there >> static_cast<std::size_t>(dx))).count());
  }

  std::int64_t nx, ny, stride;
  std::vector<float> value;
  std::vector<std::bitset<kPatch>> known;  ///< the pixels that are not blank, of each row
};

using EightFloats [[gnu::vector_size(32)]] = float;
using FourFloats [[gnu::vector_size(16)]] = float;

[[gnu::always_inline]] inline void add_products(const float* a, const float* b, EightFloats& sum) {
  EightFloats left, right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  sum += left * right;
}

/// Sum of products of `count` pairs in float; the arrays hold zeros up to a multiple of kLanes.
[[gnu::always_inline]] inline float dot(const float* a, const float* b, std::int64_t count) {
  EightFloats sum{}, upper{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    add_products(a + i, b + i, sum);
    add_products(a + i + kLanes / 2, b + i + kLanes / 2, upper);
  }
  sum += upper;
  FourFloats half[2];
  std::memcpy(half, &sum, sizeof sum);
  half[0] += half[1];
  return (half[0][0] + half[0][2]) + (half[0][1] + half[0][3]);
}

/// Pairs whose first pixel, and second as well, lies in the patch.
REBER_AVX2_CLONE void correlate(const PatchRows& rows, std::int64_t reach, NoiseSums& sums) {
  const std::int64_t side = 2 * reach + 1;
  for (std::int64_t y = 0; y < rows.ny; y += rows_apart(reach))
    for (std::int64_t dy = 0; dy <= std::min(reach, rows.ny - 1 - y); ++dy) {
      const float *first = rows.value.data() + y * rows.stride, *second = first + dy * rows.stride;
      const bool whole = rows.whole(y) && rows.whole(y + dy);
      double* product = sums.product.data() + dy * side + reach;
      double* count = sums.count.data() + dy * side + reach;
      for (std::int64_t dx = -reach; dx < 0; ++dx) {
        product[dx] += dot(first - dx, second, rows.nx + dx);
        count[dx] += whole ? static_cast<double>(rows.nx + dx) : rows.pairs(y + dy, y, -dx);
      }
      for (std::int64_t dx = 0; dx <= reach; ++dx) {
        product[dx] += dot(first, second + dx, rows.nx - dx);
        count[dx] += whole ? static_cast<double>(rows.nx - dx) : rows.pairs(y, y + dy, dx);
      }
    }
}

NoiseSums correlate(const std::vector<float>& patch, std::int64_t width, std::int64_t height, std::int64_t reach) {
  const auto slots = static_cast<std::size_t>((reach + 1) * (2 * reach + 1));
  NoiseSums sums{std::vector<double>(slots), std::vector<double>(slots)};
  correlate(PatchRows(patch, width, height), reach, sums);
  return sums;
}

/// Rectangles to fetch: each patch with the columns beside it whose sources reach into it, or all of one row together
/// where that is not much more.
std::vector<Rect> rectangles(Shape shape, std::int64_t grow) {
  constexpr std::int64_t kMostMore = 2;
  std::vector<Rect> all;
  std::int64_t row_pixels = 0;  // of the patches of the row that all.back() is of
  for (const Rect& patch : noise_patches(shape)) {
    const std::int64_t x0 = std::max<std::int64_t>(patch.x0 - grow, 0),
                       x1 = std::min(patch.x0 + patch.nx + grow, shape.nx);
    const bool same_row = !all.empty() && all.back().y0 == patch.y0;
    row_pixels = same_row ? row_pixels + x1 - x0 : x1 - x0;
    if (same_row && x1 - all.back().x0 <= kMostMore * row_pixels) {
      all.back().nx = x1 - all.back().x0;
    } else {
      all.push_back({patch.y0, x0, patch.ny, x1 - x0});
    }
  }
  return all;
}

}  // namespace

std::vector<Rect> noise_patches(Shape shape) {
  const auto patches_of = [](std::int64_t length) {
    return std::clamp<std::int64_t>(length / kPatch, 1, kPatchesPerAxis);
  };
  const auto start_of = [](std::int64_t i, std::int64_t n, std::int64_t length, std::int64_t side) {
    return std::clamp<std::int64_t>((2 * i + 1) * length / (2 * n) - side / 2, 0, length - side);
  };
  const std::int64_t across = patches_of(shape.nx), down = patches_of(shape.ny);
  const std::int64_t nx = std::min(kPatch, shape.nx), ny = std::min(kPatch, shape.ny);
  std::vector<Rect> patches;
  for (std::int64_t j = 0; j < down; ++j)
    for (std::int64_t i = 0; i < across; ++i)
      patches.push_back({start_of(j, down, shape.ny, ny), start_of(i, across, shape.nx, nx), ny, nx});
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

/// No longer than a patch.
std::int64_t reach_in(const std::vector<Rect>& patches, std::int64_t reach) {
  return std::min({reach, patches.front().nx - 1, patches.front().ny - 1});
}

}  // namespace

MeasuredCorrelation measure_noise_correlation(Shape shape, const NoisePatch& patch, std::int64_t reach,
                                              ThreadPool& pool, const Progress& progress) {
  const trace::Span span("host", "the noise's correlation");
  const std::vector<Rect> patches = noise_patches(shape);
  reach = reach_in(patches, reach);
  return correlation_of(sums_of_patches(patches, patch, reach, pool, progress), reach);
}

MeasuredCorrelation measure_noise_correlation(const NoiseOf& of, std::int64_t reach, float limit, std::int64_t grow,
                                              ThreadPool& pool, const Job& job) {
  if (auto* const where_it_lies = dynamic_cast<SumsNoise*>(&of.backend)) {
    NoiseQuestion question{noise_patches(of.plane.shape()), 0, limit, grow};
    question.reach = reach_in(question.patches, reach);
    if (const auto sums = where_it_lies->noise_sums(of.plane, of.background, of.islands, question, job))
      return correlation_of(*sums, question.reach);
  }
  const NoiseField field(of, limit, grow, job);
  return measure_noise_correlation(
      of.plane.shape(), [&field](const Rect& where, float* out) { field.patch(where, out); }, reach, pool,
      job.progress());
}

NoiseField::NoiseField(const NoiseOf& of, float limit, std::int64_t grow, const Job& job)
    : labels_(of.backend.label_runs(of.islands, job)), limit_(limit), grow_(grow) {
  const std::vector<Rect> wanted = rectangles(of.plane.shape(), grow);
  std::int64_t pixels = 0;
  for (const Rect& where : wanted) pixels += where.shape().count();
  pixels_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(pixels));
  const float* next = pixels_.get();
  for (const Rect& where : wanted) {
    fetched_.push_back({where, next});
    next += where.shape().count();
  }
  of.backend.render_each(MapKind::snr, of.plane, &of.background, wanted, pixels_.get(), job);
}

void NoiseField::patch(const Rect& where, float* out) const {
  const auto holds = [&](const Fetched& one) {
    return one.where.y0 == where.y0 && one.where.x0 <= where.x0 && where.x0 + where.nx <= one.where.x0 + one.where.nx;
  };
  const Fetched& all = *std::ranges::find_if(fetched_, holds);
  const std::int64_t x0 = std::max(where.x0 - grow_, all.where.x0);
  const std::int64_t x1 = std::min(where.x0 + where.nx + grow_, all.where.x0 + all.where.nx);
  const Rect wide{where.y0, x0, where.ny, x1 - x0};
  std::vector<float> snr;
  snr.reserve(static_cast<std::size_t>(wide.shape().count()));
  for (std::int64_t y = 0; y < wide.ny; ++y) {
    const float* const from = all.snr + y * all.where.nx + x0 - all.where.x0;
    snr.insert(snr.end(), from, from + wide.nx);
  }
  blank_sources(snr, wide, labels_, limit_, grow_);
  for (std::int64_t y = 0; y < where.ny; ++y)
    std::copy_n(snr.begin() + y * wide.nx + where.x0 - x0, where.nx, out + y * where.nx);
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
