// SPDX-License-Identifier: BSD-3-Clause
// Counting passes over the pixels of an image.
#include "core/show/display/pixel_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace reber {
namespace {

constexpr int kHalf = 1 << 16;
constexpr std::int64_t kPixelsPerChunk = 1 << 20;

/// Unsigned integers in the order of the floats.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
float value_of(std::uint32_t key) { return std::bit_cast<float>((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key); }

std::int64_t rows_per_chunk(Shape shape) {
  return std::max<std::int64_t>(1, kPixelsPerChunk / std::max<std::int64_t>(1, shape.nx));
}

/// Calls body(rows, y0, worker) over bands of rows, from row y0 on, on all threads.
template <class Body>
void over_bands(const ImageRows& image, ThreadPool& pool, const Progress& progress, const Body& body) {
  const std::int64_t rows = rows_per_chunk(image.shape()), ny = image.shape().ny;
  std::vector<std::vector<float>> memory(static_cast<std::size_t>(pool.threads()));
  pool.for_each_worker((ny + rows - 1) / rows, [&](std::int64_t band, int worker) {
    progress.check();
    const std::int64_t y0 = band * rows;
    body(image.band(y0, std::min(ny, y0 + rows), memory[static_cast<std::size_t>(worker)]), y0, worker);
  });
}

using Counts = std::vector<std::int64_t>;

Counts summed(std::vector<Counts>& parts) {
  Counts& all = parts.front();
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += parts[p][i];
  }
  return std::move(all);
}

/// The bin that holds the rank, which is left as the rank inside that bin.
std::size_t bin_of(const std::int64_t* counts, std::int64_t& rank) {
  std::size_t bin = 0;
  while (rank >= counts[bin]) rank -= counts[bin++];
  return bin;
}

template <class Value>
std::vector<double> find_quantiles(const ImageRows& image, const std::vector<double>& fractions, ThreadPool& pool,
                                   const Progress& progress, const Value& value) {
  const auto threads = static_cast<std::size_t>(pool.threads());
  std::vector<Counts> upper(threads, Counts(kHalf, 0));
  over_bands(image, pool, progress, [&](ConstImageView rows, std::int64_t, int worker) {
    Counts& counts = upper[static_cast<std::size_t>(worker)];
    for (std::int64_t y = 0; y < rows.shape.ny; ++y) {
      const float* const row = rows.row(y);
      for (std::int64_t x = 0; x < rows.shape.nx; ++x) {
        if (std::isfinite(row[x])) ++counts[key_of(value(row[x])) >> 16];
      }
    }
  });
  const Counts first = summed(upper);
  const auto finite = std::accumulate(first.begin(), first.end(), std::int64_t{0});
  if (finite == 0) return std::vector<double>(fractions.size(), std::numeric_limits<double>::quiet_NaN());

  // Each fraction needs the values at two neighbouring ranks; the lower halves are counted for their bins alone.
  struct Wanted {
    std::int64_t rank;
    std::size_t bin, slot;
  };
  std::vector<Wanted> wanted;
  std::vector<std::uint16_t> slot_of(kHalf, 0xFFFF);
  std::uint16_t slots = 0;
  for (const double fraction : fractions) {
    const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(finite - 1);
    for (const double rank : {std::floor(place), std::ceil(place)}) {
      std::int64_t inside = static_cast<std::int64_t>(rank);
      const std::size_t bin = bin_of(first.data(), inside);
      if (slot_of[bin] == 0xFFFF) slot_of[bin] = slots++;
      wanted.push_back({inside, bin, slot_of[bin]});
    }
  }
  std::vector<Counts> lower(threads, Counts(static_cast<std::size_t>(slots) * kHalf, 0));
  over_bands(image, pool, progress, [&](ConstImageView rows, std::int64_t, int worker) {
    Counts& counts = lower[static_cast<std::size_t>(worker)];
    for (std::int64_t y = 0; y < rows.shape.ny; ++y) {
      const float* const row = rows.row(y);
      for (std::int64_t x = 0; x < rows.shape.nx; ++x) {
        if (!std::isfinite(row[x])) continue;
        const std::uint32_t key = key_of(value(row[x]));
        const std::uint16_t slot = slot_of[key >> 16];
        if (slot != 0xFFFF) ++counts[static_cast<std::size_t>(slot) * kHalf + (key & 0xFFFFU)];
      }
    }
  });
  const Counts second = summed(lower);
  std::vector<double> found;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    double ends[2];
    for (std::size_t k = 0; k < 2; ++k) {
      Wanted& w = wanted[2 * i + k];
      const std::size_t low = bin_of(second.data() + w.slot * kHalf, w.rank);
      ends[k] = value_of(static_cast<std::uint32_t>(w.bin << 16 | low));
    }
    const double place = std::clamp(fractions[i], 0.0, 1.0) * static_cast<double>(finite - 1);
    const double part = place - std::floor(place);
    found.push_back(part > 0 ? ends[0] + part * (ends[1] - ends[0]) : ends[0]);
  }
  return found;
}

}  // namespace

ConstImageView ImageRows::band(std::int64_t y0, std::int64_t y1, std::vector<float>& memory) const {
  const Shape shape{y1 - y0, image_.shape.nx};
  if (!read_) return {image_.row(y0), shape, image_.stride};
  memory.resize(static_cast<std::size_t>(shape.count()));
  read_(y0, shape.ny, memory.data());
  return {memory.data(), shape, shape.nx};
}

