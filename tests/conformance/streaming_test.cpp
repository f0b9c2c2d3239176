// SPDX-License-Identifier: BSD-3-Clause
// A plane whose pixels stay in their source gives the bits of a resident one, in every operation, for any height of the
// bands.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "core/base/error.hpp"
#include "core/compute/looks_ahead.hpp"
#include "core/compute/renders_windows.hpp"
#include "core/fits/fits_image.hpp"
#include "core/model/rectangle_source.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{1130, 203};
constexpr std::int64_t kHeights[] = {64, 100, 1000, kShape.ny};

/// Pixels in memory that count how many rows were read, and how many rectangles.
class CountedSource final : public PixelSource, public RectangleSource {
 public:
  explicit CountedSource(const Image& image) : image_(image), inner_(memory_source(image.data(), image.shape())) {}
  [[nodiscard]] Shape shape() const override { return inner_->shape(); }
  [[nodiscard]] PixelFormat format() const override { return inner_->format(); }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    rows += ny;
    inner_->read_rows(y0, ny, out);
  }
  void read_rectangle(const Rect& where, std::byte* out) const override {
    ++rectangles;
    const std::int64_t bytes = where.nx * 4;
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y, out += bytes)
      std::memcpy(out, image_.data() + y * image_.shape().nx + where.x0, static_cast<std::size_t>(bytes));
  }
  mutable std::atomic<std::int64_t> rows{0}, rectangles{0};

 private:
  const Image& image_;
  std::unique_ptr<PixelSource> inner_;
};

/// Noise with islands that reach over many bands, blank pixels and a blank corner.
Image tall_image() {
  Image image = random_image(kShape, 0.01, 31);
  for (std::int64_t y = 50; y < 1100; ++y)
    for (std::int64_t x = 90; x < 93; ++x) image.at(y, x + (y / 40) % 7) += 20;
  for (std::int64_t y = 0; y < 150; ++y)
    for (std::int64_t x = 0; x < 60; ++x) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  return image;
}

std::unique_ptr<Plane> streamed(Backend& tested, std::shared_ptr<const PixelSource> source, std::int64_t height) {
  TilingPlan tiling;
  tiling.resident = false;
  tiling.in_source = true;
  tiling.band_rows = height;
  tiling.streams = 2;
  return tested.stream(std::move(source), tiling);
}

/// Calls body with a resident and a streamed plane of the same image, for every backend and height.
void for_each_height(const Image& image, const std::function<void(Backend&, const Plane&, const Plane&)>& body) {
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      body(tested, *whole, *streamed(tested, std::make_shared<CountedSource>(image), height));
    }
  }
}

template <typename T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

BackgroundModel sloping(Shape shape) {
  BackgroundModel model = BackgroundModel::constant(shape, 0, 1);
  model.grid = MeshGrid::make(shape, 70);
  for (std::int64_t k = 0; k < model.grid.ny() * model.grid.nx(); ++k) {
    const auto value = static_cast<float>(k);
    model.mean.resize(static_cast<std::size_t>(k) + 1, 0.001f * value);
    model.rms.resize(static_cast<std::size_t>(k) + 1, 1 + 0.002f * value);
  }
  return model;
}

void expect_same_islands(Backend& tested, const Plane& a, const Plane& b, const BackgroundModel& model_a,
                         const BackgroundModel& model_b) {
  const auto of_a = tested.label(a, model_a, {3, 2, 2, Connectivity::eight, false});
  const auto of_b = tested.label(b, model_b, {3, 2, 2, Connectivity::eight, false});
  EXPECT_GT(of_a->count(), 20);
  EXPECT_EQ(tested.label_runs(*of_a), tested.label_runs(*of_b));
  const auto sums_a = tested.measure(a, model_a, *of_a), sums_b = tested.measure(b, model_b, *of_b);
  ASSERT_EQ(sums_a.size(), sums_b.size());
  for (std::size_t k = 0; k < sums_a.size(); ++k) {
    EXPECT_EQ(sums_a[k].npix, sums_b[k].npix);
    EXPECT_EQ(sums_a[k].peak, sums_b[k].peak);
    EXPECT_EQ(sums_a[k].peak_rms, sums_b[k].peak_rms);
    EXPECT_EQ(sums_a[k].peak_y, sums_b[k].peak_y);
    EXPECT_EQ(sums_a[k].s, sums_b[k].s);
    EXPECT_EQ(sums_a[k].syy, sums_b[k].syy);
  }
  for (const std::int64_t least : {1, 30}) {
    const IslandPixels pixels_a = tested.island_pixels(a, model_a, *of_a, least);
    const IslandPixels pixels_b = tested.island_pixels(b, model_b, *of_b, least);
    EXPECT_EQ(pixels_a.label, pixels_b.label);
    EXPECT_EQ(pixels_a.y, pixels_b.y);
    EXPECT_TRUE(same_values(pixels_a.pixel, pixels_b.pixel));
    EXPECT_TRUE(same_values(pixels_a.mean, pixels_b.mean));
    EXPECT_TRUE(same_values(pixels_a.rms, pixels_b.rms));
  }
}

