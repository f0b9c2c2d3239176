// SPDX-License-Identifier: BSD-3-Clause
// A beam that varies over an image: its map, and what it makes of sources.
#include "core/files/fits/beam_map.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/measure/extended/extended_sources.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/studies/completeness.hpp"
#include "core/studies/forced.hpp"
#include "fits_files.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

namespace files = testing_files;

constexpr std::int64_t kWide = 400;
constexpr double kStepDeg = 0.002;

std::vector<std::string> cards_of(std::int64_t side, double step_deg, const char* projection = "SIN") {
  const auto middle = 0.5 * static_cast<double>(side + 1);
  return {"SIMPLE  =                    T",
          "BITPIX  =                  -64",
          "NAXIS   =                    3",
          fmt::format("NAXIS1  = {:20d}", side),
          fmt::format("NAXIS2  = {:20d}", side),
          "NAXIS3  =                    4",
          fmt::format("CTYPE1  = 'RA---{}'", projection),
          fmt::format("CTYPE2  = 'DEC--{}'", projection),
          "CRVAL1  =                 60.0",
          "CRVAL2  =                -30.0",
          fmt::format("CRPIX1  = {:20}", middle),
          fmt::format("CRPIX2  = {:20}", middle),
          fmt::format("CDELT1  = {:20}", -step_deg),
          fmt::format("CDELT2  = {:20}", step_deg)};
}

Wcs wcs_of(std::int64_t side, double step_deg, const char* projection = "SIN") {
  std::string text;
  for (const std::string& card : cards_of(side, step_deg, projection)) text += fmt::format("{:<80}", card);
  text += fmt::format("{:<80}", "END");
  return Wcs::parse(text, 0, 1, {1, 1, 1}, 3, static_cast<double>(side), static_cast<double>(side));
}

ImageHeader image_header() {
  ImageHeader header;
  header.shape = {kWide, kWide};
  header.wcs = wcs_of(kWide, kStepDeg);
  header.unit = Unit::parse("Jy/beam");
  header.beam = Beam{6.5 * kStepDeg, 6.5 * kStepDeg, 0};
  return header;
}

/// 5 px across at the left edge, 8 at the right, and wider one way than the other.
Beam beam_at(double x, double y) {
  const double part = x / static_cast<double>(kWide - 1), up = y / static_cast<double>(kWide - 1);
  const double fwhm = (5 + 3 * part) * kStepDeg;
  return {1.15 * fwhm, fwhm / 1.15, 20 + 40 * up};
}

/// A map of its own coarse grid: `side` pixels over the image and a little more; a fourth plane, as Aegean's have.
std::string map_file(const std::string& path, std::int64_t side = 13, double scale = 1,
                     const char* projection = "SIN") {
  const double step = kStepDeg * static_cast<double>(kWide) / static_cast<double>(side - 3);
  const Wcs image = wcs_of(kWide, kStepDeg), own = wcs_of(side, step, projection);
  std::vector<double> planes(static_cast<std::size_t>(4 * side * side), 1.0);
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const auto at = image.to_pixel(*own.to_sky(static_cast<double>(x), static_cast<double>(y)));
      const Beam beam = beam_at(at->x, at->y);
      const auto i = static_cast<std::size_t>(y * side + x), plane = static_cast<std::size_t>(side * side);
      planes[i] = scale * beam.major_deg, planes[plane + i] = scale * beam.minor_deg,
      planes[2 * plane + i] = beam.pa_deg;
    }
  planes[static_cast<std::size_t>(side + 1)] = std::nan("");
  files::save(path, files::header(cards_of(side, step, projection)) + files::data_blocks(planes));
  return path;
}