std::vector<double> quantiles(const ImageRows& image, const std::vector<double>& fractions, ThreadPool& pool,
                              const Progress& progress, std::optional<float> deviations_from) {
  if (!deviations_from) return find_quantiles(image, fractions, pool, progress, [](float v) { return v; });
  const float centre = *deviations_from;
  return find_quantiles(image, fractions, pool, progress, [centre](float v) { return std::abs(v - centre); });
}

std::int64_t Histogram::total() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

Histogram histogram(const ImageRows& image, double low, double high, int bins, ThreadPool& pool,
                    const Progress& progress) {
  Histogram out{low, high, Counts(static_cast<std::size_t>(std::max(1, bins)), 0), 0, 0, 0};
  if (!(high > low) || !std::isfinite(high - low)) return out;
  const auto count = static_cast<std::int64_t>(out.counts.size());
  const double scale = static_cast<double>(count) / (high - low);
  // The bins, then below, above and blank.
  std::vector<Counts> parts(static_cast<std::size_t>(pool.threads()), Counts(out.counts.size() + 3, 0));
  over_bands(image, pool, progress, [&](ConstImageView rows, std::int64_t, int worker) {
    Counts& counts = parts[static_cast<std::size_t>(worker)];
    for (std::int64_t y = 0; y < rows.shape.ny; ++y) {
      const float* const row = rows.row(y);
      for (std::int64_t x = 0; x < rows.shape.nx; ++x) {
        const double v = row[x];
        std::int64_t bin = count + 2;
        if (v < low) {
          bin = count;
        } else if (v > high) {
          bin = count + 1;
        } else if (v >= low) {
          bin = std::min(count - 1, static_cast<std::int64_t>((v - low) * scale));
        }
        ++counts[static_cast<std::size_t>(bin)];
      }
    }
  });
  const Counts all = summed(parts);
  std::copy_n(all.begin(), out.counts.size(), out.counts.begin());
  out.below = all[out.counts.size()];
  out.above = all[out.counts.size() + 1];
  out.blank = all[out.counts.size() + 2];
  return out;
}

double PixelSummary::mean() const {
  return finite > 0 ? sum / static_cast<double>(finite) : std::numeric_limits<double>::quiet_NaN();
}
double PixelSummary::rms() const {
  return finite > 0 ? std::sqrt(sum_of_squares / static_cast<double>(finite))
                    : std::numeric_limits<double>::quiet_NaN();
}

void PixelSummary::add(float value, std::int64_t x, std::int64_t y) {
  if (!std::isfinite(value)) {
    ++(std::isnan(value) ? blank : infinite);
    return;
  }
  const double v = value;
  ++finite;
  sum += v;
  sum_of_squares += v * v;
  if (!(v >= min)) {
    min = v;
    min_x = x;
    min_y = y;
  }
  if (!(v <= max)) {
    max = v;
    max_x = x;
    max_y = y;
  }
}

void PixelSummary::merge(const PixelSummary& later) {
  finite += later.finite;
  blank += later.blank;
  infinite += later.infinite;
  sum += later.sum;
  sum_of_squares += later.sum_of_squares;
  if (later.finite > 0 && !(later.min >= min)) {
    min = later.min;
    min_x = later.min_x;
    min_y = later.min_y;
  }
  if (later.finite > 0 && !(later.max <= max)) {
    max = later.max;
    max_x = later.max_x;
    max_y = later.max_y;
  }
}

PixelSummary summarise(const ImageRows& image, ThreadPool& pool, const Progress& progress) {
  const std::int64_t rows = rows_per_chunk(image.shape());
  std::vector<PixelSummary> parts(static_cast<std::size_t>((image.shape().ny + rows - 1) / rows));
  over_bands(image, pool, progress, [&](ConstImageView band, std::int64_t y0, int) {
    PixelSummary& part = parts[static_cast<std::size_t>(y0 / rows)];
    for (std::int64_t y = 0; y < band.shape.ny; ++y) {
      const float* const row = band.row(y);
      for (std::int64_t x = 0; x < band.shape.nx; ++x) part.add(row[x], x, y0 + y);
    }
  });
  PixelSummary all;
  for (const PixelSummary& part : parts) all.merge(part);
  return all;
}

double standard_deviation(const ImageRows& image, double mean, ThreadPool& pool, const Progress& progress) {
  const std::int64_t rows = rows_per_chunk(image.shape());
  std::vector<double> sums(static_cast<std::size_t>((image.shape().ny + rows - 1) / rows), 0.0);
  std::vector<std::int64_t> counts(sums.size(), 0);
  over_bands(image, pool, progress, [&](ConstImageView band, std::int64_t y0, int) {
    const auto part = static_cast<std::size_t>(y0 / rows);
    for (std::int64_t y = 0; y < band.shape.ny; ++y) {
      const float* const row = band.row(y);
      for (std::int64_t x = 0; x < band.shape.nx; ++x) {
        if (!std::isfinite(row[x])) continue;
        const double d = row[x] - mean;
        sums[part] += d * d;
        ++counts[part];
      }
    }
  });
  const auto n = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  return n > 0 ? std::sqrt(total / static_cast<double>(n)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace reber
