// SPDX-License-Identifier: BSD-3-Clause
// One image by several backends, which share it as processes do, played by threads, or as the cards of a host do: the
// bits of one backend alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/exchange.hpp"
#include "core/files/image/image_file.hpp"
#include "kernels/backends.hpp"
#include "kernels/banded/backend.hpp"
#include "kernels/shared_backend.hpp"
#include "tests/support/failing_maps.hpp"

namespace reber {
namespace {

/// Where the threads meet: the last one to come lets all go on.
struct Room {
  std::mutex mutex;
  std::condition_variable turned;
  std::vector<std::string> said, heard;
  std::size_t here = 0, turn = 0;
};

class RoomExchange final : public Exchange {
 public:
  RoomExchange(Room& room, std::int64_t index, std::int64_t count) : room_(room), index_(index), count_(count) {}
  [[nodiscard]] std::int64_t index() const override { return index_; }
  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] std::vector<std::string> gather(std::string own, const Progress&) override {
    std::unique_lock lock(room_.mutex);
    room_.said.resize(static_cast<std::size_t>(count_));
    room_.said[static_cast<std::size_t>(index_)] = std::move(own);
    const std::size_t turn = room_.turn;
    if (++room_.here == room_.said.size()) {
      room_.heard = std::move(room_.said);
      room_.said.clear();
      room_.here = 0;
      ++room_.turn;
      room_.turned.notify_all();
    }
    room_.turned.wait(lock, [&] { return room_.turn != turn; });
    return room_.heard;
  }

 private:
  Room& room_;
  std::int64_t index_, count_;
};

constexpr Shape kShape{301, 203};

/// Noise, sources that reach over several strips of rows, and a blank block.
std::vector<float> sky() {
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0, 1);
  std::vector<float> pixels(static_cast<std::size_t>(kShape.count()));
  for (float& pixel : pixels) pixel = noise(random);
  for (int source = 0; source < 90; ++source) {
    const auto y0 = static_cast<double>(random() % 301), x0 = static_cast<double>(random() % 203);
    const auto s = static_cast<double>(2 + random() % (source < 4 ? 30 : 3));
    for (std::int64_t y = 0; y < kShape.ny; ++y)
      for (std::int64_t x = 0; x < kShape.nx; ++x)
        pixels[static_cast<std::size_t>(y * kShape.nx + x)] +=
            static_cast<float>(30 * std::exp(-0.5 * (std::pow(static_cast<double>(y) - y0, 2) / s / s +
                                                     std::pow(static_cast<double>(x) - x0, 2) / 4)));
  }
  for (std::int64_t y = 90; y < 110; ++y) std::fill_n(pixels.begin() + y * kShape.nx + 20, 60, std::nanf(""));
  return pixels;
}

/// Everything that processes share of an image.
struct Found {
  std::int64_t blank = 0;
  MeshCells cells;
  LabelRuns runs;
  std::vector<IslandSums> sums;
  IslandPixels pixels;
  FitResults fits;
};

Found found_by(Backend& backend, const std::vector<float>& pixels, std::int64_t band_rows) {
  TilingPlan tiling;
  tiling.in_source = band_rows > 0;
  tiling.resident = !tiling.in_source;
  tiling.band_rows = band_rows;
  Found found;
  const std::shared_ptr<const PixelSource> source = memory_source(pixels.data(), kShape);
  const auto plane = backend.stream(source, tiling);
  const MeshGrid grid = MeshGrid::sliding(kShape, 40, 20);
  found.cells = backend.mesh(*plane, grid, {});
  found.blank = plane->blank();
  const BackgroundModel model = finish_mesh(grid, found.cells, {});
  const auto islands = backend.label(*plane, model, {});
  found.runs = backend.label_runs(*islands);
  found.sums = backend.measure(*plane, model, *islands);
  found.pixels = backend.island_pixels(*plane, model, *islands, 7);
  FitBatch batch;
  const IslandPixels& of = found.pixels;
  for (std::size_t repeat = 0; repeat < 3; ++repeat)
    for (std::size_t k = 0; k < of.label.size(); ++k) {
      const auto first = of.first[k], last = of.first[k + 1];
      FitPixels its{{of.y.begin() + first, of.y.begin() + last}, {of.x.begin() + first, of.x.begin() + last}, {}, {}};
      for (auto p = first; p < last; ++p) {
        its.value.push_back(static_cast<double>(of.pixel[static_cast<std::size_t>(p)]));
        its.rms.push_back(1 + static_cast<double>(repeat));
      }
      const IslandSums& sums = found.sums[static_cast<std::size_t>(of.label[k] - 1)];
      batch.add(its, {{20, static_cast<double>(sums.peak_x), static_cast<double>(sums.peak_y), {30, 0, 30}}},
                {{3, 1, 60, true}}, false);
    }
  found.fits = backend.fits().fit(batch);
  return found;
}

