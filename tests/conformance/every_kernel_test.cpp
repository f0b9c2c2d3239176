// SPDX-License-Identifier: BSD-3-Clause
// Small images that reach every kernel of a family on a card, held to the bits of `cpu`: what tests/gpu/sanitize.sh
// runs under checkers that are a hundred times slower.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "core/files/image/image_file.hpp"
#include "core/measure/sources/measured_noise.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "tests/conformance/grid_wcs.hpp"
#include "tests/support/rice_files.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::testing {
namespace {

class EveryKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(tested_backends(), "cuda") == 0) GTEST_SKIP() << "no card";
  }
  static Backend& card() { return backend("cuda"); }
  static Backend& cpu() { return backend("cpu"); }
};

Kernel product(Shape shape) {
  Random random(static_cast<std::uint64_t>(shape.count()));
  std::vector<double> column(static_cast<std::size_t>(shape.ny)), row(static_cast<std::size_t>(shape.nx)), weights;
  for (double& weight : column) weight = 0.1 + random.uniform();
  for (double& weight : row) weight = 0.1 + random.uniform();
  for (const double a : column)
    for (const double b : row) weights.push_back(a * b);
  return custom_kernel(shape, std::move(weights), Normalise::sum, "product");
}

/// variant: empty for the backend's own choice. description: a part of the plan's.
Image convolved(Backend& backend, const Image& image, ConvolutionSpec spec, Algorithm algorithm,
                const std::string& variant = "", const std::string& description = "") {
  spec.variant = variant;
  const auto plan = backend.plan_convolution(spec, image.shape(), algorithm);
  if (!variant.empty()) {
    EXPECT_EQ(plan->variant(), variant);
  }
  EXPECT_NE(plan->description().find(description), std::string::npos) << plan->description();
  return store(backend, *backend.convolve(*load(backend, image), *plan, {}));
}

void expect_same_convolution(const Image& image, const ConvolutionSpec& spec, Algorithm algorithm,
                             const std::string& variant) {
  SCOPED_TRACE(fmt::format("{}/{}, kernel {} x {}, blanks {}", to_string(algorithm), variant, spec.kernel.shape.ny,
                           spec.kernel.shape.nx, to_string(spec.nan)));
  EXPECT_TRUE(same_bits(convolved(backend("cuda"), image, spec, algorithm, variant),
                        convolved(backend("cpu"), image, spec, algorithm)));
}

TEST_F(EveryKernel, of_direct_convolution) {
  const Image whole = random_image({35, 261}, 0, 1), blanks = random_image({35, 261}, 0.02, 2);
  // Wide enough for a strip of 512 columns with others on both sides, whose rows the copy engine brings whole.
  const Image wide = random_image({20, 1100}, 0, 8);
  for (std::int64_t side = 3; side <= 31; side += 2)
    expect_same_convolution(side == 9 ? wide : whole, {product({side, side}), Boundary::reflect}, Algorithm::direct,
                            side <= 9 ? "march" : "tile");
  for (const Shape shape : {Shape{3, 13}, Shape{40, 7}, Shape{63, 63}})
    expect_same_convolution(whole, {product(shape), Boundary::zero}, Algorithm::direct, "plain");
  for (const Shape shape : {Shape{9, 9}, Shape{21, 17}})
    for (const NanRule rule : {NanRule::interpolate, NanRule::propagate})
      expect_same_convolution(blanks, {product(shape), Boundary::wrap, rule, 0.5, true}, Algorithm::direct, "");
}

TEST_F(EveryKernel, of_separable_convolution) {
  // Rows enough for the columns of a strip to go round its ring.
  const Image whole = random_image({150, 131}, 0, 3), blanks = random_image({150, 131}, 0.001, 4);
  for (const std::int64_t side : {9, 17, 25, 33, 65, 129, 520}) {
    const Kernel kernel = product({side, side});
    const std::string variant = side == 520 ? "two_pass" : "ring";
    expect_same_convolution(whole, {kernel, Boundary::mirror}, Algorithm::separable, variant);
    if (side > 9 && side <= 65)
      expect_same_convolution(whole, {kernel, Boundary::mirror}, Algorithm::separable, "march");
    if (side == 9 || side == 33 || side == 520)
      expect_same_convolution(blanks, {kernel, Boundary::blank}, Algorithm::separable, variant);
  }
}

