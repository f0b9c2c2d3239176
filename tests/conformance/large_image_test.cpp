// SPDX-License-Identifier: BSD-3-Clause
// Images that are larger than what may be used of a card, and than 2^32 pixels: their rows are made when they are read.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/counted_cells.hpp"
#include "kernels/backends.hpp"
#include "kernels/shared/cell_clip.hpp"
#include "tests/support/testing.hpp"
#ifdef REBER_HAVE_CUDA
#include "kernels/cuda/device/card_memory.hpp"
#endif

namespace reber::testing {
namespace {

/// Noise of unit sigma, the same row from another place each time, and square sources of 5 x 5 pixels.
class MadeSky final : public PixelSource {
 public:
  struct Spot {
    std::int64_t y, x;
  };
  static constexpr float kPeak = 50;

  MadeSky(Shape shape, const std::vector<Spot>& spots) : shape_(shape) {
    Random random(5);
    noise_.resize(static_cast<std::size_t>(kPlaces + shape.nx));
    for (float& pixel : noise_) pixel = static_cast<float>(random.normal());
    for (const Spot& spot : spots)
      for (std::int64_t dy = -2; dy <= 2; ++dy) spots_.emplace(spot.y + dy, spot.x);
  }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    rows_read += ny;
    for (std::int64_t y = y0; y < y0 + ny; ++y, out += shape_.nx * 4) {
      std::memcpy(out, noise_.data() + y * 7919 % kPlaces, static_cast<std::size_t>(shape_.nx) * 4);
      for (auto [at, end] = spots_.equal_range(y); at != end; ++at)
        for (std::int64_t dx = -2; dx <= 2; ++dx) std::memcpy(out + (at->second + dx) * 4, &kPeak, 4);
    }
  }
  mutable std::atomic<std::int64_t> rows_read{0};

 private:
  static constexpr std::int64_t kPlaces = 1 << 16;
  Shape shape_;
  std::vector<float> noise_;
  std::multimap<std::int64_t, std::int64_t> spots_;
};

/// Peaks and places of the sources.
std::vector<double> numbers_of(const std::string& name, const std::shared_ptr<const PixelSource>& sky,
                               std::int64_t device_memory) {
  auto header = std::make_shared<ImageHeader>();
  header->shape = sky->shape();
  header->bitpix = -32;
  header->beam = Beam{5.0 / 3600, 5.0 / 3600, 0};
  Request request;
  request.input = "sky";
  request.program = "reber test";
  request.background.emplace();
  request.background->box = 64;
  request.detect.emplace();
  request.detect->seed = 8;
  request.detect->flood = 6;
  request.fit.method = FitRequest::Method::moments;
  request.device_memory_bytes = device_memory;
  BackendOptions options;
  options.device_memory_bytes = device_memory;
  const std::shared_ptr<Backend> backend = make_backend(name, options, LogSink());
  const Result result = Pipeline(backend, {"sky", {}, sky, header}).run(request);
  std::vector<double> numbers;
  for (const Source& source : result.sources()) numbers.insert(numbers.end(), {source.peak, source.x, source.y});
  return numbers;
}

TEST(LargeImage, device_memory_stays_below_what_is_allowed) {
  const Shape shape{9000, 4000};  // 144 MB of pixels
  const auto sky = std::make_shared<MadeSky>(
      shape, std::vector<MadeSky::Spot>{{2, 2}, {63, 1999}, {4500, 3000}, {4563, 30}, {8997, 3997}});
  const std::vector<double> expected = numbers_of("cpu", sky, 0);
  EXPECT_EQ(expected.size(), 15U);
  if (std::ranges::count(tested_backends(), "cuda") == 0) GTEST_SKIP() << "no card";
#ifdef REBER_HAVE_CUDA
  constexpr std::int64_t kAllowed = std::int64_t{160} << 20;
  const std::int64_t before = cuda::card_memory(0).totals().lent;
  cuda::card_memory(0).forget_most_lent();
  sky->rows_read = 0;
  EXPECT_EQ(numbers_of("cuda", sky, kAllowed), expected);
  // Cells and what stands above them; cells without that, and the islands. Blocks may stay from walk to walk. Nine rows
  // are looked at for a blank rim, and the first and the last for padding: a block of 8 MiB at most each.
  EXPECT_LE(sky->rows_read, 2 * shape.ny + 11 * (std::int64_t{8} << 20) / (4 * shape.nx));
  const std::int64_t peak = cuda::card_memory(0).totals().most_lent;
  EXPECT_GT(peak, before);
  EXPECT_LE(peak - before, kAllowed);
#endif
}

/// Rows of one value, or of many on an offset; the last row may have another value.
class FewValues final : public PixelSource {
 public:
  FewValues(Shape shape, std::vector<float> row, std::vector<float> last)
      : shape_(shape), row_(std::move(row)), last_(std::move(last)) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    for (std::int64_t y = y0; y < y0 + ny; ++y, out += shape_.nx * 4)
      std::memcpy(out, (y == shape_.ny - 1 ? last_ : row_).data(), static_cast<std::size_t>(shape_.nx) * 4);
  }

