// SPDX-License-Identifier: BSD-3-Clause
// Sources from island sums: Gaussians of known flux, size and place come back, whole or blended.
#include "core/measure/sources/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measure/sources/cut_sources.hpp"
#include "core/measure/sources/deblend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kPixelDeg = 2.0 / 3600;

/// Header of a 128 x 128 SIN field with 2-arcsec pixels, x to the west.
ImageHeader field_header(double beam_px) {
  ImageHeader header;
  header.shape = {128, 128};
  header.unit = Unit::parse("Jy/beam");
  const std::pair<const char*, std::string> cards[] = {{"NAXIS", "2"},
                                                       {"NAXIS1", "128"},
                                                       {"NAXIS2", "128"},
                                                       {"CTYPE1", "'RA---SIN'"},
                                                       {"CTYPE2", "'DEC--SIN'"},
                                                       {"CRVAL1", "60.0"},
                                                       {"CRVAL2", "-30.0"},
                                                       {"CRPIX1", "64.5"},
                                                       {"CRPIX2", "64.5"},
                                                       {"CDELT1", fmt::format("{:.15f}", -kPixelDeg)},
                                                       {"CDELT2", fmt::format("{:.15f}", kPixelDeg)},
                                                       {"EQUINOX", "2000.0"},
                                                       {"RADESYS", "'FK5'"}};
  std::string text;
  for (const auto& [key, value] : cards) text += fmt::format("{:<80}", fmt::format("{:<8}= {:>20}", key, value));
  text += fmt::format("{:<80}", "END");
  header.wcs = Wcs::parse(text, 0, 1, {}, 2, 128, 128);
  header.beam = Beam{beam_px * kPixelDeg, beam_px * kPixelDeg, 0};
  return header;
}

struct Gaussian {
  double x, y, peak, fwhm_px;
};

