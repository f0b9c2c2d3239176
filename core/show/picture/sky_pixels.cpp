// SPDX-License-Identifier: BSD-3-Clause
// Bands of rows become rows of blocks; colours are looked up.
#include "core/show/picture/sky_pixels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/base/processor_clones.hpp"
#include "core/show/display/inferno.hpp"
#include "core/show/display/level_rules.hpp"

namespace reber {
namespace {

using levels::kLowest;
/// A band is reduced while it is in the cache.
constexpr std::int64_t kBandPixels = std::int64_t{1} << 20;
constexpr Rgb kBlank{146, 146, 150};

/// Largest finite value of each column of `ny` rows; kLowest where there is none.
void column_peaks(const float* rows, std::int64_t ny, std::int64_t nx, float* peaks) {
  std::fill_n(peaks, nx, kLowest);
  for (std::int64_t y = 0; y < ny; ++y) {
    const float* const row = rows + y * nx;
    for (std::int64_t x = 0; x < nx; ++x) {
      peaks[x] = levels::larger(peaks[x], levels::endless_low(row[x]));
    }
  }
}

/// A colour as it is stored: red, green, blue and one byte more.
using Stored = std::uint32_t;

Stored stored(const Rgb& colour) {
  Stored bytes = 0;
  std::memcpy(&bytes, &colour, sizeof colour);
  return bytes;
}

/// Colours by table. A bin holds one step of the level at most, so that one comparison gives the rounded curve.
class ColourTable {
 public:
  ColourTable() {
    std::array<double, 256> steps{};  // of t: where level k + 1 begins
    for (std::size_t k = 0; k < 255; ++k) steps[k] = unstretched(kSkyCurve, (static_cast<double>(k) + 0.5) / 255);
    steps[255] = 2;
    int level = 0;
    for (std::size_t bin = 0; bin <= kBins; ++bin) {
      const int above = std::min(level + 1, 255);
      bins_[bin] = {steps[static_cast<std::size_t>(level)], stored(sky_colour(level)), stored(sky_colour(above))};
      while (bin < kBins && steps[static_cast<std::size_t>(level)] < static_cast<double>(bin + 1) / kBins) ++level;
    }
    bins_[kBlankBin] = {2, stored(kBlank), stored(kBlank)};
  }