TEST(BeamMap, gives_the_beam_of_every_place_from_a_grid_of_its_own) {
  const files::TemporaryFolder folder;
  const ImageHeader header = image_header();
  for (const char* projection : {"SIN", "CAR"}) {
    const BeamField beams = read_beam_map(map_file(folder.file("psf.fits"), 13, 1, projection), header);
    ASSERT_TRUE(beams.varies());
    for (const PixelPosition at : {PixelPosition{0, 399}, {199.5, 199.5}, {399, 0}, {133, 271.5}}) {
      const Beam found = beams.at(at.x, at.y).sky, wanted = beam_at(at.x, at.y);
      EXPECT_NEAR(found.major_deg, wanted.major_deg, 0.006 * wanted.major_deg) << at.x;
      EXPECT_NEAR(found.minor_deg, wanted.minor_deg, 0.006 * wanted.minor_deg) << at.x;
      EXPECT_NEAR(found.pa_deg, wanted.pa_deg, 1) << at.x;
      const Covariance grid = to_pixels(sky_covariance(found.major_deg, found.minor_deg, found.pa_deg),
                                        *header.wcs.sky_per_pixel(at.x, at.y));
      EXPECT_NEAR(beams.at(at.x, at.y).pixels.xy, grid.xy, 1e-3 * grid.xx);
      EXPECT_NEAR(beams.at(at.x, at.y).pixels.yy, grid.yy, 1e-3 * grid.yy);
    }
    EXPECT_NEAR(beams.nominal()->major_deg, beam_at(199.5, 199.5).major_deg, 1e-4);
  }
}

TEST(BeamMap, that_is_no_map_of_this_image_is_refused) {
  const files::TemporaryFolder folder;
  const ImageHeader header = image_header();
  EXPECT_THROW((void)read_beam_map(map_file(folder.file("arcsec.fits"), 13, 3600), header), InputError);
  ImageHeader nowhere = header;
  nowhere.wcs = Wcs();
  EXPECT_THROW((void)read_beam_map(map_file(folder.file("psf.fits")), nowhere), InputError);
  const std::vector<std::string> two{"SIMPLE  =                    T", "BITPIX  =                  -64",
                                     "NAXIS   =                    3", "NAXIS1  =                    3",
                                     "NAXIS2  =                    3", "NAXIS3  =                    2"};
  files::save(folder.file("two.fits"), files::header(two) + files::data_blocks(std::vector<double>(18, 0.01)));
  EXPECT_THROW((void)read_beam_map(folder.file("two.fits"), header), InputError);
  EXPECT_THROW((void)read_beam_map(folder.file("none.fits"), header), DataError);
}

TEST(BeamMap, of_a_cube_is_one_for_all_planes_or_one_for_each) {
  const files::TemporaryFolder folder;
  ImageHeader header = image_header();
  header.planes = 3, header.plane = 2;
  std::vector<std::string> cards = cards_of(3, kStepDeg * 200);
  cards[2] = "NAXIS   =                    4";
  cards.insert(cards.begin() + 6, "NAXIS4  =                    3");
  std::vector<double> planes;
  for (const double pixels : {5.0, 6.0, 7.0})
    for (const double value : {1.2 * pixels * kStepDeg, pixels * kStepDeg, 30.0, 1.0})
      planes.insert(planes.end(), 9, value);
  files::save(folder.file("each.fits"), files::header(cards) + files::data_blocks(planes));
  EXPECT_NEAR(read_beam_map(folder.file("each.fits"), header).at(90, 200).sky.minor_deg, 7 * kStepDeg, 1e-9);
  header.plane = 0;
  EXPECT_NEAR(read_beam_map(folder.file("each.fits"), header).at(90, 200).sky.minor_deg, 5 * kStepDeg, 1e-9);
  EXPECT_NEAR(read_beam_map(folder.file("each.fits"), header).at(90, 200).sky.pa_deg, 30, 1e-6);
  header.planes = 2;
  EXPECT_THROW((void)read_beam_map(folder.file("each.fits"), header), InputError);
  header.planes = 1;
  EXPECT_THROW((void)read_beam_map(folder.file("each.fits"), header), InputError);
  EXPECT_TRUE(read_beam_map(map_file(folder.file("one.fits")), header).varies());
  header.planes = 7, header.plane = 6;
  EXPECT_TRUE(read_beam_map(folder.file("one.fits"), header).varies()) << "one for all";
}

