// SPDX-License-Identifier: BSD-3-Clause
// What the seam promises of every operation on every backend: it stops when asked, counts its cost, refuses objects of
// another backend or shape; and planes outlive the backend that made them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/show/display/display_levels.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "kernels/backends.hpp"
#include "tests/conformance/grid_wcs.hpp"
#include "tests/support/seam_functions.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{301, 277};

std::vector<std::string> all_backends() {
  std::vector<std::string> names = tested_backends();
  names.emplace_back("reference");
  return names;
}

FitBatch one_fit() {
  FitPixels pixels;
  std::array<double, 6> unused{};
  const GaussianComponent truth{10, 6, 6, {16, 0, 16}};
  for (int y = 0; y < 13; ++y)
    for (int x = 0; x < 13; ++x) {
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.value.push_back(truth.evaluate(x, y, unused) + 0.01 * ((x * 7 + y * 3) % 5));
      pixels.rms.push_back(1);
    }
  FitBatch batch;
  GaussianComponent start = truth;
  start.peak = 8;
  batch.add(pixels, {start}, {{3, 1, 20, true}}, false);
  return batch;
}

/// One backend with one object of every kind.
struct Made {
  explicit Made(std::unique_ptr<Backend> made, std::int64_t band_rows = 0, Shape image_shape = kShape)
      : own(std::move(made)), tested(*own), image(random_image(image_shape, 0.01, 9)), shape(image_shape) {
    plane = load(tested, image, band_rows);
    background = BackgroundModel::constant(shape, 0, 1);
    options.seed = 2, options.flood = 1;
    islands = tested.label(*plane, background, options);
    spec.kernel = box_kernel(5, Normalise::sum);
    plan = tested.plan_convolution(spec, shape, Algorithm::direct);
    tiling.resident = band_rows == 0;
    tiling.band_rows = band_rows > 0 ? band_rows : shape.ny;
  }

  std::unique_ptr<Backend> own;
  Backend& tested;
  Image image;
  Shape shape;
  TilingPlan tiling;
  BackgroundModel background;
  DetectOptions options;
  ConvolutionSpec spec;
  PlaceGrid places{PlaceMap(grid_wcs("SIN", 30, 30, 0.001, 5, kShape), grid_wcs("SIN", 30, 30, 0.001, 0, kShape)),
                   {0, 0, 90, 70}};
  std::unique_ptr<ConvolutionPlan> plan;
  std::shared_ptr<const Plane> plane;
  std::unique_ptr<IslandMap> islands;
};

std::unique_ptr<Backend> fresh(const std::string& name) {
  BackendOptions options;
  options.threads = 1;
  return fresh_backend(name, options);
}

using Call = std::function<void(const Job&)>;