Image field(const std::vector<Gaussian>& sources) {
  Image image({128, 128});
  for (std::int64_t y = 0; y < 128; ++y)
    for (std::int64_t x = 0; x < 128; ++x) {
      double value = 0;
      for (const Gaussian& s : sources)
        value += s.peak * std::exp(-4 * std::log(2.0) *
                                   (std::pow((static_cast<double>(x) - s.x) / s.fwhm_px, 2) +
                                    std::pow((static_cast<double>(y) - s.y) / s.fwhm_px, 2)));
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

std::vector<Source> found(const Image& image, const ImageHeader& header, const DeblendOptions& blend,
                          const DetectOptions& options = {}) {
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, image);
  const BackgroundModel flat = BackgroundModel::constant(image.shape(), 0, 1e-3f);
  const auto islands = cpu.label(*plane, flat, options, {});
  const auto pixels = cpu.island_pixels(*plane, flat, *islands, 1);
  auto sums = deblend(cpu.measure(*plane, flat, *islands), pixels, options, blend, {});
  mark_cut(sums, {}, KnownPixels(image.shape()));
  return make_sources(sums, options, header, header.beam);
}

TEST(Sources, a_point_source_has_its_flux_place_and_the_beams_shape) {
  const ImageHeader header = field_header(5);
  ASSERT_TRUE(header.wcs.celestial()) << header.wcs.why_not();
  const auto sources = found(field({{63.3, 70.8, 0.1, 5}}), header, {});
  ASSERT_EQ(sources.size(), 1u);
  const Source& s = sources[0];
  EXPECT_NEAR(s.peak, 0.1, 1e-4);
  EXPECT_NEAR(s.total, 0.1, 2e-3);
  EXPECT_NEAR(s.x, 63.3, 0.01);
  EXPECT_NEAR(s.y, 70.8, 0.01);
  EXPECT_NEAR(s.major_deg / kPixelDeg, 5, 0.1);
  EXPECT_NEAR(s.minor_deg / kPixelDeg, 5, 0.1);
  const auto sky = header.wcs.to_sky(63.3, 70.8);
  EXPECT_NEAR(s.ra, sky->lon_deg, 0.02 * kPixelDeg);
  EXPECT_NEAR(s.dec, sky->lat_deg, 0.02 * kPixelDeg);
  EXPECT_LT(s.dc_major_deg / kPixelDeg, 1.2);
  EXPECT_EQ(s.resolved, 0);
}

TEST(Sources, an_extended_source_keeps_its_total_flux) {
  const auto sources = found(field({{60.2, 64.4, 0.05, 12}}), field_header(5), {});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_NEAR(sources[0].total, 0.05 * 144 / 25, 0.02 * 0.05 * 144 / 25);
  EXPECT_NEAR(sources[0].dc_major_deg / kPixelDeg, std::sqrt(144.0 - 25.0), 0.3);
  EXPECT_EQ(sources[0].resolved, 1);
}

TEST(Sources, errors_shrink_with_signal_to_noise_as_condon_says) {
  const auto faint = found(field({{64, 64, 0.02, 5}}), field_header(5), {});
  const auto bright = found(field({{64, 64, 0.2, 5}}), field_header(5), {});
  ASSERT_EQ(faint.size(), 1u);
  ASSERT_EQ(bright.size(), 1u);
  // S/N 20: FWHM/(2.355 S/N) is the limit of a fit with correlated noise; moments lie above it, within a factor 2.5.
  const double limit = 5 / (2.3548 * 20);
  EXPECT_GT(faint[0].e_x, limit);
  EXPECT_LT(faint[0].e_x, 2.5 * limit);
  EXPECT_GT(faint[0].e_x / bright[0].e_x, 4);
}

TEST(Sources, quiet_noise_is_that_of_place_and_peak_and_leaves_the_shape_alone) {
  const ImageHeader header = field_header(5);
  SourceRow row;
  row.sums.npix = 40, row.sums.x0 = row.sums.y0 = 60, row.sums.x1 = row.sums.y1 = 68;
  row.sums.s = 1, row.sums.sx = row.sums.sy = 4, row.sums.sxx = row.sums.syy = 20;
  row.sums.peak_y = row.sums.peak_x = 64, row.sums.peak = 0.1f, row.sums.peak_rms = 1e-3f;
  row.sums.first_y = row.sums.first_x = 60;
  FittedGaussian fit;
  fit.component = {0.1, 64, 64, {25, 0, 25}};
  fit.covariance[0][0] = 1e-6;
  fit.covariance[1][1] = fit.covariance[2][2] = 1e-2;
  fit.covariance[3][3] = fit.covariance[4][4] = fit.covariance[5][5] = 0.04;
  const auto source_of = [&](double place, double peak) {
    row.fit = {fit, 0, place, peak};
    return make_sources({&row, 1}, {}, header, header.beam)[0];
  };
  const Source loud = source_of(1, 1), quiet = source_of(0.25, 0.25);
  EXPECT_NEAR(quiet.e_x / loud.e_x, 0.25, 1e-12);
  EXPECT_NEAR(quiet.e_dec / loud.e_dec, 0.25, 1e-3);
  EXPECT_NEAR(quiet.e_peak / loud.e_peak, 0.25, 1e-12);
  EXPECT_EQ(quiet.e_major_deg, loud.e_major_deg);
  EXPECT_EQ(quiet.resolved, loud.resolved);
  // (e_total / total)^2 is the peak's, 1e-4, and the shape's, 2 (0.2 / 50)^2: the peak's alone falls.
  EXPECT_NEAR(quiet.e_total / quiet.total, std::sqrt(1e-4 / 16 + 2 * 0.04 / 2500), 1e-9);
  const Source place = source_of(0.25, 1);
  EXPECT_EQ(place.e_x, quiet.e_x);
  EXPECT_EQ(place.e_peak, loud.e_peak);
  EXPECT_EQ(place.e_total, loud.e_total);
  // What makes up for each other in one noise does not where only the peak's part falls: the error stays, and does not
  // grow.
  fit.covariance[0][0] = 1e-8;
  fit.covariance[0][3] = fit.covariance[3][0] = fit.covariance[0][5] = fit.covariance[5][0] = -1e-5;
  EXPECT_EQ(source_of(0.5, 0.5).e_total, source_of(1, 1).e_total);
}

TEST(Sources, without_a_known_unit_there_is_no_total_flux) {
  ImageHeader header = field_header(5);
  header.unit = Unit::parse("counts");
  const auto sources = found(field({{64, 64, 0.1, 5}}), header, {});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_TRUE(std::isnan(sources[0].total));
  EXPECT_NEAR(sources[0].peak, 0.1, 1e-3);
}

TEST(Sources, without_sky_or_beam_pixels_remain) {
  ImageHeader header = field_header(5);
  header.wcs = Wcs();
  header.beam.reset();
  const auto sources = found(field({{64.25, 64, 0.1, 5}}), header, {});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_TRUE(std::isnan(sources[0].ra));
  EXPECT_EQ(sources[0].flag & kFlagNoSky, kFlagNoSky);
  EXPECT_NEAR(sources[0].x, 64.25, 0.01);
}

TEST(Sources, a_source_at_the_edge_is_flagged) {
  const auto sources = found(field({{1, 64, 0.1, 5}}), field_header(5), {});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].flag & kFlagEdge, kFlagEdge);
}

/// Pixels of 20 sigma within 1.5 pixels of a circle.
Image ring(double radius) {
  Image image = field({});
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 128; ++x)
      if (std::abs(std::hypot(x - 64, y - 64) - radius) < 1.5) image.at(y, x) = 0.02f;
  return image;
}

// A Gaussian of its moments would cover twice the pixels of a ring from a radius of 3.5 on.
TEST(Sources, a_ring_of_fewer_pixels_than_its_gaussian_is_complex) {
  for (const auto& [radius, complex] : {std::pair{3.0, false}, {4.0, true}, {5.5, true}}) {
    const auto sources = found(ring(radius), field_header(5), {});
    ASSERT_EQ(sources.size(), 1u);
    EXPECT_EQ((sources[0].flag & kFlagComplex) != 0, complex) << radius;
  }
}