/// Even brightness with an edge; total in units of the noise times pixels of a beam's peak, as 1e-3 Jy.
struct Disc {
  double x, y, radius, total;
};

/// Points of the beam of their place, in noise of its shape.
Image sky_with(const ImageHeader& header, std::vector<GaussianComponent>& truth, const std::vector<Disc>& discs = {}) {
  Random random(11);
  constexpr std::int64_t kReach = 9;
  Image white({kWide + 2 * kReach, kWide + 2 * kReach}), image(header.shape);
  for (std::int64_t i = 0; i < white.shape().count(); ++i) white.data()[i] = static_cast<float>(random.normal());
  const auto pixels_at = [&](double x, double y) {
    const Beam beam = beam_at(x, y);
    return to_pixels(sky_covariance(beam.major_deg, beam.minor_deg, beam.pa_deg), *header.wcs.sky_per_pixel(x, y));
  };
  for (std::int64_t j = 0; j < 8; ++j)
    for (std::int64_t i = 0; i < 8; ++i) {
      const double x = 25 + 50 * static_cast<double>(i) + random.uniform(),
                   y = 25 + 50 * static_cast<double>(j) + random.uniform();
      truth.push_back({200 + 800 * random.uniform(), x, y, pixels_at(x, y)});
    }
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kWide; ++y)
    for (std::int64_t x = 0; x < kWide; ++x) {
      const Covariance c = pixels_at(static_cast<double>(x), static_cast<double>(y));
      const double det = c.xx * c.yy - c.xy * c.xy;
      double sum = 0, squares = 0, value = 0;
      for (std::int64_t dy = -kReach; dy <= kReach; ++dy)
        for (std::int64_t dx = -kReach; dx <= kReach; ++dx) {
          const auto fx = static_cast<double>(dx), fy = static_cast<double>(dy);
          // Half the beam's FWHM^2: the noise then has the beam's autocorrelation.
          const double weight =
              std::exp(-8 * std::numbers::ln2 * (c.yy * fx * fx - 2 * c.xy * fx * fy + c.xx * fy * fy) / det);
          sum += weight * static_cast<double>(white.at(y + dy + kReach, x + dx + kReach)), squares += weight * weight;
        }
      for (const Disc& disc : discs)
        if (std::hypot(disc.x - static_cast<double>(x), disc.y - static_cast<double>(y)) < disc.radius)
          value += disc.total / (std::numbers::pi * disc.radius * disc.radius) * gaussian_area(c);
      for (const GaussianComponent& one : truth)
        if (std::abs(one.x - static_cast<double>(x)) < 25 && std::abs(one.y - static_cast<double>(y)) < 25)
          value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      image.at(y, x) = static_cast<float>(1e-3 * (value + sum / std::sqrt(squares)));
    }
  return image;
}

class VaryingBeam : public ::testing::Test {
 protected:
  VaryingBeam() : header(image_header()), image(sky_with(header, truth)) {
    request.input = "varying";
    request.program = "reber test";
    request.background.emplace();
    request.detect.emplace();
  }
  [[nodiscard]] Result run() const {
    const Input input{
        "varying", {}, memory_source(image.data(), image.shape()), std::make_shared<const ImageHeader>(header)};
    return Pipeline(shared_backend("cpu"), input).run(request);
  }
  /// Worst error of a total, and rows that are resolved.
  [[nodiscard]] std::pair<double, int> worst(const std::vector<Source>& rows) const {
    double most = 0;
    int resolved = 0;
    for (const GaussianComponent& one : truth) {
      const auto row =
          std::ranges::find_if(rows, [&](const Source& s) { return std::hypot(s.x - one.x, s.y - one.y) < 2; });
      if (row == rows.end()) {
        ADD_FAILURE() << one.x << ' ' << one.y;
        continue;
      }
      // A point's total is its peak.
      most = std::max(most, std::abs(row->total / (1e-3 * one.peak) - 1));
      resolved += static_cast<int>(row->resolved);
    }
    return {most, resolved};
  }