/// docs/numerics.md#convolve, as in fft_lengths_test.cpp.
void expect_close_transform(const Image& image, Shape kernel, const std::string& variant,
                            const std::string& description) {
  const double brightest = 400;
  for (const NanRule rule : {NanRule::fill, NanRule::interpolate}) {
    const ConvolutionSpec spec{product(kernel), Boundary::wrap, rule};
    const Image expected = convolved(backend("reference"), image, spec, Algorithm::direct);
    const Image got = convolved(backend("cuda"), image, spec, Algorithm::fft, variant, description);
    EXPECT_TRUE(close_images(got, expected, {brightest * (rule == NanRule::fill ? 1e-6 : 6e-6)}));
  }
}

TEST_F(EveryKernel, of_fft_tiles) {
  const Image image = random_image({100, 140}, 0.02, 5);
  for (const auto& [kernel, tile] :
       {std::tuple{Shape{5, 70}, "128 x 64 pixels"}, std::tuple{Shape{70, 5}, "64 x 128 pixels"},
        std::tuple{Shape{70, 70}, "128 x 128 pixels"}})
    expect_close_transform(image, kernel, "tile", tile);
}

TEST_F(EveryKernel, of_fft_by_the_library) {
  expect_close_transform(random_image({40, 50}, 0.02, 6), {5, 7}, "library", "overlap-save");
}

/// Larger than what is sorted whole, with zeros and tiny pixels.
Image sky_to_sift() {
  Image image = random_image({520, 513}, 0.02, 7);
  for (std::int64_t i = 0; i < image.shape().count(); i += 2000) image.data()[i] = i % 4000 == 0 ? 0.0f : 1e-9f;
  return image;
}

/// For histograms, with many values to a bin; blank pixels too.
Image sky_on_a_level() {
  Image image = random_image({9, 400}, 0.02, 8);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] = 1000 + image.data()[i];
  return image;
}

TEST_F(EveryKernel, of_statistics) {
  const auto numbers = [](Backend& tested, const Image& image, std::int64_t band, StatisticsParts parts) {
    const PlaneStatistics s = tested.statistics(*load(tested, image, band), parts);
    return fmt::format("{} {} {} {} {} {} {}", s.finite, s.blank, s.min, s.max, s.mean, s.std, s.median);
  };
  const Image sky = sky_to_sift(), small = random_image({9, 40}, 0.02, 8), level = sky_on_a_level();
  for (const StatisticsParts parts : {StatisticsParts::all, StatisticsParts::mean_and_std}) {
    EXPECT_EQ(numbers(card(), sky, 0, parts), numbers(cpu(), sky, 0, parts));
    EXPECT_EQ(numbers(card(), small, 0, parts), numbers(cpu(), small, 0, parts));
    EXPECT_EQ(numbers(card(), level, 4, parts), numbers(cpu(), level, 4, parts));
  }
}

TEST_F(EveryKernel, of_clips) {
  const auto numbers = [](Backend& tested, const Image& image, std::int64_t band) {
    const ClipStatistics s = tested.clip(*load(tested, image, band), {3, 100});
    return fmt::format("{} {} {} {} {} {}", s.kept, s.rounds, s.converged, s.mean, s.std, s.median);
  };
  const Image sky = sky_to_sift(), small = random_image({9, 40}, 0.02, 8), level = sky_on_a_level();
  EXPECT_EQ(numbers(card(), sky, 0), numbers(cpu(), sky, 0));
  EXPECT_EQ(numbers(card(), small, 0), numbers(cpu(), small, 0));
  EXPECT_EQ(numbers(card(), level, 4), numbers(cpu(), level, 4));
}

BackgroundModel mesh_of(Backend& tested, const Image& image, std::int64_t box) {
  const MeshGrid grid = MeshGrid::make(image.shape(), box);
  return finish_mesh(grid, tested.mesh(*load(tested, image), grid, {}, {}), {});
}

TEST_F(EveryKernel, of_meshes) {
  const Image noise = random_image({130, 264}, 0.02, 9);
  Image zeros = random_image({130, 264}, 0.02, 10);  // which are not sifted
  for (std::int64_t i = 0; i < zeros.shape().count(); ++i)
    if (i % 5 != 0) zeros.data()[i] = 0;
  for (const Image* image : {&noise, static_cast<const Image*>(&zeros)})
    for (const std::int64_t box : {24, 110, 140}) {  // cells of some threads, of more, and sorted by the whole card
      SCOPED_TRACE(fmt::format("box {} zeros {}", box, image == &zeros));
      const BackgroundModel got = mesh_of(card(), *image, box), expected = mesh_of(cpu(), *image, box);
      EXPECT_EQ(got.mean, expected.mean);
      EXPECT_EQ(got.rms, expected.rms);
    }
  // So many cells of skewed values that they are not all sorted, but sifted once more.
  Image skewed = random_image({720, 960}, 0, 12);
  for (std::int64_t i = 0; i < skewed.shape().count(); ++i) skewed.data()[i] = std::exp(skewed.data()[i]);
  const BackgroundModel got = mesh_of(card(), skewed, 48), expected = mesh_of(cpu(), skewed, 48);
  EXPECT_EQ(got.mean, expected.mean);
  EXPECT_EQ(got.rms, expected.rms);
}