 private:
  Shape shape_;
  std::vector<float> row_, last_;
};

/// Mean and standard deviation of the rows, by the formulas.
std::pair<double, double> moments_of(Shape shape, const std::vector<float>& row, const std::vector<float>& last) {
  const double weight = static_cast<double>(shape.ny) - 1, n = static_cast<double>(shape.count());
  long double sum = 0, squares = 0;
  for (const float one : row) sum += weight * static_cast<long double>(one);
  for (const float one : last) sum += one;
  const long double mean = sum / n;
  for (const float one : row) squares += weight * (one - mean) * (one - mean);
  for (const float one : last) squares += (one - mean) * (one - mean);
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(squares / n))};
}

/// More pixels of one bin than its counters hold, on one thread: constants, two values, an offset of 10^6 noise.
void expect_counts_right(Shape shape) {
  Random random(9);
  const auto filled = [&](float value) { return std::vector(static_cast<std::size_t>(shape.nx), value); };
  std::vector<float> offset = filled(0);
  for (float& one : offset) one = 2.725f + 2.725e-6f * static_cast<float>(random.normal());
  const float ends_in_ones = std::bit_cast<float>(0x402effffu);
  const std::vector<std::pair<std::vector<float>, std::vector<float>>> cases{
      {filled(0), filled(0)},
      {filled(0), filled(1)},
      {filled(ends_in_ones), filled(ends_in_ones)},
      {filled(-2.725f), filled(-2.7251f)},
      {filled(ends_in_ones), filled(0)},
      {offset, offset}};
  for (const std::string& name : tested_backends()) {
    BackendOptions options;
    options.threads = 1;
    const std::shared_ptr<Backend> tested = fresh_backend(name, options);
    if (!tested->info().streams_sources) continue;
    TilingPlan tiling;
    tiling.resident = false;
    tiling.in_source = true;
    tiling.band_rows = 256;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      SCOPED_TRACE(name + " " + std::to_string(k));
      const auto& [row, last] = cases[k];
      const auto plane = tested->stream(std::make_shared<FewValues>(shape, row, last), tiling);
      const PlaneStatistics all = tested->statistics(*plane);
      const auto [mean, std] = moments_of(shape, row, last);
      EXPECT_EQ(all.finite, shape.count());
      EXPECT_NEAR(all.mean, mean, 1e-12 * (std::abs(mean) + std));
      EXPECT_NEAR(all.std, std, 1e-6 * std + 1e-15 * std::abs(mean));
      const ClipStatistics clip = tested->clip(*plane, {});
      EXPECT_GE(clip.kept, shape.count() / 100 * 98);
      EXPECT_EQ(all.min, std::min(std::ranges::min(row), std::ranges::min(last)));
    }
  }
}

TEST(LargeImage, counts_of_more_than_2_to_the_24_pixels) { expect_counts_right({4100, 4100}); }

/// Takes minutes on two busy cores, so it runs where it is asked for (ctest -C Weekly -L weekly).
TEST(LargeImage, DISABLED_counts_of_more_than_2_to_the_31_and_32_pixels) {
  expect_counts_right({46400, 46340});
  expect_counts_right({65600, 65600});
}

