// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out, every n-th pixel; the same bits on every backend and
// for any bands.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/measure/background/mesh_values.hpp"
#include "tests/conformance/streamed_planes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

const std::vector<Shape> kShapes{{257, 303}, {1, 200}, {200, 1}, {64, 64}};

std::int64_t blanks(const Image& image) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < image.shape().count(); ++i) count += std::isfinite(image.data()[i]) ? 0 : 1;
  return count;
}

/// Calls check(tested backend, band, name) for each tested backend, resident and in bands.
template <typename Check>
void on_all(const Check& check) {
  for (const std::string& name : tested_backends())
    for (const std::int64_t band : {std::int64_t{0}, std::int64_t{19}}) {
      SCOPED_TRACE(fmt::format("{} band {}", name, band));
      check(backend(name), band);
    }
}

TEST(DerivedPlanes, snr_is_that_of_the_map) {
  Backend& reference = backend("reference");
  for (const Shape shape : kShapes) {
    const Image image = random_image(shape, 0.05, 8);
    const auto plane = load(reference, image);
    const MeshGrid grid = MeshGrid::make(shape, 32);
    const BackgroundModel model = finish_mesh(grid, reference.mesh(*plane, grid, {}, {}), {});
    const Image expected = render(reference, MapKind::snr, *plane, model);
    EXPECT_TRUE(same_bits(store(reference, *reference.derive(SnrPlane{*plane, model})), expected));
    on_all([&](Backend& tested, std::int64_t band) {
      const auto got = tested.derive(SnrPlane{*load(tested, image, band), model});
      EXPECT_TRUE(same_bits(store(tested, *got), expected));
      EXPECT_EQ(got->blank(), blanks(expected));
    });
  }
}

TEST(DerivedPlanes, nodes_have_the_same_values_on_the_host) {
  for (const Shape shape : kShapes)
    for (const std::int64_t box : {3, 20, 64}) {
      const Image image = random_image(shape, 0.05, 21);
      Backend& reference = backend("reference");
      const MeshGrid grid = MeshGrid::sliding(shape, box, std::max<std::int64_t>(box / 2, 1));
      const BackgroundModel model = finish_mesh(grid, reference.mesh(*load(reference, image), grid, {}, {}), {});
      const MeshValues host(model.grid);
      const Rect whole{0, 0, shape.ny, shape.nx},
          part{shape.ny / 3, shape.nx / 4, (shape.ny + 1) / 2, (shape.nx + 1) / 2};
      on_all([&](Backend& tested, std::int64_t band) {
        const auto plane = load(tested, image, band);
        for (const Rect& where : {whole, part})
          for (const MapKind kind : {MapKind::mean, MapKind::rms}) {
            Image expected({where.ny, where.nx}), got({where.ny, where.nx});
            tested.render(kind, *plane, &model, where, expected.data(), {});
            host.rectangle(kind == MapKind::mean ? model.mean : model.rms, where, got.data());
            EXPECT_TRUE(same_bits(got, expected));
          }
      });
    }
}

TEST(DerivedPlanes, a_rectangle_of_a_map_is_cut_out_of_the_whole) {
  const Shape shape{70, 1100};
  const Image image = random_image(shape, 0.05, 12);
  const BackgroundModel model =
      finish_mesh(MeshGrid::make(shape, 32),
                  backend("reference").mesh(*load(backend("reference"), image), MeshGrid::make(shape, 32), {}, {}), {});
  const DetectOptions options{1.5, 1, 1, Connectivity::eight, false};
  const auto check = [&](Backend& tested, std::int64_t band) {
    const auto plane = load(tested, image, band);
    const auto islands = tested.label(*plane, model, options, {});
    EXPECT_GT(islands->count(), 10);
    const std::vector<std::int32_t> all_labels = labels_of(tested, *islands);
    for (const Rect where : {Rect{0, 0, 70, 1100}, Rect{11, 1019, 30, 9}, Rect{69, 33, 1, 1}, Rect{5, 1099, 60, 1},
                             Rect{7, 40, 0, 10}, Rect{7, 40, 10, 0}}) {
      std::vector<std::int32_t> labels(static_cast<std::size_t>(where.shape().count()), -1);
      tested.draw_labels(*islands, where, labels.data());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        ASSERT_EQ(
            labels[i],
            all_labels[static_cast<std::size_t>((where.y0 + at / where.nx) * shape.nx + where.x0 + at % where.nx)]);
      }
      for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr}) {
        const Image whole = kind == MapKind::image ? store(tested, *plane) : render(tested, kind, *plane, model);
        Image part(where.shape()), expected(where.shape());
        tested.render(kind, *plane, &model, where, part.data());
        for (std::int64_t y = 0; y < where.ny; ++y)
          for (std::int64_t x = 0; x < where.nx; ++x) expected.at(y, x) = whole.at(where.y0 + y, where.x0 + x);
        EXPECT_TRUE(same_bits(part, expected));
      }
    }
  };
  check(backend("reference"), 0);
  on_all(check);
}