Image part_of(const Image& image, const Rect& where) {
  Image part(where.shape());
  for (std::int64_t y = 0; y < where.ny; ++y)
    for (std::int64_t x = 0; x < where.nx; ++x) part.at(y, x) = image.at(where.y0 + y, where.x0 + x);
  return part;
}

TEST(Streaming, counts_statistics_and_clip_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    EXPECT_EQ(whole.blank(), bands.blank());
    const PlaneStatistics a = tested.statistics(whole), b = tested.statistics(bands);
    EXPECT_EQ(a.finite, b.finite);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.std, b.std);
    EXPECT_EQ(a.median, b.median);
    EXPECT_EQ(tested.clip(whole, {}).std, tested.clip(bands, {}).std);
    EXPECT_TRUE(same_bits(store(tested, bands), store(tested, whole)));
  });
}

TEST(Streaming, cells_of_a_mesh_and_sliding_boxes_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    for (const MeshGrid& grid :
         {MeshGrid::make(kShape, 64), MeshGrid::sliding(kShape, 70, 30), MeshGrid::make(kShape, 5000)}) {
      const MeshCells a = tested.mesh(whole, grid, {}), b = tested.mesh(bands, grid, {});
      EXPECT_TRUE(same_values(a.mean, b.mean));
      EXPECT_TRUE(same_values(a.rms, b.rms));
    }
  });
}

TEST(Streaming, islands_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    const BackgroundModel model = sloping(kShape);
    expect_same_islands(tested, whole, bands, model, model);
  });
}

TEST(Streaming, full_size_maps_stream_as_well) {
  const Image image = tall_image();
  const BackgroundModel model = sloping(kShape);
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    const Image mean = render(tested, MapKind::mean, *whole, model), rms = render(tested, MapKind::rms, *whole, model);
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      const auto bands = streamed(tested, std::make_shared<CountedSource>(image), height);
      BackgroundModel here = model, there = model;
      here.mean_map = load(tested, mean);
      here.rms_map = load(tested, rms);
      there.mean_map = streamed(tested, std::make_shared<CountedSource>(mean), height);
      there.rms_map = streamed(tested, std::make_shared<CountedSource>(rms), height);
      expect_same_islands(tested, *whole, *bands, here, there);
      for (const MapKind kind : {MapKind::mean, MapKind::rms, MapKind::snr})
        EXPECT_TRUE(same_bits(render(tested, kind, *bands, there), render(tested, kind, *whole, here)));
      EXPECT_TRUE(same_bits(store(tested, *tested.derive(SnrPlane{*bands, there})),
                            store(tested, *tested.derive(SnrPlane{*whole, here}))));
    }
  }
}

TEST(Streaming, planes_made_of_a_streamed_one_outlive_it_with_the_same_bits) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    const BackgroundModel model = sloping(kShape);
    const auto snr = tested.derive(SnrPlane{*whole, model});
    const auto islands = tested.label(*whole, model, {4, 3, 1, Connectivity::eight, false});
    const auto without = tested.derive(WithoutIslands{*whole, *islands, 3});
    const auto less = tested.derive(CombinedPlane{PlaneRule::difference, *snr, *without});
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      std::unique_ptr<Plane> made, mixed;
      {
        const auto bands = streamed(tested, std::make_shared<CountedSource>(image), height);
        const auto its = tested.label(*bands, model, {4, 3, 1, Connectivity::eight, false});
        const auto its_snr = tested.derive(SnrPlane{*bands, model});
        const auto its_without = tested.derive(WithoutIslands{*bands, *its, 3});
        EXPECT_TRUE(same_bits(store(tested, *its_without), store(tested, *without)));
        made = tested.derive(CombinedPlane{PlaneRule::difference, *its_snr, *its_without});
        mixed = tested.derive(CombinedPlane{PlaneRule::difference, *snr, *its_without});
      }
      EXPECT_EQ(made->blank(), less->blank());
      EXPECT_TRUE(same_bits(store(tested, *made), store(tested, *less)));
      EXPECT_TRUE(same_bits(store(tested, *mixed), store(tested, *less)));
      EXPECT_EQ(tested.clip(*made, {}).median, tested.clip(*less, {}).median);
    }
  }
}

