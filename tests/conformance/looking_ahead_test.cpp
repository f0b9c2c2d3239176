// SPDX-License-Identifier: BSD-3-Clause
// Less than whole rows of a streamed plane, and islands that are foretold while cells are measured: the bits of a
// resident plane, and the rows that are read for them.
#include <fmt/format.h>
#include <algorithm>

#include "tests/conformance/streamed_planes.hpp"

namespace reber::testing {
namespace {

Image part_of(const Image& image, const Rect& where) {
  Image part(where.shape());
  for (std::int64_t y = 0; y < where.ny; ++y)
    for (std::int64_t x = 0; x < where.nx; ++x) part.at(y, x) = image.at(where.y0 + y, where.x0 + x);
  return part;
}

/// Rectangles of a streamed plane are those of the resident one; of narrow ones no whole row is read.
void expect_narrow_reads(Backend& tested, const Plane& whole, const Plane& bands, const CountedSource& source) {
  const BackgroundModel model = sloping(kShape);
  for (const Rect& where : {Rect{0, 0, 1, 1}, Rect{40, 88, 200, 21}, Rect{1000, 153, 130, 50}, Rect{7, 3, 5, 180}})
    for (const MapKind kind : {MapKind::image, MapKind::snr}) {
      Image expected(where.shape()), got(where.shape());
      tested.render(kind, whole, &model, where, expected.data());
      const std::int64_t rows = source.rows, rectangles = source.rectangles;
      tested.render(kind, bands, &model, where, got.data());
      EXPECT_TRUE(same_bits(got, expected)) << where.y0;
      if (where.nx > kShape.nx / 4) continue;
      EXPECT_EQ(source.rows, rows);
      EXPECT_GT(source.rectangles, rectangles);
    }
}

TEST(Streaming, of_a_narrow_rectangle_no_more_is_read) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto whole = load(tested, image);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 64);
    expect_narrow_reads(tested, *whole, *bands, *source);
    const DetectOptions above{4, 3, 1, Connectivity::eight, false};
    const auto islands = tested.label(*whole, sloping(kShape), above);
    ASSERT_GT(islands->count(), 4);
    for (const std::int64_t grow : {0, 5}) {
      SCOPED_TRACE(fmt::format("without islands, {} px more", grow));
      const auto without = tested.derive(WithoutIslands{*whole, *islands, grow});
      const auto its = tested.derive(WithoutIslands{*bands, *islands, grow});
      expect_narrow_reads(tested, *without, *its, *source);
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
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto whole = load(tested, image);
    const auto bands = streamed(tested, std::make_shared<CountedSource>(image), 64);
    for (const Plane* plane : {whole.get(), bands.get()})
      for (const BackgroundModel* model : {&mesh, &constant})
        for (const std::vector<Rect>& where : {narrow, wide}) {
          std::int64_t pixels = 0;
          for (const Rect& one : where) pixels += one.shape().count();
          std::vector<float> all(static_cast<std::size_t>(pixels));
          tested.render_each(MapKind::snr, *plane, model, where, all.data());
          for (const float* next = all.data(); const Rect& one : where) {
            Image got(one.shape());
            std::copy_n(next, one.shape().count(), got.data());
            next += one.shape().count();
            EXPECT_TRUE(same_bits(got, part_of(render(tested, MapKind::snr, *whole, *model), one)));
          }
        }
  }
}

/// Cells, what is made of them, and the runs of islands above that.
struct Found {
  BackgroundModel model;
  LabelRuns runs;
  std::unique_ptr<IslandMap> islands;
};

/// mesh() of `cells_of`, then label() of `plane`; the backend is told of it beforehand.
Found mesh_and_label(Backend& tested, const Plane& cells_of, const Plane& plane, const MeshGrid& grid,
                     const DetectOptions& options, const DetectOptions& told) {
  tested.will_label(plane, told);
  Found found{finish_mesh(grid, tested.mesh(cells_of, grid, {}), {}), {}, nullptr};
  found.islands = tested.label(plane, found.model, options);
  found.runs = tested.label_runs(*found.islands);
  return found;
}

TEST(Streaming, islands_that_are_foretold_while_cells_are_measured_are_those_that_are_found) {
  const DetectOptions first{5, 3, 1, Connectivity::eight, false}, negative{3, 2, 1, Connectivity::four, true};
  for (const bool bad_cells : {false, true}) {
    const Image image = bad_cells ? tall_image() : random_image(kShape, 0, 31);
    for (const std::string& name : tested_backends()) {
      Backend& tested = backend(name);
      if (!tested.info().streams_sources) continue;
      const auto whole = load(tested, image);
      for (const std::int64_t height : kHeights) {
        SCOPED_TRACE(fmt::format("{}, bands of {} rows, {}", name, height, bad_cells ? "bad cells" : "all good"));
        for (const MeshGrid& grid : {MeshGrid::make(kShape, 20), MeshGrid::sliding(kShape, 50, 25)}) {
          const auto source = std::make_shared<CountedSource>(image);
          const auto bands = streamed(tested, source, height);
          for (const DetectOptions& told : {first, negative}) {
            const Found a = mesh_and_label(tested, *whole, *whole, grid, first, told);
            source->rows = 0;
            const Found b = mesh_and_label(tested, *bands, *bands, grid, first, told);
            // Rows of cells that overlap are read again; a walk of label's own would be one more. Where cells have no
            // value, the pixels about them are read by themselves.
            if (told == first && grid.rows[1].begin == grid.rows[0].end) {
              EXPECT_LE(source->rows, walk_of(name, kShape.ny));
            }
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
          if (!bad_cells && grid.rows[1].begin == grid.rows[0].end) {
            EXPECT_LE(source->rows, walk_of(name, kShape.ny));
          }
          EXPECT_EQ(bands->blank(), whole->blank());
        }
      }
    }
  }
}

TEST(Streaming, what_was_foretold_is_mended_about_cells_without_a_value) {
  const Shape shape{300, 5000};
  const DetectOptions options{4, 3, 2, Connectivity::eight, false};
  Image image = random_image(shape, 0, 5);
  for (std::int64_t y = 170; y < shape.ny; ++y)
    for (std::int64_t x = 4200 - y; x < shape.nx; ++x) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const MeshGrid grid = MeshGrid::make(shape, 25);
    const auto whole = load(tested, image);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 64);
    const Found a = mesh_and_label(tested, *whole, *whole, grid, options, options);
    const Found b = mesh_and_label(tested, *bands, *bands, grid, options, options);
    EXPECT_GT(a.runs.runs.size(), 20U);
    EXPECT_EQ(a.runs, b.runs) << name;
    const IslandPixels pixels_a = tested.island_pixels(*whole, a.model, *a.islands, 1);
    const IslandPixels pixels_b = tested.island_pixels(*bands, b.model, *b.islands, 1);
    EXPECT_TRUE(same_values(pixels_a.pixel, pixels_b.pixel));
    EXPECT_TRUE(same_values(pixels_a.rms, pixels_b.rms));
    EXPECT_LE(source->rows, walk_of(name, shape.ny));
    if (name != kBanded) {
      EXPECT_GT(source->rectangles, 4);
    }
    expect_same_islands(tested, *whole, *bands, a.model, b.model);
  }
}

}  // namespace
}  // namespace reber::testing
