// SPDX-License-Identifier: BSD-3-Clause
// Islands and their sums: the same labels on every backend, to the last integer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

void expect_same_sums(const std::vector<IslandSums>& got, const std::vector<IslandSums>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const IslandSums &a = got[i], &b = expected[i];
    SCOPED_TRACE(fmt::format("island {}", i + 1));
    ASSERT_EQ(a.npix, b.npix);
    ASSERT_EQ(a.first_y, b.first_y);
    ASSERT_EQ(a.first_x, b.first_x);
    ASSERT_EQ(std::tuple(a.y0, a.x0, a.y1, a.x1), std::tuple(b.y0, b.x0, b.y1, b.x1));
    ASSERT_EQ(std::tuple(a.peak_y, a.peak_x), std::tuple(b.peak_y, b.peak_x));
    ASSERT_EQ(std::tuple(a.peak, a.peak_mean, a.peak_rms), std::tuple(b.peak, b.peak_mean, b.peak_rms));
    // Sums of s are of one sign; first moments may cancel and are held to the size of the box instead.
    const double dy = a.y1 - a.y0 + 1, dx = a.x1 - a.x0 + 1;
    ASSERT_LE(std::abs(a.s - b.s), tolerance * b.s);
    ASSERT_LE(std::abs(a.sx - b.sx), tolerance * b.s * dx);
    ASSERT_LE(std::abs(a.sy - b.sy), tolerance * b.s * dy);
    ASSERT_LE(std::abs(a.sxx - b.sxx), tolerance * b.s * dx * dx);
    ASSERT_LE(std::abs(a.sxy - b.sxy), tolerance * b.s * dx * dy);
    ASSERT_LE(std::abs(a.syy - b.syy), tolerance * b.s * dy * dy);
  }
}

void check(const Image& image, const BackgroundModel& model, const DetectOptions& options) {
  Backend& reference = backend("reference");
  const auto plane = load(reference, image);
  const auto expected = reference.label(*plane, model, options, {});
  const auto expected_sums = reference.measure(*plane, model, *expected);
  const auto expected_labels = labels_of(reference, *expected);
  const LabelRuns expected_runs = reference.label_runs(*expected);
  std::vector<IslandSums> first;
  for (const std::string& name : tested_backends())
    for (const std::int64_t band : {std::int64_t{0}, std::int64_t{23}}) {
      SCOPED_TRACE(fmt::format("{} band {} {}x{} seed {} flood {} area {} conn {} negative {}", name, band,
                               image.shape().ny, image.shape().nx, options.seed, options.flood, options.min_area,
                               static_cast<int>(options.connectivity), options.negative));
      Backend& tested = backend(name);
      const auto tested_plane = load(tested, image, band);
      const auto islands = tested.label(*tested_plane, model, options, {});
      ASSERT_EQ(islands->count(), expected->count());
      ASSERT_EQ(labels_of(tested, *islands), expected_labels);
      ASSERT_TRUE(tested.label_runs(*islands) == expected_runs);
      const auto sums = tested.measure(*tested_plane, model, *islands);
      expect_same_sums(sums, expected_sums, 1e-12);
      const auto given = tested.islands_of(expected_runs, options);
      ASSERT_EQ(given->count(), expected->count());
      ASSERT_TRUE(tested.label_runs(*given) == expected_runs);
      ASSERT_EQ(labels_of(tested, *given), expected_labels);
      expect_same_sums(tested.measure(*tested_plane, model, *given), sums, 0);
      const IslandPixels pixels = tested.island_pixels(*tested_plane, model, *given, 2),
                         as_found = tested.island_pixels(*tested_plane, model, *islands, 2);
      ASSERT_EQ(std::tuple(pixels.label, pixels.first, pixels.y, pixels.x),
                std::tuple(as_found.label, as_found.first, as_found.y, as_found.x));
      ASSERT_EQ(std::tuple(pixels.pixel, pixels.mean, pixels.rms),
                std::tuple(as_found.pixel, as_found.mean, as_found.rms));
      if (first.empty()) first = sums;
      expect_same_sums(sums, first, 0);
    }
}

TEST(Islands, have_the_same_labels_and_sums_everywhere) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 97}, Shape{83, 1}, Shape{64, 64}, Shape{127, 131}, Shape{200, 333}})
    for (const double blank : {0.0, 0.1}) {
      const Image image = random_image(shape, blank, 40 + static_cast<std::uint64_t>(shape.nx));
      const BackgroundModel flat = BackgroundModel::constant(shape, 0.01f, 1.0f);
      for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight})
        for (const bool negative : {false, true})
          for (const auto& [seed, flood, area] :
               {std::tuple{5.0, 3.0, 1}, std::tuple{2.0, 1.0, 3}, std::tuple{0.0, 0.0, 1}, std::tuple{1.0, -0.5, 2}})
            check(image, flat, {seed, flood, area, connectivity, negative});
    }
}