TEST(DerivedPlanes, several_rectangles_are_those_of_each_call) {
  const Shape shape{200, 1100};
  const Image image = random_image(shape, 0.05, 12);
  const BackgroundModel model =
      finish_mesh(MeshGrid::make(shape, 32),
                  backend("reference").mesh(*load(backend("reference"), image), MeshGrid::make(shape, 32), {}, {}), {});
  const Rect parts[] = {{0, 0, 60, 131}, {0, 200, 60, 7},    {0, 1090, 60, 10}, {9, 0, 5, 0},     {9, 3, 0, 5},
                        {9, 3, 5, 5},    {150, 0, 50, 1100}, {150, 7, 50, 1},   {199, 1099, 1, 1}};
  std::int64_t pixels = 0;
  for (const Rect& one : parts) pixels += one.shape().count();
  on_all([&](Backend& tested, std::int64_t band) {
    const auto plane = load(tested, image, band);
    for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr}) {
      Image all({1, pixels}), each({1, pixels});
      tested.render_each(kind, *plane, &model, parts, all.data());
      float* next = each.data();
      for (const Rect& one : parts) {
        tested.render(kind, *plane, &model, one, next);
        next += one.shape().count();
      }
      EXPECT_TRUE(same_bits(all, each));
    }
    Rect outside = parts[0];
    outside.x0 = 1000;
    EXPECT_THROW(tested.render_each(MapKind::snr, *plane, &model, {&outside, 1}, nullptr), InputError);
    EXPECT_THROW(tested.render_each(MapKind::snr, *plane, nullptr, parts, nullptr), InternalError);
  });
}

TEST(Mesh, of_several_grids_is_that_of_each_one_behind_the_other) {
  const Shape shape{700, 900};
  const Image image = random_image(shape, 0.1, 21);
  const auto part = [&](const MeshGrid& grid, std::int64_t j0, std::int64_t j1, std::int64_t i0, std::int64_t i1) {
    return MeshGrid{
        shape, {grid.rows.begin() + j0, grid.rows.begin() + j1}, {grid.cols.begin() + i0, grid.cols.begin() + i1}};
  };
  const MeshGrid dense = MeshGrid::sliding(shape, 35, 7), tiled = MeshGrid::sliding(shape, 90, 30),
                 large = MeshGrid::make(shape, 300);
  const std::vector<std::vector<MeshGrid>> lists{
      {},
      {dense},
      {part(dense, 0, 32, 3, 9), part(dense, 20, 21, 0, 100), part(dense, 40, 60, 50, 51)},
      {part(dense, 0, 5, 0, 128), tiled, part(tiled, 2, 9, 4, 20)},
      {large, part(dense, 7, 8, 9, 10)}};
  on_all([&](Backend& tested, std::int64_t band) {
    const auto plane = load(tested, image, band);
    for (const int filter : {1, 5, 7})
      for (const std::vector<MeshGrid>& grids : lists) {
        MeshOptions options;
        options.filter = filter;
        const MeshCells all = tested.mesh_each(*plane, grids, options);
        std::size_t begin = 0;
        for (const MeshGrid& grid : grids) {
          const auto count = static_cast<std::size_t>(grid.ny() * grid.nx());
          const MeshCells one = tested.mesh(*plane, grid, options), got = all.part(begin, count);
          EXPECT_TRUE(same_values(got.mean, one.mean) && same_values(got.rms, one.rms));
          const BackgroundModel right = finish_mesh(grid, one, options), finished = finish_mesh(grid, got, options);
          EXPECT_EQ(finished.mean, right.mean);
          EXPECT_EQ(finished.rms, right.rms);
          begin += count;
        }
        EXPECT_EQ(all.mean.size(), begin);
      }
  });
}

TEST(DerivedPlanes, differences_and_extremes_have_the_same_bits_everywhere) {
  Backend& reference = backend("reference");
  for (const Shape shape : kShapes) {
    const Image a = random_image(shape, 0.1, 3), b = random_image(shape, 0.1, 4);
    for (const PlaneRule rule : {PlaneRule::difference, PlaneRule::larger, PlaneRule::smaller}) {
      const Image expected =
          store(reference, *reference.derive(CombinedPlane{rule, *load(reference, a), *load(reference, b)}));
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const float p = a.data()[i], q = b.data()[i], got = expected.data()[i];
        if (std::isnan(p) || std::isnan(q)) {
          const float other = std::isnan(p) ? q : p;
          if (rule == PlaneRule::difference || std::isnan(other)) {
            ASSERT_TRUE(std::isnan(got));
          } else {
            ASSERT_EQ(got, other);
          }
        } else {
          ASSERT_EQ(got, rule == PlaneRule::difference ? p - q
                         : rule == PlaneRule::larger   ? std::max(p, q)
                                                       : std::min(p, q));
        }
      }
      on_all([&](Backend& tested, std::int64_t band) {
        const auto got = tested.derive(CombinedPlane{rule, *load(tested, a, band), *load(tested, b, band)});
        EXPECT_TRUE(same_bits(store(tested, *got), expected));
        EXPECT_EQ(got->blank(), blanks(expected));
      });
    }
  }
}