  files::TemporaryFolder folder;
  ImageHeader header;
  std::vector<GaussianComponent> truth;
  Image image;
  Request request;
};

TEST_F(VaryingBeam, points_have_their_totals_and_no_size_of_their_own) {
  const Result one_beam = run();
  const auto [wrong, seeming] = worst(one_beam.sources());
  EXPECT_GT(wrong, 0.3) << "with one beam the sky is measured wrongly";
  EXPECT_GT(seeming, 10);

  request.psf_map = map_file(folder.file("psf.fits"), 53);
  const Result result = run();
  const std::vector<Source>& rows = result.sources();
  const auto [error, resolved] = worst(rows);
  EXPECT_LT(error, 0.03);
  EXPECT_LE(resolved, 2);
  EXPECT_EQ(rows.size(), truth.size());
  double chi2 = 0;
  int sized = 0;
  for (const Source& s : rows) {
    EXPECT_LT(s.dc_major_deg, 0.25 * s.major_deg) << s.x;
    // The error of a size is that of its square over twice the size: 6 of it are 3 errors of the square.
    sized += s.dc_major_deg > 6 * s.e_dc_major_deg ? 1 : 0;
    const auto its = std::ranges::find_if(
        truth, [&](const GaussianComponent& one) { return std::hypot(s.x - one.x, s.y - one.y) < 2; });
    if (its != truth.end()) chi2 += std::pow((s.total - 1e-3 * its->peak) / s.e_total, 2);
  }
  EXPECT_LE(sized, 2) << "sizes are consistent with zero";
  EXPECT_LT(chi2 / static_cast<double>(rows.size()), 2.0) << "errors are those of the beam there";

  const Catalogue catalogue = make_catalogue(rows, result.header(), {});
  const Catalogue aegean = in_columns(catalogue, rows, ColumnSet::aegean, result.beams());
  const auto& psf = std::get<std::vector<double>>(aegean.find("psf_a")->values);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(psf[i], 3600 * beam_at(rows[i].x, rows[i].y).major_deg, 0.3) << rows[i].x;
  const SourceList list = source_list_of(result, {});
  for (const IslandValues& island : list.islands) EXPECT_GT(island.total, 0);
}

TEST_F(VaryingBeam, forced_fluxes_have_errors_of_their_place) {
  request.psf_map = map_file(folder.file("psf.fits"), 53);
  const Result result = run();
  SkyList list;
  list.rows = std::ssize(truth);
  for (const GaussianComponent& one : truth) list.x.push_back(one.x), list.y.push_back(one.y);
  list.name.resize(truth.size());
  for (const auto free : {ForcedRequest::Free::flux, ForcedRequest::Free::position}) {
    const std::vector<ForcedSource> rows = measure_forced(list, result, {.free = free}, {});
    double least = 1e9, most = 0, chi2 = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // In noise of the beam's own shape a point's error is the noise, however wide the beam is.
      const double part = rows[i].e_peak / rows[i].rms;
      least = std::min(least, part), most = std::max(most, part);
      chi2 += std::pow((rows[i].total - 1e-3 * truth[i].peak) / rows[i].e_total, 2) / static_cast<double>(rows.size());
    }
    EXPECT_GT(least, 0.95);
    EXPECT_LT(most, 1.15);
    EXPECT_NEAR(chi2, 1, 0.5);
  }
}

TEST_F(VaryingBeam, moments_take_the_beam_of_their_place_too) {
  request.psf_map = map_file(folder.file("psf.fits"));
  request.fit.method = FitRequest::Method::moments;
  const auto [error, resolved] = worst(run().sources());
  EXPECT_LT(error, 0.06);
}