TEST(Deblending, two_blended_sources_become_two_of_one_island) {
  const Image image = field({{60, 64, 0.1, 5}, {68, 65, 0.06, 5}});
  const auto sources = found(image, field_header(5), {});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].island, sources[1].island);
  EXPECT_TRUE(sources[0].shared && sources[1].shared);
  EXPECT_NEAR(sources[0].total + sources[1].total, 0.16, 0.01);
  EXPECT_NEAR(sources[0].x, 60, 0.3);
  EXPECT_NEAR(sources[1].x, 68, 0.3);
  DeblendOptions off;
  off.on = false;
  EXPECT_EQ(found(image, field_header(5), off).size(), 1u);
}

TEST(Deblending, a_bump_below_contrast_or_prominence_stays_with_its_source) {
  // 1 mJy is 1 sigma: the second peak stands 1.2 sigma above the saddle.
  const Image image = field({{60, 64, 0.03, 5}, {66.5, 64, 0.0075, 3}});
  DeblendOptions strict;
  strict.prominence = 50;
  EXPECT_EQ(found(image, field_header(5), strict).size(), 1u);
  strict = {};
  strict.contrast = 0.5;
  EXPECT_EQ(found(field({{60, 64, 0.1, 5}, {69, 64, 0.02, 5}}), field_header(5), strict).size(), 1u);
}

TEST(Deblending, a_compact_peak_on_wide_emission_stands_whatever_its_part_of_the_flux) {
  // 1 mJy is 1 sigma: the compact source holds 0.1 % of the island's flux. At 40 sigma it rises by far more than 5
  // above the saddle to the wide one's middle, at 20 sigma on that slope by less.
  EXPECT_EQ(found(field({{64, 64, 0.3, 60}, {80, 64, 0.04, 4}}), field_header(5), {}).size(), 2u);
  EXPECT_EQ(found(field({{64, 64, 0.3, 60}, {80, 64, 0.02, 4}}), field_header(5), {}).size(), 1u);
}

/// Sources in one row of pixels, whose heights are given in sigma.
std::size_t found_in_row(const std::vector<double>& sigmas) {
  Image image = field({});
  for (std::size_t i = 0; i < sigmas.size(); ++i)
    image.at(64, 30 + static_cast<std::int64_t>(i)) = static_cast<float>(sigmas[i] * 1e-3);
  return found(image, field_header(5), {}).size();
}

// The numbers of the rules themselves: 2 sigma of prominence.
TEST(Deblending, a_peak_rises_by_the_prominence_and_by_no_less) {
  EXPECT_EQ(found_in_row({20, 8, 9.9}), 1u);
  EXPECT_EQ(found_in_row({20, 8, 10.1}), 2u);
}

// Of a peak of 1000 sigma, twice the contrast of 0.005 is 10 sigma; 12 sigma are no part of the flux.
TEST(Deblending, beside_a_brighter_peak_it_rises_by_twice_the_contrast) {
  const std::vector<double> slope{1000, 900, 800, 700, 600, 500, 400, 300, 200, 100};
  const auto with_peak = [&](double rise) {
    std::vector<double> row = slope;
    row.push_back(100 + rise);
    return found_in_row(row);
  };
  EXPECT_EQ(with_peak(9.8), 1u);
  EXPECT_EQ(with_peak(10.2), 2u);
}

TEST(Deblending, a_row_of_sources_splits_into_all_of_them) {
  std::vector<Gaussian> row;
  for (int i = 0; i < 9; ++i) row.push_back({20.0 + 8 * i, 64, 0.1 - 0.005 * i, 5});
  EXPECT_EQ(found(field(row), field_header(5), {}).size(), 9u);
}

TEST(Deblending, mirrored_image_gives_mirrored_sources) {
  const Image image = field({{60, 64, 0.1, 5}, {68, 65, 0.06, 5}, {64, 71, 0.05, 5}});
  Image mirrored(image.shape());
  for (std::int64_t y = 0; y < 128; ++y)
    for (std::int64_t x = 0; x < 128; ++x) mirrored.at(127 - y, 127 - x) = image.at(y, x);
  auto a = found(image, field_header(5), {}), b = found(mirrored, field_header(5), {});
  ASSERT_EQ(a.size(), b.size());
  const auto by_peak = [](const Source& p, const Source& q) { return p.peak > q.peak; };
  std::ranges::sort(a, by_peak);
  std::ranges::sort(b, by_peak);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].x, 127 - b[i].x, 1e-6);
    EXPECT_NEAR(a[i].y, 127 - b[i].y, 1e-6);
    EXPECT_NEAR(a[i].total, b[i].total, 1e-9);
  }
}

}  // namespace
}  // namespace reber::testing