template <class Value>
bool same_bits(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

/// The first value that is another, -1 for none; a blank pixel is blank whatever its bits.
std::int64_t first_other(const std::vector<float>& a, const std::vector<float>& b) {
  const auto same = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const auto [it, other] = std::ranges::mismatch(a, b, same);
  return it == a.end() && other == b.end() ? -1 : it - a.begin();
}

void expect_same(const Found& one, const Found& other) {
  EXPECT_EQ(one.blank, other.blank);
  EXPECT_TRUE(same_bits(one.cells.mean, other.cells.mean));
  EXPECT_TRUE(same_bits(one.cells.rms, other.cells.rms));
  EXPECT_EQ(one.runs, other.runs);
  ASSERT_EQ(one.sums.size(), other.sums.size());
  for (std::size_t k = 0; k < one.sums.size(); ++k) EXPECT_EQ(one.sums[k].sxy, other.sums[k].sxy) << k;
  EXPECT_TRUE(same_bits(one.pixels.pixel, other.pixels.pixel));
  ASSERT_EQ(one.fits.problems.size(), other.fits.problems.size());
  for (std::size_t k = 0; k < one.fits.problems.size(); ++k) {
    EXPECT_EQ(one.fits.problems[k].status, other.fits.problems[k].status) << k;
    EXPECT_EQ(one.fits.problems[k].chi2, other.fits.problems[k].chi2) << k;
    EXPECT_EQ(one.fits.components[k].component.x, other.fits.components[k].component.x) << k;
  }
}

TEST(SharedBackend, FindsWhatOneAloneFinds) {
  const std::vector<float> pixels = sky();
  BackendOptions options;
  options.threads = 1;
  const Found alone = found_by(*make_backend("cpu", options, LogSink()), pixels, 0);
  ASSERT_GT(alone.fits.problems.size(), 64U);
  ASSERT_GT(alone.blank, 0);
  for (const std::int64_t band_rows : {0, 7, 64})
    for (const std::int64_t count : {1, 2, 5, 40}) {
      Room room;
      std::vector<Found> all(static_cast<std::size_t>(count));
      std::vector<std::thread> threads;
      for (std::int64_t i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
          const auto backend =
              make_shared_backend("cpu", options, std::make_shared<RoomExchange>(room, i, count), LogSink());
          all[static_cast<std::size_t>(i)] = found_by(*backend, pixels, band_rows);
        });
      for (std::thread& thread : threads) thread.join();
      SCOPED_TRACE(std::to_string(count) + " processes, bands of " + std::to_string(band_rows));
      for (const Found& one : all) expect_same(alone, one);
    }
}

/// failing: whose maps of the noise fail as those of a lost card do; -1 for none
std::unique_ptr<Backend> banded_of(const std::vector<double>& weights, std::vector<std::string>* said = nullptr,
                                   int failing = -1) {
  BackendOptions options;
  options.threads = 1;
  std::vector<std::unique_ptr<Backend>> members;
  for (int k = 0; k < std::ssize(weights); ++k) {
    members.push_back(make_backend("cpu", options, LogSink()));
    if (k == failing) members.back() = std::make_unique<testing::FailingMaps>(std::move(members.back()));
  }
  const LogSink log([said](LogLevel, const std::string& text) {
    if (said != nullptr) said->push_back(text);
  });
  std::vector<banded::Ability> abilities;
  for (const double weight : weights) abilities.push_back({weight});
  return banded::make(std::move(members), std::move(abilities), log);
}

TEST(BandedBackend, FindsWhatOneAloneFinds) {
  const std::vector<float> pixels = sky();
  BackendOptions options;
  options.threads = 1;
  const Found alone = found_by(*make_backend("cpu", options, LogSink()), pixels, 0);
  const std::vector<std::vector<double>> all{{1},       {1, 1},          {1, 3},
                                             {5, 1, 1}, {1, 1, 1, 1, 1}, std::vector<double>(60, 1)};
  for (const std::int64_t band_rows : {0, 7, 64})
    for (const std::vector<double>& weights : all) {
      SCOPED_TRACE(std::to_string(weights.size()) + " members, bands of " + std::to_string(band_rows));
      expect_same(alone, found_by(*banded_of(weights), pixels, band_rows));
    }
}