auto all_of(const IslandSums& a) {
  return std::tuple(std::tuple(a.npix, a.first_y, a.first_x, a.y0, a.x0, a.y1, a.x1, a.peak_y, a.peak_x),
                    std::tuple(a.peak, a.peak_mean, a.peak_rms, a.s, a.sx, a.sy, a.sxx, a.sxy, a.syy));
}

/// Islands on the card and of `cpu`.
struct Found {
  const BackgroundModel& model;
  std::unique_ptr<Plane> plane, there;
  std::unique_ptr<IslandMap> islands, expected;
};

/// Every other column, joined by the last row: as many runs as there can be, one island of several sections.
Image comb_of(Shape shape) {
  Image comb(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) comb.at(y, x) = x % 2 == 0 || y == shape.ny - 1 ? 10.0f : 0.0f;
  return comb;
}

/// Calls check(Found) for noise and for combs, on two tiles of labels by two or three: few runs, more than one block
/// orders with eight a thread, more than it orders with sixteen.
template <typename Check>
void on_islands(const Check& check) {
  const Image noise = random_image({20, 1100}, 0.02, 11);
  const Image comb = comb_of(noise.shape()), large_comb = comb_of({33, 1100});
  Backend &card = backend("cuda"), &cpu = backend("cpu");
  const BackgroundModel flat = BackgroundModel::constant(noise.shape(), 0, 1), mesh = mesh_of(cpu, noise, 100);
  const auto find = [&](const Image& image, const BackgroundModel& model, const DetectOptions& options) {
    Found found{model, load(card, image), load(cpu, image), nullptr, nullptr};
    found.islands = card.label(*found.plane, model, options, {});
    found.expected = cpu.label(*found.there, model, options, {});
    ASSERT_GT(found.expected->count(), 0);
    ASSERT_EQ(found.islands->count(), found.expected->count());
    check(found);
  };
  for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight}) {
    find(noise, flat, {1, 0, 1, connectivity, false});
    find(noise, mesh, {2, 0.5, 2, connectivity, connectivity == Connectivity::four});
    find(comb, flat, {5, 3, 1, connectivity, false});
  }
  const BackgroundModel large_flat = BackgroundModel::constant(large_comb.shape(), 0, 1);
  find(large_comb, large_flat, {5, 3, 1, Connectivity::four, false});
}

TEST_F(EveryKernel, of_labels) {
  on_islands([](const Found& found) {
    EXPECT_EQ(labels_of(card(), *found.islands), labels_of(cpu(), *found.expected));
    EXPECT_TRUE(card().label_runs(*found.islands) == cpu().label_runs(*found.expected));
    EXPECT_TRUE(same_bits(store(card(), *card().derive(WithoutIslands{*found.plane, *found.islands, 2})),
                          store(cpu(), *cpu().derive(WithoutIslands{*found.there, *found.expected, 2}))));
  });
}

TEST_F(EveryKernel, of_measurements) {
  on_islands([](const Found& found) {
    EXPECT_TRUE(std::ranges::equal(card().measure(*found.plane, found.model, *found.islands),
                                   cpu().measure(*found.there, found.model, *found.expected), {}, all_of, all_of));
  });
}

TEST_F(EveryKernel, of_island_pixels) {
  on_islands([](const Found& found) {
    const IslandPixels got = card().island_pixels(*found.plane, found.model, *found.islands, 4),
                       wanted = cpu().island_pixels(*found.there, found.model, *found.expected, 4);
    EXPECT_EQ(std::tuple(got.label, got.first, got.y, got.x),
              std::tuple(wanted.label, wanted.first, wanted.y, wanted.x));
    EXPECT_EQ(std::tuple(got.pixel, got.mean, got.rms), std::tuple(wanted.pixel, wanted.mean, wanted.rms));
  });
}