TEST(Streaming, convolutions_are_those_of_a_resident_plane_and_outlive_their_plan) {
  for (const bool with_blanks : {false, true}) {
    const Image image = with_blanks ? tall_image() : random_image(kShape, 0, 7);
    for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::wrap, Boundary::blank}) {
      for (const Kernel& kernel :
           {gaussian_kernel({20, 6, 12}, Normalise::sum), gaussian_kernel({160, 0, 120}, Normalise::sum)}) {
        ConvolutionSpec spec{kernel, boundary};
        spec.keep_blanks = boundary == Boundary::reflect;
        for_each_height(image, [&](Backend& tested, const Plane& whole, const Plane& bands) {
          for (const ConvolutionQuote& quote : tested.quote(spec, kShape)) {
            if (!quote.possible) continue;
            SCOPED_TRACE(fmt::format("{} {}", to_string(quote.algorithm), to_string(boundary)));
            std::unique_ptr<Plane> here, there;
            {
              const auto plan = tested.plan_convolution(spec, kShape, quote.algorithm);
              here = tested.convolve(whole, *plan);
              there = tested.convolve(bands, *plan);
            }
            EXPECT_TRUE(same_bits(store(tested, *there), store(tested, *here)));
            EXPECT_EQ(there->blank(), here->blank());
            const MeshGrid grid = MeshGrid::make(kShape, 50);
            EXPECT_TRUE(same_values(tested.mesh(*there, grid, {}).rms, tested.mesh(*here, grid, {}).rms));
          }
        });
      }
    }
  }
}

TEST(Streaming, each_walk_reads_once_and_measuring_what_was_labelled_reads_nothing) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 100);
    (void)tested.mesh(*bands, MeshGrid::make(kShape, 64), {});
    EXPECT_EQ(source->rows, kShape.ny);
    EXPECT_GT(bands->blank(), 0);
    EXPECT_EQ(source->rows, kShape.ny);
    const BackgroundModel model = sloping(kShape);
    const auto islands = tested.label(*bands, model, {9, 8, 1, Connectivity::eight, false});
    EXPECT_GT(islands->count(), 0);
    const std::int64_t read = source->rows;
    EXPECT_LE(read, 2 * kShape.ny);  // the last blocks may still be there
    (void)tested.measure(*bands, model, *islands);
    (void)tested.island_pixels(*bands, model, *islands, 1);
    EXPECT_EQ(source->rows, read);
  }
}

TEST(Streaming, of_a_narrow_rectangle_no_more_is_read) {
  const Image image = tall_image();
  const BackgroundModel model = sloping(kShape);
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto whole = load(tested, image);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 64);
    std::int64_t narrow = 0;
    for (const Rect& where : {Rect{0, 0, 1, 1}, Rect{40, 88, 200, 21}, Rect{1000, 153, 130, 50}, Rect{7, 3, 5, 180}})
      for (const MapKind kind : {MapKind::image, MapKind::snr}) {
        Image expected(where.shape()), got(where.shape());
        tested.render(kind, *whole, &model, where, expected.data());
        const std::int64_t read = source->rows;
        tested.render(kind, *bands, &model, where, got.data());
        EXPECT_TRUE(same_bits(got, expected)) << where.y0;
        if (where.nx > kShape.nx / 4) continue;
        ++narrow;
        EXPECT_EQ(source->rows, read);
        EXPECT_GE(source->rectangles, narrow);
      }
  }
}

TEST(Streaming, windows_rendered_together_are_those_rendered_alone) {
  const Image image = tall_image();
  const BackgroundModel mesh = sloping(kShape), constant = BackgroundModel::constant(kShape, 0.5f, 2);
  const std::vector<Rect> narrow{{0, 0, 1, 1}, {40, 88, 200, 21}, {1000, 153, 130, 50}, {7, 3, 5, 50}, {7, 5, 40, 8}};
  std::vector<Rect> wide = narrow;
  wide.push_back({3, 1, 20, 200});
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    auto* const together = dynamic_cast<RendersWindows*>(&tested);
    if (together == nullptr) continue;
    SCOPED_TRACE(name);
    const auto whole = load(tested, image);
    const auto bands = streamed(tested, std::make_shared<CountedSource>(image), 64);
    for (const Plane* plane : {whole.get(), bands.get()})
      for (const BackgroundModel* model : {&mesh, &constant})
        for (const std::vector<Rect>& where : {narrow, wide}) {
          std::vector<Image> got;
          std::vector<float*> out;
          for (const Rect& one : where) out.push_back(got.emplace_back(one.shape()).data());
          together->render_windows(*plane, *model, where, out, {});
          for (std::size_t k = 0; k < where.size(); ++k) {
            const Image expected = part_of(render(tested, MapKind::snr, *whole, *model), where[k]);
            EXPECT_TRUE(same_bits(got[k], expected)) << k;
          }
        }
  }
}