/// Maps and planes made of others, where borders of bands could show.
std::vector<std::vector<float>> maps_by(Backend& backend, const std::vector<float>& pixels, std::int64_t band_rows) {
  TilingPlan tiling;
  tiling.in_source = band_rows > 0;
  tiling.resident = !tiling.in_source;
  tiling.band_rows = band_rows > 0 ? band_rows : kShape.ny;
  const auto plane = backend.stream(memory_source(pixels.data(), kShape), tiling);
  const MeshGrid grid = MeshGrid::make(kShape, 9);
  const BackgroundModel model = finish_mesh(grid, backend.mesh(*plane, grid, {}), {});
  const auto islands = backend.label(*plane, model, {});
  std::vector<std::vector<float>> maps;
  const auto keep = [&](MapKind kind, const Plane& of) {
    maps.emplace_back(static_cast<std::size_t>(of.shape().count()));
    backend.render_rows(kind, of, &model, 0, of.shape().ny, maps.back().data());
    maps.push_back({static_cast<float>(of.blank())});
  };
  for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr}) keep(kind, *plane);
  const auto masked = backend.derive(WithoutIslands{*plane, *islands, 5});
  keep(MapKind::image, *masked);
  const MeshCells cells = backend.mesh(*masked, grid, {});
  maps.push_back(cells.mean);
  maps.push_back(cells.rms);
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::separable, Algorithm::fft}) {
    ConvolutionSpec spec;
    spec.kernel = box_kernel(11, Normalise::sum);
    spec.boundary = Boundary::mirror;
    const auto plan = backend.plan_convolution(spec, kShape, algorithm);
    const auto smooth = backend.convolve(*plane, *plan);
    keep(MapKind::image, *smooth);
    const auto found = backend.label(*smooth, model, {});
    for (const IslandSums& sums : backend.measure(*masked, model, *found))
      maps.push_back({static_cast<float>(sums.sx)});
    keep(MapKind::image, *backend.derive(CombinedPlane{PlaneRule::difference, *plane, *smooth}));
  }
  keep(MapKind::snr, *backend.derive(MinusMagnitude{*plane}));
  const auto fewer = backend.derive(EveryNth{*plane, 3});
  maps.emplace_back(static_cast<std::size_t>(fewer->shape().count()));
  backend.render_rows(MapKind::image, *fewer, nullptr, 0, fewer->shape().ny, maps.back().data());
  const PlaneStatistics statistics = backend.statistics(*plane);
  maps.push_back({static_cast<float>(statistics.mean), static_cast<float>(statistics.median),
                  static_cast<float>(backend.clip(*plane, {}).std), backend.largest(*plane).value_or(0)});
  return maps;
}

TEST(BandedBackend, MakesThePlanesThatOneAloneMakes) {
  const std::vector<float> pixels = sky();
  BackendOptions options;
  options.threads = 1;
  for (const std::int64_t band_rows : {0, 7}) {
    const auto alone = maps_by(*make_backend("cpu", options, LogSink()), pixels, band_rows);
    for (const std::vector<double>& weights : {std::vector<double>{1, 1}, {1, 2, 1}, {1, 1, 1, 1, 1}}) {
      const auto together = maps_by(*banded_of(weights), pixels, band_rows);
      ASSERT_EQ(alone.size(), together.size());
      for (std::size_t k = 0; k < alone.size(); ++k)
        EXPECT_EQ(first_other(alone[k], together[k]), -1)
            << weights.size() << " members, " << band_rows << ", map " << k;
    }
  }
}

TEST(BandedBackend, GoesOnWithoutAMemberWhoseCardFails) {
  const std::vector<float> pixels = sky();
  BackendOptions options;
  options.threads = 1;
  const auto alone = maps_by(*make_backend("cpu", options, LogSink()), pixels, 7);
  for (const int failing : {0, 1, 2}) {
    std::vector<std::string> said;
    const auto backend = banded_of({1, 1, 1}, &said, failing);
    const auto together = maps_by(*backend, pixels, 7);
    ASSERT_EQ(alone.size(), together.size());
    for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_EQ(first_other(alone[k], together[k]), -1) << k;
    EXPECT_EQ(said.size(), 1U) << "said once";
    // Of an image that lay on the card nothing is left but to begin again.
    EXPECT_THROW((void)maps_by(*banded_of({1, 1}, nullptr, 1), pixels, 0), CardError);
  }
}

}  // namespace
}  // namespace reber