/// Every operation that takes a Job, by name; several calls where one has several forms.
std::multimap<std::string, Call> calls_of(Made& b) {
  std::multimap<std::string, Call> calls{
      {"load", [&b](const Job& job) { (void)b.tested.load(*memory_source(b.image.data(), b.shape), b.tiling, job); }},
      {"stream",
       [&b](const Job& job) { (void)b.tested.stream(memory_source(b.image.data(), b.shape), b.tiling, job); }},
      {"plan_convolution",
       [&b](const Job& job) { (void)b.tested.plan_convolution(b.spec, b.shape, Algorithm::direct, job); }},
      {"convolve", [&b](const Job& job) { (void)b.tested.convolve(*b.plane, *b.plan, job); }},
      {"convolve_later", [&b](const Job& job) { (void)b.tested.convolve_later(*b.plane, *b.plan, job); }},
      {"largest", [&b](const Job& job) { (void)b.tested.largest(*b.plane, job); }},
      {"statistics", [&b](const Job& job) { (void)b.tested.statistics(*b.plane, StatisticsParts::all, job); }},
      {"clip", [&b](const Job& job) { (void)b.tested.clip(*b.plane, {}, job); }},
      {"mesh", [&b](const Job& job) { (void)b.tested.mesh(*b.plane, MeshGrid::make(b.shape, 16), {}, job); }},
      {"label", [&b](const Job& job) { (void)b.tested.label(*b.plane, b.background, b.options, job); }},
      {"measure", [&b](const Job& job) { (void)b.tested.measure(*b.plane, b.background, *b.islands, job); }},
      {"mesh_each",
       [&b](const Job& job) {
         const MeshGrid grids[] = {MeshGrid::make(b.shape, 64), MeshGrid::sliding(b.shape, 30, 7)};
         (void)b.tested.mesh_each(*b.plane, grids, {}, job);
       }},
      {"island_pixels",
       [&b](const Job& job) { (void)b.tested.island_pixels(*b.plane, b.background, *b.islands, 1, job); }},
      {"label_runs", [&b](const Job& job) { (void)b.tested.label_runs(*b.islands, job); }},
      {"islands_of",
       [&b](const Job& job) {
         (void)b.tested.islands_of(LabelRuns{b.shape, {{0, 0, 1, 1}}}, b.options, job);
       }},
      {"noise_sums",
       [&b](const Job& job) {
         const NoiseQuestion question{{{0, 0, 40, 60}, {50, 100, 40, 60}}, 5, 4, 2};
         (void)b.tested.noise_sums(*b.plane, b.background, *b.islands, question, job);
       }},
      {"block_peaks", [&b](const Job& job) { (void)b.tested.block_peaks(*b.plane, 7, job); }},
      {"derive",
       [&b](const Job& job) {
         (void)b.tested.derive(EveryNth{*b.plane, 3}, job);
       }},
      {"derive", [&b](const Job& job) { (void)b.tested.derive(MinusMagnitude{*b.plane}, job); }},
      {"derive",
       [&b](const Job& job) {
         (void)b.tested.derive(SnrPlane{*b.plane, b.background}, job);
       }},
      {"derive",
       [&b](const Job& job) {
         (void)b.tested.derive(CombinedPlane{PlaneRule::larger, *b.plane, *b.plane}, job);
       }},
      {"derive",
       [&b](const Job& job) {
         (void)b.tested.derive(WithoutIslands{*b.plane, *b.islands, 2}, job);
       }},
      {"resample",
       [&b](const Job& job) {
         (void)b.tested.resample(*b.plane, b.places, resample_table(Interpolation::fitted, {}), job);
       }},
      {"fits", [&b](const Job& job) { (void)b.tested.fits().fit(one_fit(), job); }},
  };
  const auto drawing = [&b](MapKind kind) {
    return [&b, kind](const Job& job) {
      std::vector<float> out(static_cast<std::size_t>(b.shape.count()));
      b.tested.render_rows(kind, *b.plane, &b.background, 0, b.shape.ny, out.data(), job);
    };
  };
  for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr})
    calls.emplace("render", drawing(kind));
  for (const MapKind kind : {MapKind::image, MapKind::snr})
    calls.emplace("render_each", [&b, kind](const Job& job) {
      const Rect parts[] = {{3, 5, 40, 60}, {3, 100, 40, 60}, {90, 0, 32, b.shape.nx}};
      std::vector<float> out(static_cast<std::size_t>(80 * 60 + 32 * b.shape.nx));
      b.tested.render_each(kind, *b.plane, &b.background, parts, out.data(), job);
    });
  calls.emplace("draw_labels", [&b](const Job& job) {
    std::vector<std::int32_t> out(static_cast<std::size_t>(b.shape.count()));
    b.tested.label_rows(*b.islands, 0, b.shape.ny, out.data(), job);
  });
  if (DisplayEngine* const display = b.tested.display())
    calls.emplace("display", [&b, display](const Job& job) {
      (void)display->display_levels(MapKind::snr, b.plane, &b.background, job);
    });
  return calls;
}

TEST(Seam, the_calls_below_are_of_every_operation_that_takes_a_job) {
  Made mine(fresh("cpu"));
  const auto calls = calls_of(mine);
  for (const SeamFunction& function : seam_functions())
    EXPECT_EQ(calls.contains(function.name), function.takes_job || function.name == "fits") << function.name;
}

TEST(Seam, every_operation_stops_when_it_is_asked_before_it_begins) {
  const std::atomic<bool> stop{true};
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    for (const auto& [operation, call] : calls_of(mine)) {
      EXPECT_THROW(call(Progress({}, &stop)), Cancelled) << name << " " << operation;
      EXPECT_NO_THROW(call({})) << name << " " << operation;
    }
  }
}