TEST_F(VaryingBeam, a_map_of_one_beam_measures_as_that_beam_does) {
  const Result one_beam = run();
  std::vector<double> planes(27, header.beam->major_deg);
  std::fill(planes.begin() + 18, planes.end(), 0.0);
  std::vector<std::string> cards = cards_of(3, kStepDeg * 200);
  cards[5] = "NAXIS3  =                    3";
  files::save(folder.file("flat.fits"), files::header(cards) + files::data_blocks(planes));
  request.psf_map = folder.file("flat.fits");
  const Result mapped = run();
  ASSERT_EQ(mapped.sources().size(), one_beam.sources().size());
  for (std::size_t i = 0; i < mapped.sources().size(); ++i) {
    const Source &a = mapped.sources()[i], &b = one_beam.sources()[i];
    EXPECT_NEAR(a.total, b.total, 2e-3 * std::abs(b.total));
    EXPECT_NEAR(a.e_total, b.e_total, 0.02 * b.e_total);
  }
}

TEST_F(VaryingBeam, extended_sources_have_the_totals_of_their_place) {
  const std::vector<Disc> discs{{100, 100, 22, 900}, {300, 300, 22, 900}, {100, 300, 22, 900}, {300, 100, 22, 900}};
  truth.clear();
  image = sky_with(header, truth, discs);
  const auto worst_of = [&] {
    const Result result = run();
    const ExtendedSources found = find_extended(result, request);
    double most = 0;
    for (const Disc& disc : discs) {
      const auto root = std::ranges::find_if(found.sources, [&](const ExtendedSource& one) {
        return one.parent == 0 && std::hypot(one.x - disc.x, one.y - disc.y) < 15;
      });
      if (root == found.sources.end()) {
        ADD_FAILURE() << disc.x << ' ' << disc.y;
        continue;
      }
      most = std::max(most, std::abs(root->diffuse / (1e-3 * disc.total) - 1));
      if (request.psf_map.empty()) continue;
      EXPECT_LT(std::abs(root->diffuse - 1e-3 * disc.total), 3 * root->e_diffuse) << disc.x;
      for (const ExtendedSource& one : found.sources) {
        if (one.kind != SegmentClass::compact || one.root != root->id) continue;
        EXPECT_LT(gaussian_area(result.sources()[static_cast<std::size_t>(one.row)].model.fwhm2),
                  1.5 * gaussian_area(result.beams().at(one.x, one.y).pixels));
      }
    }
    return most;
  };
  EXPECT_GT(worst_of(), 0.2) << "with one beam totals are wrong";
  request.psf_map = map_file(folder.file("psf.fits"), 53);
  EXPECT_LT(worst_of(), 0.07);
}

TEST_F(VaryingBeam, sources_are_put_in_with_the_beam_of_their_place) {
  std::vector<std::string> cards = cards_of(kWide, kStepDeg);
  cards[1] = "BITPIX  =                  -32", cards[2] = "NAXIS   =                    2";
  cards.erase(cards.begin() + 5);
  for (const char* card : {"BUNIT   = 'Jy/beam'", "BMAJ    = 0.013", "BMIN    = 0.013", "BPA     = 0.0"})
    cards.emplace_back(card);
  const std::vector<float> pixels(image.data(), image.data() + image.shape().count());
  request.input = folder.file("sky.fits");
  files::save(request.input, files::header(cards) + files::data_blocks(pixels));
  request.psf_map = map_file(folder.file("psf.fits"), 53);
  CompletenessOptions options;
  options.low = 30, options.high = 300, options.bins = 1, options.per_bin = 60, options.residual = true;
  const CompletenessResult result =
      measure_completeness(request, options, shared_backend("cpu"), Progress(), LogSink());
  const CompletenessBin& bin = result.bins.front();
  EXPECT_GT(bin.clear.value(), 0.9);
  EXPECT_NEAR(bin.total_ratio.median, 1, 0.02);
  EXPECT_LT(bin.total_ratio.scatter, 0.05) << "what is put in has the shape that its total is for";
  EXPECT_LT(bin.pull_total.scatter, 1.6);
}

TEST_F(VaryingBeam, does_not_go_with_a_convolution) {
  request.psf_map = "psf.fits";
  request.convolve.emplace();
  EXPECT_THROW(refuse_broken_rules(request), InputError);
}

}  // namespace
}  // namespace reber::testing