TEST_F(EveryKernel, of_rice_tiles) {
  const testing_files::TemporaryFolder folder;
  std::mt19937 random(14);
  for (const int bitpix : {BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG})
    for (const long width : {rice_files::kNx, 64L}) {
      SCOPED_TRACE(fmt::format("bitpix {}, tiles of {} columns", bitpix, width));
      rice_files::Case how;
      how.bitpix = bitpix;
      how.dither = SUBTRACTIVE_DITHER_2;
      how.tile[0] = width;
      how.tile[1] = 1;
      const std::string path = folder.file(fmt::format("{}_{}.fits", bitpix, width));
      rice_files::write(path, how, rice_files::image_of(how, random));
      const ImagePlane image = ImagePlane::open(path);
      const auto pixels = image.pixels();
      EXPECT_TRUE(same_bits(store(card(), *card().load(*pixels, {})), store(cpu(), *cpu().load(*pixels, {}))));
    }
}

TEST_F(EveryKernel, of_the_noise) {
  const Image image = random_image({140, 261}, 0.02, 17);
  const BackgroundModel model = mesh_of(cpu(), image, 50);
  ThreadPool pool(2);
  const auto correlation = [&](Backend& by) {
    const auto plane = load(by, image);
    const auto islands = by.label(*plane, model, DetectOptions{});
    return measure_noise_correlation({by, *plane, model, *islands}, 17, 5, 3, pool, {}).correlation.values();
  };
  EXPECT_EQ(correlation(card()), correlation(cpu()));
}

TEST_F(EveryKernel, of_maps) {
  const Image image = random_image({35, 261}, 0.05, 12), other = random_image({35, 261}, 0.05, 13);
  for (const std::int64_t box : {3, 20}) {  // nodes nearer than the kernel for wide cells takes
    const BackgroundModel model = mesh_of(cpu(), image, box);
    for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr})
      EXPECT_TRUE(same_bits(render(card(), kind, *load(card(), image), model),
                            render(cpu(), kind, *load(cpu(), image), model)));
    EXPECT_TRUE(same_bits(store(card(), *card().derive(SnrPlane{*load(card(), image), model})),
                          store(cpu(), *cpu().derive(SnrPlane{*load(cpu(), image), model}))));
  }
  const std::vector<Rect> windows{{0, 0, 3, 5}, {7, 11, 9, 8}, {2, 3, 1, 1}};  // narrow
  Image here({1, 88}), there({1, 88});
  const BackgroundModel nodes = mesh_of(cpu(), image, 20);
  card().render_each(MapKind::snr, *load(card(), image), &nodes, windows, here.data());
  cpu().render_each(MapKind::snr, *load(cpu(), image), &nodes, windows, there.data());
  EXPECT_TRUE(same_bits(here, there));
  for (const PlaneRule rule : {PlaneRule::difference, PlaneRule::larger, PlaneRule::smaller})
    EXPECT_TRUE(
        same_bits(store(card(), *card().derive(CombinedPlane{rule, *load(card(), image), *load(card(), other)})),
                  store(cpu(), *cpu().derive(CombinedPlane{rule, *load(cpu(), image), *load(cpu(), other)}))));
  for (const std::int64_t n : {1, 2, 5})
    EXPECT_TRUE(same_bits(store(card(), *card().derive(EveryNth{*load(card(), image), n})),
                          store(cpu(), *cpu().derive(EveryNth{*load(cpu(), image), n}))));
  EXPECT_TRUE(same_bits(store(card(), *card().derive(MinusMagnitude{*load(card(), image)})),
                        store(cpu(), *cpu().derive(MinusMagnitude{*load(cpu(), image)}))));
  const auto peaks = card().block_peaks(*load(card(), image), 7);
  ASSERT_TRUE(peaks.has_value());  // BlockPeaks looks at their values
  EXPECT_EQ(peaks->size(), 5U * 38U);
}

TEST_F(EveryKernel, of_other_grids) {
  constexpr Shape kShape{45, 261};
  const Image image = random_image(kShape, 0.02, 14);
  const PlaceMap map(grid_wcs("TAN", 30, 30, 0.0013, 21, kShape), grid_wcs("SIN", 30, 30, 0.001, 0, kShape));
  const PlaceGrid places(map, {0, 0, kShape.ny, kShape.nx});
  for (const Interpolation how : {Interpolation::fitted, Interpolation::bilinear, Interpolation::nearest}) {
    const ResampleTable table = resample_table(how, {});
    EXPECT_TRUE(same_bits(store(card(), *card().resample(*load(card(), image), places, table)),
                          store(cpu(), *cpu().resample(*load(cpu(), image), places, table))));
  }
}

}  // namespace
}  // namespace reber::testing