/// The stop is asked for at the first report; on one thread and with bands of 32 rows, parts are left then.
TEST(Seam, operations_that_report_stop_between_their_parts) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name), 32);
    for (const auto& [operation, call] : calls_of(mine)) {
      if (operation == "fits" || operation == "load" || operation == "stream") continue;  // of one part here
      std::atomic<bool> stop{false};
      bool told = false, cancelled = false;
      const Progress progress(
          [&](const std::string&, double) {
            told = true;
            stop = true;
          },
          &stop);
      try {
        call(progress);
      } catch (const Cancelled&) {
        cancelled = true;
      }
      EXPECT_EQ(cancelled, told) << name << " " << operation;
    }
  }
}

/// Asks for a stop once a first part was read.
class StoppingSource final : public PixelSource {
 public:
  explicit StoppingSource(std::atomic<bool>& stop) : stop_(&stop) {}
  [[nodiscard]] Shape shape() const override { return {4096, 2048}; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t, std::int64_t ny, std::byte* out) const override {
    std::fill_n(out, ny * 2048 * 4, std::byte{0});
    *stop_ = true;
  }

 private:
  std::atomic<bool>* stop_;
};

TEST(Seam, a_load_stops_between_the_parts_that_it_reads) {
  for (const std::string& name : all_backends()) {
    std::atomic<bool> stop{false};
    TilingPlan tiling;
    tiling.resident = false;
    tiling.band_rows = 64;
    EXPECT_THROW((void)fresh(name)->load(StoppingSource(stop), tiling, Progress({}, &stop)), Cancelled) << name;
  }
}

TEST(Seam, costs_arrive_in_the_job_and_add_up) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    OpCounters total;
    double last_ms = 0;
    for (const auto& [operation, call] : calls_of(mine)) {
      OpCounters counters;
      call(Job({}, &counters));
      call(Job({}, &total));
      // Few fits are the host's, and of these two the card has none.
      const bool on_card =
          name == "cuda" && operation != "fits" && operation != "convolve_later" && operation != "largest";
      EXPECT_EQ(counters.device_ms > 0, on_card) << name << " " << operation;
      EXPECT_GE(total.device_ms, last_ms);
      last_ms = total.device_ms;
      const std::int64_t bytes = name == "cuda" ? mine.shape.count() * 4 : 0;
      if (operation == "load") {
        EXPECT_EQ(counters.bytes_up, bytes);
      }
      if (operation == "draw_labels") {
        EXPECT_GE(counters.bytes_down, bytes);
      }
    }
    EXPECT_EQ(total.bytes_down > 0, name == "cuda");
  }
}

TEST(Seam, objects_of_another_backend_are_refused) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    Made other(fresh(name == "reference" ? "cpu" : "reference"));
    Backend& tested = mine.tested;
    EXPECT_THROW((void)tested.statistics(*other.plane), InternalError) << name;
    EXPECT_THROW((void)tested.convolve(*mine.plane, *other.plan), InternalError) << name;
    EXPECT_THROW((void)tested.convolve(*other.plane, *mine.plan), InternalError) << name;
    EXPECT_THROW((void)tested.measure(*mine.plane, mine.background, *other.islands), InternalError) << name;
    EXPECT_THROW((void)tested.label_runs(*other.islands), InternalError) << name;
    EXPECT_THROW((void)tested.derive(CombinedPlane{PlaneRule::larger, *mine.plane, *other.plane}), InternalError)
        << name;
    BackgroundModel mapped = mine.background;
    mapped.rms_map = other.plane;
    EXPECT_THROW((void)tested.label(*mine.plane, mapped, mine.options), InternalError) << name;
    mapped.rms_map = mine.plane;
    EXPECT_NO_THROW((void)tested.label(*mine.plane, mapped, mine.options)) << name;
  }
}