/// Takes minutes on two busy cores, so it runs where it is asked for (ctest -C Weekly -L weekly).
TEST(LargeImage, DISABLED_cells_of_more_pixels_than_are_sorted_and_than_32_bits_count) {
  if (std::ranges::count(tested_backends(), "cuda") == 0) GTEST_SKIP() << "no card";
  Backend& card = backend("cuda");
  Backend& processor = backend("cpu");
  TilingPlan tiling;
  tiling.resident = false;
  tiling.in_source = true;
  tiling.band_rows = 64;
  for (const Shape shape : {Shape{17000, 16001}, Shape{66000, 65600}}) {
    const MeshGrid grid = MeshGrid::make(shape, shape.ny);
    ASSERT_TRUE(has_counted_cells(grid));
    const auto sky = std::make_shared<MadeSky>(shape, std::vector<MadeSky::Spot>{{2, 2}, {900, 12000}});
    const auto plane = card.stream(sky, tiling);
    const MeshCells got = card.mesh(*plane, grid, {});
    const MeshOptions options;
    const ClipStatistics clip = processor.clip(*processor.stream(sky, tiling), options.clip);
    const rules::CellValue expected =
        rules::cell_value(clip.median, clip.mean, clip.std, clip_bias(options.clip.kappa), options.centre);
    ASSERT_EQ(got.mean.size(), 1U);
    EXPECT_EQ(got.mean[0], expected.mean);
    EXPECT_EQ(got.rms[0], expected.rms);
    EXPECT_NEAR(got.rms[0], 1, 0.02);
    EXPECT_LE(sky->rows_read, 8 * shape.ny);  // the moments and the values of some bins, each on card and processor
  }
}

/// Takes minutes on two busy cores, so it runs where it is asked for (ctest -C Weekly -L weekly).
TEST(LargeImage, DISABLED_islands_and_counts_of_more_than_2_to_the_32_pixels) {
  const Shape shape{66000, 65600};
  ASSERT_GT(shape.count(), std::int64_t{std::numeric_limits<std::uint32_t>::max()});
  // Where a place of 32 bits would overflow: 2^31 and 2^32 pixels, and the last corner.
  const std::vector<MadeSky::Spot> spots{{2, 2}, {32735, 60000}, {65480, 40000}, {65997, 65597}};
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    TilingPlan tiling;
    tiling.resident = false;
    tiling.in_source = true;
    tiling.band_rows = 512;
    tiling.streams = 2;
    const auto plane = tested.stream(std::make_shared<MadeSky>(shape, spots), tiling);
    const BackgroundModel model = BackgroundModel::constant(shape, 0, 1);
    const auto islands = tested.label(*plane, model, {8, 8, 20, Connectivity::eight, false});
    EXPECT_EQ(plane->blank(), 0);
    const std::vector<IslandSums> sums = tested.measure(*plane, model, *islands);
    ASSERT_EQ(sums.size(), spots.size());
    const IslandPixels pixels = tested.island_pixels(*plane, model, *islands, 1);
    ASSERT_EQ(pixels.pixel.size(), 25 * spots.size());
    for (std::size_t k = 0; k < spots.size(); ++k) {
      EXPECT_EQ(sums[k].npix, 25);
      EXPECT_EQ(sums[k].y0, spots[k].y - 2);
      EXPECT_EQ(sums[k].x0, spots[k].x - 2);
      EXPECT_EQ(sums[k].s, 25 * MadeSky::kPeak);
      EXPECT_EQ(pixels.y[25 * k + 12], spots[k].y);
      EXPECT_EQ(pixels.x[25 * k + 12], spots[k].x);
      EXPECT_EQ(pixels.pixel[25 * k + 12], MadeSky::kPeak);
    }
    const PlaneStatistics all = tested.statistics(*plane, StatisticsParts::mean_and_std);
    EXPECT_EQ(all.finite, shape.count());
    EXPECT_NEAR(all.std, 1, 0.05);
    std::vector<float> corner(10);
    tested.render(MapKind::image, *plane, nullptr, {shape.ny - 5, shape.nx - 10, 1, 10}, corner.data());
    EXPECT_EQ(corner[7], MadeSky::kPeak);
    EXPECT_LT(corner[2], 10);
  }
}

}  // namespace
}  // namespace reber::testing