/// Cells, what is made of them, and the runs of islands above that.
struct Found {
  BackgroundModel model;
  LabelRuns runs;
};

/// mesh() of `cells_of`, then label() of `plane`; where the backend can be told beforehand, it is.
Found mesh_and_label(Backend& tested, const Plane& cells_of, const Plane& plane, const MeshGrid& grid,
                     const DetectOptions& options, const DetectOptions& told) {
  if (auto* const ahead = dynamic_cast<LooksAhead*>(&tested)) ahead->will_label(plane, told);
  Found found{finish_mesh(grid, tested.mesh(cells_of, grid, {}), {}), {}};
  found.runs = tested.label_runs(*tested.label(plane, found.model, options));
  return found;
}

TEST(Streaming, islands_that_are_foretold_while_cells_are_measured_are_those_that_are_found) {
  const DetectOptions first{5, 3, 1, Connectivity::eight, false}, negative{3, 2, 1, Connectivity::four, true};
  for (const bool bad_cells : {false, true}) {
    const Image image = bad_cells ? tall_image() : random_image(kShape, 0, 31);
    for (const std::string& name : tested_backends()) {
      Backend& tested = backend(name);
      if (!tested.info().streams_sources) continue;
      const bool ahead = !bad_cells && dynamic_cast<LooksAhead*>(&tested) != nullptr;
      const auto whole = load(tested, image);
      for (const std::int64_t height : kHeights) {
        SCOPED_TRACE(fmt::format("{}, bands of {} rows, {}", name, height, bad_cells ? "bad cells" : "all good"));
        for (const MeshGrid& grid : {MeshGrid::make(kShape, 20), MeshGrid::sliding(kShape, 50, 25)}) {
          const auto source = std::make_shared<CountedSource>(image);
          const auto bands = streamed(tested, source, height);
          for (const DetectOptions& told : {first, negative}) {
            const Found a = mesh_and_label(tested, *whole, *whole, grid, first, told);
            const Found b = mesh_and_label(tested, *bands, *bands, grid, first, told);
            EXPECT_TRUE(same_values(a.model.mean, b.model.mean));
            EXPECT_EQ(a.runs, b.runs);
          }
          const auto islands = tested.label(*bands, sloping(kShape), first);
          EXPECT_GT(islands->count(), 0);
          const auto whole_without =
              tested.derive(WithoutIslands{*whole, *tested.label(*whole, sloping(kShape), first), 3});
          const auto without = tested.derive(WithoutIslands{*bands, *islands, 3});
          const Found a = mesh_and_label(tested, *whole_without, *whole, grid, negative, negative);
          source->rows = 0;
          const Found b = mesh_and_label(tested, *without, *bands, grid, negative, negative);
          EXPECT_TRUE(same_values(a.model.rms, b.model.rms));
          EXPECT_EQ(a.runs, b.runs);
          EXPECT_GT(b.runs.runs.size(), 0U);
          // Rows of cells that overlap are read again; a walk of label's own would be one more.
          if (ahead && grid.rows[1].begin == grid.rows[0].end) EXPECT_LE(source->rows, kShape.ny);
          EXPECT_EQ(bands->blank(), whole->blank());
        }
      }
    }
  }
}

TEST(Streaming, every_operation_stops_when_it_is_asked_between_bands) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const std::atomic<bool> stop{true};
    const Job stopped{Progress({}, &stop)};
    const auto bands = streamed(tested, std::make_shared<CountedSource>(image), 64);
    EXPECT_THROW((void)tested.mesh(*bands, MeshGrid::make(kShape, 64), {}, stopped), Cancelled);
    EXPECT_THROW((void)tested.label(*bands, sloping(kShape), {}, stopped), Cancelled);
    EXPECT_THROW((void)tested.statistics(*bands, StatisticsParts::all, stopped), Cancelled);
  }
}

}  // namespace
}  // namespace reber::testing