TEST(Seam, objects_of_another_shape_are_refused) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    Backend& tested = mine.tested;
    const Image small = random_image({40, 50}, 0, 3);
    const std::shared_ptr<const Plane> plane = load(tested, small);
    std::vector<float> out(static_cast<std::size_t>(small.shape().count()));
    EXPECT_THROW((void)tested.convolve(*plane, *mine.plan), InternalError) << name;
    EXPECT_THROW((void)tested.mesh(*plane, MeshGrid::make(kShape, 16), {}), InternalError) << name;
    EXPECT_THROW((void)tested.label(*plane, mine.background, mine.options), InternalError) << name;
    const BackgroundModel fits = BackgroundModel::constant(small.shape(), 0, 1);
    EXPECT_THROW((void)tested.measure(*plane, fits, *mine.islands), InternalError) << name;
    EXPECT_THROW((void)tested.island_pixels(*plane, fits, *mine.islands, 1), InternalError) << name;
    EXPECT_THROW((void)tested.derive(WithoutIslands{*plane, *mine.islands, 0}), InternalError) << name;
    EXPECT_THROW((void)tested.derive(CombinedPlane{PlaneRule::larger, *plane, *mine.plane}), InternalError) << name;
    EXPECT_THROW((void)tested.derive(SnrPlane{*plane, mine.background}), InternalError) << name;
    EXPECT_THROW(tested.render_rows(MapKind::rms, *plane, &mine.background, 0, 1, out.data()), InternalError) << name;
    EXPECT_THROW(tested.render_rows(MapKind::rms, *plane, nullptr, 0, 1, out.data()), InternalError) << name;
    EXPECT_THROW(tested.render_rows(MapKind::image, *plane, nullptr, 40, 1, out.data()), InputError) << name;
    EXPECT_THROW(tested.render(MapKind::image, *plane, nullptr, {0, -1, 1, 5}, out.data()), InputError) << name;
    using Runs = std::vector<LabelRuns::Run>;
    for (const Runs& wrong :
         {Runs{{1, 2, 4, 1}, {0, 2, 4, 1}}, Runs{{1, 2, 4, 1}, {1, 3, 5, 1}}, Runs{{1, 2, 2, 1}}, Runs{{1, -1, 2, 1}},
          Runs{{0, 0, 9, 2}}, Runs{{0, 0, 1, 0}}, Runs{{4000, 0, 1, 1}}, Runs{{0, 3, 4000, 1}}})
      EXPECT_THROW((void)tested.islands_of({kShape, wrong}, {}), InternalError) << name;
    std::int32_t label = 0;
    EXPECT_THROW(tested.draw_labels(*mine.islands, {0, kShape.nx, 1, 1}, &label), InputError) << name;
    BackgroundModel mapped = mine.background;
    mapped.mean_map = plane;
    EXPECT_THROW((void)tested.label(*mine.plane, mapped, mine.options), InternalError) << name;
  }
}

TEST(Seam, planes_plans_and_islands_outlive_their_backend) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    const std::int64_t blank = mine.plane->blank(), count = mine.islands->count();
    std::unique_ptr<DisplayLevels> levels;
    if (DisplayEngine* const display = mine.tested.display())
      levels = display->display_levels(MapKind::snr, mine.plane, &mine.background);
    mine.own.reset();
    EXPECT_EQ(mine.plane->blank(), blank) << name;
    EXPECT_EQ(mine.islands->count(), count) << name;
    EXPECT_EQ(mine.plan->shape(), kShape) << name;
    if (levels) {
      mine.plane.reset();
      EXPECT_FALSE(levels->sample().empty());
      float pixel = 0;
      EXPECT_NO_THROW(levels->read(0, Reduction::mean, {0, 0, 1, 1}, &pixel));
    }
  }
}

TEST(Seam, a_backend_outlives_its_planes) {
  for (const std::string& name : all_backends()) {
    Made mine(fresh(name));
    const Image before = store(mine.tested, *mine.tested.convolve(*mine.plane, *mine.plan));
    mine.islands.reset();
    mine.plan.reset();
    mine.plane.reset();
    const auto again = load(mine.tested, mine.image);
    const auto plan = mine.tested.plan_convolution(mine.spec, mine.shape, Algorithm::direct);
    EXPECT_TRUE(same_bits(store(mine.tested, *mine.tested.convolve(*again, *plan)), before)) << name;
  }
}

}  // namespace
}  // namespace reber::testing
