// SPDX-License-Identifier: BSD-3-Clause
// One sky, one catalogue: for any number of threads, any bands, the image flipped or transposed, and the reference.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/measure/sources/deblend.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/source.hpp"
#include "core/studies/simulation.hpp"
#include "kernels/backends.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 512;

const Image& sky() {
  static const Image image = [] {
    SimulationOptions options;
    options.shape = {kSide, kSide};
    options.seed = 11;
    options.point_sources = 400;
    options.extended_sources = 5;
    return std::move(simulate(options, backend("cpu"), {}).image);
  }();
  return image;
}

ImageHeader header() {
  ImageHeader head;
  head.shape = {kSide, kSide};
  head.unit = Unit::parse("Jy/beam");
  std::string text;
  for (const char* card :
       {"NAXIS   =                    2", "NAXIS1  =                  512", "NAXIS2  =                  512",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  =                180.0",
        "CRVAL2  =                -30.0", "CRPIX1  =                256.5", "CRPIX2  =                256.5",
        "CDELT1  =  -0.0005555555555556", "CDELT2  =   0.0005555555555556", "END"})
    text += std::string(card) + std::string(80 - std::string(card).size(), ' ');
  head.wcs = Wcs::parse(text, 0, 1, {}, 2, kSide, kSide);
  head.beam = Beam{10.0 / 3600, 10.0 / 3600, 0};
  return head;
}

struct Way {
  std::string backend = "cpu";
  int threads = 1;
  std::int64_t band_rows = 0;
  bool fitted = true;
};

std::vector<Source> found(const Image& image, const Way& way) {
  BackendOptions backend_options;
  backend_options.threads = way.threads;
  const auto used = make_backend(way.backend, backend_options, {});
  const auto plane = load(*used, image, way.band_rows);
  const MeshGrid grid = MeshGrid::make(image.shape(), 64);
  const MeshOptions mesh;
  const BackgroundModel background = finish_mesh(grid, used->mesh(*plane, grid, mesh, {}), mesh);
  const DetectOptions options;
  const auto islands = used->label(*plane, background, options, {});
  const IslandPixels pixels = used->island_pixels(*plane, background, *islands, 1);
  std::vector<SourceRow> rows = deblend(used->measure(*plane, background, *islands), pixels, options, {}, {});
  const ImageHeader head = header();
  if (way.fitted) {
    SourceFitter fitter({FitRequest::Method::gaussian, false, way.threads}, head, head.beam);
    fitter.measure_noise(*used, *plane, background, *islands);
    rows = fitter.fit(*used, rows, pixels, options, KnownPixels(image.shape()));
  }
  return make_sources(rows, options, head, head.beam);
}

double worst(double a, double b) { return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-300}); }

/// Integers equal, numbers within `bound` of each other, relative.
void expect_same(const std::vector<Source>& got, const std::vector<Source>& expected, double bound) {
  ASSERT_EQ(got.size(), expected.size());
  ASSERT_GT(got.size(), 50u);
  for (std::size_t k = 0; k < got.size(); ++k) {
    const Source &a = got[k], &b = expected[k];
    for (const std::int64_t Source::*whole :
         {&Source::island, &Source::npix, &Source::peak_x, &Source::peak_y, &Source::x0, &Source::x1, &Source::y0,
          &Source::y1, &Source::flag, &Source::resolved})
      EXPECT_EQ(a.*whole, b.*whole) << "source " << k;
    for (const double Source::*real :
         {&Source::x, &Source::y, &Source::e_x, &Source::ra, &Source::dec, &Source::total, &Source::e_total,
          &Source::peak, &Source::e_peak, &Source::major_deg, &Source::minor_deg, &Source::e_major_deg,
          &Source::dc_major_most_deg, &Source::rms})
      EXPECT_FALSE(worst(a.*real, b.*real) > bound) << "source " << k << ": " << a.*real << " and " << b.*real;
  }
}

TEST(Invariance, ThreadsAndBandsChangeNoBit) {
  const std::vector<Source> one = found(sky(), {});
  EXPECT_TRUE(std::ranges::any_of(one, [](const Source& s) { return s.shared; }));
  expect_same(found(sky(), {"cpu", 2, 0, true}), one, 0);
  expect_same(found(sky(), {"cpu", 7, 0, true}), one, 0);
  expect_same(found(sky(), {"cpu", 2, 37, true}), one, 0);
}

TEST(Invariance, TheReferenceFindsTheSameMoments) {
  expect_same(found(sky(), {"reference", 1, 0, false}), found(sky(), {"cpu", 1, 0, false}), 1e-6);
}

using Map = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t, std::int64_t)>;

/// The sky with each pixel (x, y) moved to map(x, y); map undoes itself.
Image moved(const Map& map) {
  Image image({kSide, kSide});
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const auto [u, v] = map(x, y);
      image.at(v, u) = sky().at(y, x);
    }
  return image;
}

/// Sources of the moved sky put back, paired by their peak pixels.
/// bound: of fluxes, relative; of positions in pixels
void expect_moved_back(const Map& map, bool fitted, double bound) {
  const std::vector<Source> expected = found(sky(), {"cpu", 2, 0, fitted});
  const std::vector<Source> got = found(moved(map), {"cpu", 2, 0, fitted});
  ASSERT_EQ(got.size(), expected.size());
  for (const Source& a : got) {
    const auto [px, py] = map(a.peak_x, a.peak_y);
    const auto b = std::ranges::find_if(expected, [&](const Source& s) { return s.peak_x == px && s.peak_y == py; });
    ASSERT_NE(b, expected.end()) << "no source at " << px << ", " << py;
    EXPECT_EQ(a.npix, b->npix);
    EXPECT_EQ(a.shared, b->shared);
    EXPECT_EQ(a.flag, b->flag);
    EXPECT_FALSE(worst(a.total, b->total) > bound) << a.total << " and " << b->total;
    EXPECT_FALSE(worst(a.peak, b->peak) > bound);
    EXPECT_FALSE(worst(a.major_deg, b->major_deg) > bound);
    // The offset of the centre from its peak pixel, in whatever order of axes.
    const double ra = std::hypot(a.x - static_cast<double>(a.peak_x), a.y - static_cast<double>(a.peak_y));
    const double rb = std::hypot(b->x - static_cast<double>(b->peak_x), b->y - static_cast<double>(b->peak_y));
    EXPECT_FALSE(std::abs(ra - rb) > 10 * bound) << ra << " and " << rb;
  }
}

const Map kFlipped = [](std::int64_t x, std::int64_t y) { return std::pair{kSide - 1 - x, y}; };
const Map kUpsideDown = [](std::int64_t x, std::int64_t y) { return std::pair{x, kSide - 1 - y}; };
const Map kTransposed = [](std::int64_t x, std::int64_t y) { return std::pair{y, x}; };

TEST(Invariance, MomentsOfAFlippedSkyAreTheSame) {
  for (const Map& map : {kFlipped, kUpsideDown, kTransposed}) expect_moved_back(map, false, 1e-6);
}

// Levenberg-Marquardt stops where no parameter moves by more than 1e-4 of its error.
TEST(Invariance, FitsOfAFlippedSkyAreTheSame) {
  for (const Map& map : {kFlipped, kUpsideDown, kTransposed}) expect_moved_back(map, true, 1e-4);
}

}  // namespace
}  // namespace reber::testing