  /// Places of values in the table: t from 0 to 1, and its bin; those that are not finite lie in a bin of their own.
  ///   values, t, bin: a whole number of lanes
  static void place(const std::vector<float>& values, const DisplayLimits& limits, double* t, std::int32_t* bin);
  [[nodiscard]] static std::size_t whole_lanes(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  [[nodiscard]] Stored at(double t, std::int32_t bin) const {
    const Bin& one = bins_[static_cast<std::size_t>(bin)];
    // Noise takes either one, so nothing is guessed: numbers from 0 on are ordered as their bits are.
    const std::int64_t less = std::bit_cast<std::int64_t>(t) - std::bit_cast<std::int64_t>(one.step);
    return one.above ^ ((one.below ^ one.above) & static_cast<Stored>(less >> 63));
  }

 private:
  /// The steepest part rises by 255 x 10 / asinh(10) = 850 levels per unit of t.
  static constexpr std::size_t kBins = 4096, kBlankBin = kBins + 1, kLanes = 4;
  struct Bin {
    double step;  ///< of t, from which on the colour is the one above
    Stored below, above;
  };
  std::array<Bin, kBins + 2> bins_{};
};

REBER_AVX2_CLONE void ColourTable::place(const std::vector<float>& values, const DisplayLimits& limits, double* t,
                                         std::int32_t* bin) {
  using Floats [[gnu::vector_size(16)]] = float;
  using Bits [[gnu::vector_size(16)]] = std::int32_t;
  using Doubles [[gnu::vector_size(32)]] = double;
  constexpr std::int32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;
  const double low = limits.low, scale = 1 / (limits.high - limits.low);
  const Doubles zero{}, one = zero + 1.0;
  for (std::size_t x = 0; x < values.size(); x += kLanes) {
    Floats value;
    std::memcpy(&value, &values[x], sizeof value);
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    Doubles place = (__builtin_convertvector(value, Doubles) - low) * scale;
    place = place > zero ? place : zero;  // 0 of a NaN
    place = place < one ? place : one;
    const Bits finite = (bits & kMagnitude) < kInfinity;
    const Bits found = __builtin_convertvector(place * static_cast<double>(kBins), Bits);
    const Bits which = (found & finite) | (static_cast<std::int32_t>(kBlankBin) & ~finite);
    std::memcpy(t + x, &place, sizeof place);
    std::memcpy(bin + x, &which, sizeof which);
  }
}

const ColourTable& colour_table() {
  static const ColourTable table;
  return table;
}

void put_colours(const std::vector<Stored>& row, Rgb* to) {
  // A byte too many, which the next pixel replaces.
  auto* const bytes = reinterpret_cast<std::uint8_t*>(to);
  for (std::size_t x = 0; x + 1 < row.size(); ++x) std::memcpy(bytes + sizeof(Rgb) * x, &row[x], sizeof(Stored));
  std::memcpy(to + row.size() - 1, &row.back(), sizeof(Rgb));
}

}  // namespace

Image reduced_peaks(Shape shape, const PixelRows& rows, int reduce, ThreadPool& pool, const Progress& progress) {
  const std::int64_t block = reduce, nx = (shape.nx + block - 1) / block, ny = (shape.ny + block - 1) / block;
  Image out({ny, nx});
  const std::int64_t blocks =
      std::clamp<std::int64_t>(kBandPixels * std::min(pool.threads(), 8) / (shape.nx * block), 1, ny);
  // Not filled: the threads that bring the rows make its pages.
  const auto band = make_large<float>(static_cast<std::size_t>(std::min(blocks * block, shape.ny) * shape.nx));
  std::vector<std::vector<float>> columns(static_cast<std::size_t>(pool.threads()));
  for (std::int64_t first = 0; first < ny; first += blocks) {
    progress.report("drawing", static_cast<double>(first) / static_cast<double>(ny));
    const std::int64_t y0 = first * block, here = std::min(blocks, ny - first);
    rows(y0, std::min(here * block, shape.ny - y0), band.get());
    pool.for_each_worker(here, [&](std::int64_t i, int worker) {
      auto& peaks = columns[static_cast<std::size_t>(worker)];
      peaks.resize(static_cast<std::size_t>(shape.nx));
      const std::int64_t y = i * block;
      column_peaks(band.get() + y * shape.nx, std::min(block, shape.ny - y0 - y), shape.nx, peaks.data());
      float* const to = out.data() + (ny - 1 - first - i) * nx;
      for (std::int64_t x = 0; x < nx; ++x) {
        float peak = kLowest;
        for (std::int64_t at = x * block; at < std::min((x + 1) * block, shape.nx); ++at)
          peak = std::max(peak, peaks[static_cast<std::size_t>(at)]);
        to[x] = levels::low_blank(peak);
      }
    });
  }
  return out;
}

Image upright_peaks(Shape shape, const std::vector<float>& peaks, int reduce, ThreadPool& pool) {
  const std::int64_t nx = (shape.nx + reduce - 1) / reduce, ny = (shape.ny + reduce - 1) / reduce;
  if (static_cast<std::int64_t>(peaks.size()) != ny * nx) throw InternalError("upright_peaks: peaks of another image");
  Image out({ny, nx});
  constexpr std::int64_t kRows = 64;  // of a thread's turn
  pool.for_each((ny + kRows - 1) / kRows, [&](std::int64_t i) {
    for (std::int64_t y = i * kRows; y < std::min((i + 1) * kRows, ny); ++y)
      std::copy_n(peaks.data() + y * nx, nx, out.data() + (ny - 1 - y) * nx);
  });
  return out;
}

Rgb sky_colour(int s) {
  const std::uint32_t colour = kInferno[static_cast<std::size_t>(std::clamp(s, 0, 255))];
  return {static_cast<std::uint8_t>(colour >> 16), static_cast<std::uint8_t>(colour >> 8),
          static_cast<std::uint8_t>(colour)};
}

void prepare_to_paint() { (void)colour_table(); }

void paint_sky(ConstImageView values, const DisplayLimits& limits, ThreadPool& pool, RgbView out) {
  const ColourTable& table = colour_table();
  const int nx = static_cast<int>(values.shape.nx), ny = static_cast<int>(values.shape.ny);
  if (out.width != nx || out.height != ny) throw InternalError("paint_sky: a picture of another size");
  constexpr int kRows = 64;  // of a thread's turn
  const auto count = static_cast<std::size_t>(nx);
  pool.for_each((ny + kRows - 1) / kRows, [&](std::int64_t i) {
    const std::size_t whole = ColourTable::whole_lanes(count);
    std::vector<float> value(whole);
    std::vector<double> t(whole);
    std::vector<std::int32_t> bin(whole);
    std::vector<Stored> colour(count);
    for (int y = static_cast<int>(i) * kRows; y < std::min(static_cast<int>(i + 1) * kRows, ny); ++y) {
      std::copy_n(values.row(y), count, value.data());
      ColourTable::place(value, limits, t.data(), bin.data());
      for (std::size_t x = 0; x < count; ++x) colour[x] = table.at(t[x], bin[x]);
      put_colours(colour, out.row(y));
    }
  });
}

}  // namespace reber