TEST(Islands, follow_a_mesh_background) {
  const Shape shape{190, 210};
  Image image = random_image(shape, 0.03, 77);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image.at(y, x) *= 1 + 0.01f * static_cast<float>(x);
  Backend& reference = backend("reference");
  const auto plane = load(reference, image);
  const MeshGrid grid = MeshGrid::make(shape, 48);
  const BackgroundModel model = finish_mesh(grid, reference.mesh(*plane, grid, {}, {}), {});
  check(image, model, {3, 1.5, 1, Connectivity::eight, false});
  check(image, model, {4, 2, 2, Connectivity::four, true});
}

std::vector<Image> difficult_shapes(Shape shape) {
  const std::int64_t cy = shape.ny / 2, cx = shape.nx / 2;
  std::vector<Image> patterns;
  for (int pattern = 0; pattern < 6; ++pattern) {
    Image image(shape);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        bool on = false;
        switch (pattern) {
          case 0:
            on = true;
            break;  // one island, all pixels
          case 1:
            on = (x + y) % 2 == 0;
            break;  // checkerboard
          case 2:
            on = y % 2 == 0 || (y % 4 == 1 ? x == shape.nx - 1 : x == 0);
            break;  // a snake
          case 3:
            on = x % 2 == 0 || y == shape.ny - 1;
            break;  // a comb, joined last
          case 4:
            on = std::abs(x - cx) == shape.ny - 1 - y;
            break;  // a V: two arms meet below
          case 5:
            on = std::max(std::abs(x - cx), std::abs(y - cy)) % 2 == 0;
            break;  // nested rings
          default:
            break;
        }
        image.at(y, x) = on ? 10.0f + static_cast<float>(x % 7) : 0.0f;
      }
    patterns.push_back(std::move(image));
  }
  return patterns;
}

// The wide ones cross pieces of rows at which a backend may cut, and have islands of tens of thousands of runs, whose
// sums are made in sections.
TEST(Islands, shapes_that_break_labelling) {
  for (const Shape shape : {Shape{65, 129}, Shape{37, 2100}}) {
    const BackgroundModel flat = BackgroundModel::constant(shape, 0, 1);
    for (const Image& image : difficult_shapes(shape))
      for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight})
        check(image, flat, {5, 3, 1, connectivity, false});
  }
}

TEST(Islands, of_wide_images_have_the_same_labels_and_sums_everywhere) {
  for (const Shape shape : {Shape{40, 1024}, Shape{19, 3100}}) {
    const Image image = random_image(shape, 0.02, 91);
    for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight})
      for (const double level : {-1.0, 0.0, 0.5, 2.0})
        check(image, BackgroundModel::constant(shape, 0, 1), {level + 1, level, 2, connectivity, false});
  }
}

TEST(Islands, none_where_the_noise_is_zero_or_all_is_blank) {
  const Shape shape{50, 60};
  Image blank(shape);
  std::fill_n(blank.data(), shape.count(), std::nanf(""));
  check(blank, BackgroundModel::constant(shape, 0, 1), {});
  check(random_image(shape, 0, 2), BackgroundModel::constant(shape, 0, 0), {});
}

TEST(Islands, follow_full_size_maps) {
  const Shape shape{90, 100};
  const Image image = random_image(shape, 0.02, 3), mean = random_image(shape, 0.01, 4);
  Image rms = random_image(shape, 0.01, 5);
  for (std::int64_t i = 0; i < shape.count(); ++i) rms.data()[i] = std::abs(rms.data()[i]) * 0.3f + 0.2f;
  const DetectOptions options{4, 2, 1, Connectivity::eight, false};
  const auto labels = [&](Backend& tested) {
    BackgroundModel model = BackgroundModel::constant(shape, 0, 0);
    model.mean_map = load(tested, mean);
    model.rms_map = load(tested, rms);
    const auto plane = load(tested, image);
    return labels_of(tested, *tested.label(*plane, model, options, {}));
  };
  const auto expected = labels(backend("reference"));
  EXPECT_GT(*std::ranges::max_element(expected), 10);
  for (const std::string& name : tested_backends()) EXPECT_EQ(labels(backend(name)), expected) << name;
}

}  // namespace
}  // namespace reber::testing