TEST(DerivedPlanes, islands_are_taken_out_with_what_is_near_them) {
  Backend& reference = backend("reference");
  for (const Shape shape : kShapes) {
    const Image image = random_image(shape, 0.02, 9);
    const auto flat = BackgroundModel::constant(shape, 0, 1);
    const DetectOptions options{3, 1.5, 1, Connectivity::eight, false};
    const auto plane = load(reference, image);
    const auto islands = reference.label(*plane, flat, options, {});
    const auto labels = labels_of(reference, *islands);
    for (const std::int64_t grow : {0, 1, 3}) {
      const Image expected = store(reference, *reference.derive(WithoutIslands{*plane, *islands, grow}));
      for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
          bool near = false;
          for (std::int64_t j = std::max<std::int64_t>(y - grow, 0); j <= std::min(y + grow, shape.ny - 1); ++j)
            for (std::int64_t i = std::max<std::int64_t>(x - grow, 0); i <= std::min(x + grow, shape.nx - 1); ++i)
              near = near || labels[j * shape.nx + i] > 0;
          if (near) {
            ASSERT_TRUE(std::isnan(expected.at(y, x)));
          } else {
            ASSERT_TRUE(expected.at(y, x) == image.at(y, x) || std::isnan(image.at(y, x)));
          }
        }
      on_all([&](Backend& tested, std::int64_t band) {
        const auto own = load(tested, image, band);
        const auto got = tested.derive(WithoutIslands{*own, *tested.label(*own, flat, options, {}), grow});
        EXPECT_TRUE(same_bits(store(tested, *got), expected));
        EXPECT_EQ(got->blank(), blanks(expected));
      });
    }
  }
}

TEST(DerivedPlanes, every_nth_pixel_is_that_of_the_image) {
  for (const Shape shape : kShapes)
    for (const std::int64_t n : {1, 2, 3, 7, 64}) {
      if (n > std::min(shape.ny, shape.nx)) continue;
      const Image image = random_image(shape, 0.05, 10);
      const std::int64_t first = (n - 1) / 2;
      Image expected({(shape.ny - first + n - 1) / n, (shape.nx - first + n - 1) / n});
      for (std::int64_t y = 0; y < expected.shape().ny; ++y)
        for (std::int64_t x = 0; x < expected.shape().nx; ++x)
          expected.data()[y * expected.shape().nx + x] = image.at(y * n + first, x * n + first);
      Backend& reference = backend("reference");
      EXPECT_TRUE(same_bits(store(reference, *reference.derive(EveryNth{*load(reference, image), n})), expected));
      on_all([&](Backend& tested, std::int64_t band) {
        const auto got = tested.derive(EveryNth{*load(tested, image, band), n});
        EXPECT_TRUE(same_bits(store(tested, *got), expected));
        EXPECT_EQ(got->blank(), blanks(expected));
      });
    }
  on_all([](Backend& tested, std::int64_t band) {
    const auto plane = load(tested, random_image({40, 50}, 0, 2), band);
    EXPECT_THROW((void)tested.derive(EveryNth{*plane, 0}), InputError);
    EXPECT_THROW((void)tested.derive(EveryNth{*plane, 41}), InputError);
  });
}

TEST(DerivedPlanes, magnitudes_stand_below_zero) {
  for (const Shape shape : kShapes) {
    const Image image = random_image(shape, 0.05, 10);
    Image expected(shape);
    for (std::int64_t k = 0; k < shape.count(); ++k)
      expected.data()[k] =
          std::isfinite(image.data()[k]) ? -std::abs(image.data()[k]) : std::numeric_limits<float>::quiet_NaN();
    Backend& reference = backend("reference");
    EXPECT_TRUE(same_bits(store(reference, *reference.derive(MinusMagnitude{*load(reference, image)})), expected));
    on_all([&](Backend& tested, std::int64_t band) {
      const auto got = tested.derive(MinusMagnitude{*load(tested, image, band)});
      EXPECT_TRUE(same_bits(store(tested, *got), expected));
      EXPECT_EQ(got->blank(), blanks(expected));
    });
  }
}

TEST(DerivedPlanes, nothing_is_taken_out_where_nothing_was_found) {
  on_all([&](Backend& tested, std::int64_t band) {
    const Image image = random_image({40, 50}, 0.1, 2);
    const auto plane = load(tested, image, band);
    const auto none = tested.label(*plane, BackgroundModel::constant({40, 50}, 0, 1), {1e6, 1e6}, {});
    EXPECT_TRUE(same_bits(store(tested, *tested.derive(WithoutIslands{*plane, *none, 5})), image));
  });
}

}  // namespace
}  // namespace reber::testing
