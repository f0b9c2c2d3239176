// SPDX-License-Identifier: BSD-3-Clause
// Images locked on the sky, proofs, catalogues and their matches, the device monitor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>

#include "core/base/device_monitor.hpp"
#include "core/base/error.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/proof.hpp"
#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/sky/view_axes.hpp"
#include "gui/model/tables/source_view.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

std::string card(const std::string& key, const std::string& value) {
  std::string text = fmt::format("{:<8}= {:>20}", key, value);
  text.resize(80, ' ');
  return text;
}

/// A TAN system about (150, 30) degrees: `scale` degrees a pixel, turned by `angle`, middle at (cx, cy).
Wcs tangent(double scale, double angle_deg, double cx, double cy, bool galactic = false) {
  const double angle = angle_deg * std::numbers::pi / 180;
  const double c = scale * std::cos(angle), s = scale * std::sin(angle);
  std::string cards;
  cards +=
      card("CTYPE1", galactic ? "'GLON-TAN'" : "'RA---TAN'") + card("CTYPE2", galactic ? "'GLAT-TAN'" : "'DEC--TAN'");
  cards += card("CRPIX1", fmt::format("{}", cx + 1)) + card("CRPIX2", fmt::format("{}", cy + 1));
  // ICRS (150, 30) in galactic coordinates.
  cards += card("CRVAL1", galactic ? "200.0" : "150.0") + card("CRVAL2", galactic ? "51.0" : "30.0");
  cards += card("CD1_1", fmt::format("{}", -c)) + card("CD1_2", fmt::format("{}", s));
  cards += card("CD2_1", fmt::format("{}", s)) + card("CD2_2", fmt::format("{}", c));
  cards += card("CUNIT1", "'deg'") + card("CUNIT2", "'deg'");
  if (!galactic) cards += card("RADESYS", "'ICRS'");
  std::string end = "END";
  end.resize(80, ' ');
  return Wcs::parse(cards + end, 0, 1, {1, 1}, 2, 200, 200);
}

TEST(GuiSkyLock, IsExactAtAPointAndAffineAroundIt) {
  const Wcs a = tangent(1e-3, 0, 100, 100), b = tangent(5e-4, 30, 80, 120);
  const SkyLock lock(a, b);
  ASSERT_TRUE(lock.why_not().empty()) << lock.why_not();
  const PixelPosition from{40, 150};
  const auto to = lock(from);
  ASSERT_TRUE(to.has_value());
  const auto sky_a = a.to_sky(from.x, from.y), sky_b = b.to_sky(to->x, to->y);
  EXPECT_NEAR(sky_a->lon_deg, sky_b->lon_deg, 1e-10);
  EXPECT_NEAR(sky_a->lat_deg, sky_b->lat_deg, 1e-10);
  const auto map = lock.affine({100, 100});
  ASSERT_TRUE(map.has_value());
  EXPECT_NEAR(std::abs(map->matrix.determinant()), 4, 1e-6);
  const PixelPosition near = (*map)({110, 95});
  const auto exact = lock({110, 95});
  EXPECT_NEAR(near.x, exact->x, 1e-3);
  EXPECT_NEAR(near.y, exact->y, 1e-3);
}

TEST(GuiSkyLock, TheLockedViewShowsTheSameSkyAtTheSamePlace) {
  const Wcs a = tangent(1e-3, 0, 100, 100);
  for (const double angle : {0.0, 30.0, -120.0}) {
    for (const bool mirrored : {false, true}) {
      for (const bool flipped : {false, true}) {
        // A negative scale turns both axes; with the angle it stands for images stored the other way round.
        const Wcs b = tangent(mirrored ? -5e-4 : 5e-4, angle, 80, 120);
        const SkyLock lock(a, b);
        const ViewTransform view{{103, 96}, 3, flipped, false, 17};
        const ViewTransform other = locked_view(view, *lock.affine(view.centre));
        const ScreenRect canvas{10, 20, 300, 200};
        const CanvasTransform first(view, canvas), second(other, canvas);
        for (const ScreenPoint at : {ScreenPoint{10, 20}, {310, 220}, {160, 120}, {40, 200}}) {
          const auto there = lock(first.to_image(at));
          ASSERT_TRUE(there.has_value());
          const ScreenPoint shown = second.to_screen(*there);
          EXPECT_NEAR(shown.x, at.x, 0.05) << angle << mirrored << flipped;
          EXPECT_NEAR(shown.y, at.y, 0.05) << angle << mirrored << flipped;
        }
      }
    }
  }
}

TEST(GuiSkyLock, GoesBetweenFramesAndSaysWhyNot) {
  const Wcs a = tangent(1e-3, 0, 100, 100), galactic = tangent(1e-3, 10, 100, 100, true);
  const SkyLock lock(a, galactic), back(galactic, a);
  ASSERT_TRUE(lock.why_not().empty());
  const auto there = lock({100, 100});
  ASSERT_TRUE(there.has_value());
  const auto again = back(*there);
  ASSERT_TRUE(again.has_value());
  EXPECT_NEAR(again->x, 100, 1e-6);
  EXPECT_NEAR(again->y, 100, 1e-6);
  EXPECT_FALSE(SkyLock(a, Wcs()).why_not().empty());
  EXPECT_FALSE(SkyLock(a, Wcs())({1, 1}).has_value());
}

TEST(GuiSkyLock, ResamplingPutsAPlaneWhereItBelongs) {
  const Wcs a = tangent(1e-3, 0, 100, 100), b = tangent(8e-4, 25, 110, 90);
  const SkyLock lock(a, b);
  // A linear function of the other image's pixels comes through bilinear interpolation unchanged.
  Image other({200, 220});
  for (std::int64_t y = 0; y < 200; ++y)
    for (std::int64_t x = 0; x < 220; ++x) other.at(y, x) = static_cast<float>(3 * x - 2 * y);
  other.at(50, 60) = NAN;
  Image out({150, 140});
  resample_rows(lock, other.view(), 0, out.view());
  int compared = 0;
  for (std::int64_t y = 0; y < 150; ++y) {
    for (std::int64_t x = 0; x < 140; ++x) {
      const auto at = lock({static_cast<double>(x), static_cast<double>(y)});
      const bool inside = at && at->x > 0.1 && at->y > 0.1 && at->x < 218.9 && at->y < 198.9;
      const bool blank = at && std::abs(at->x - 60) < 1 && std::abs(at->y - 50) < 1;
      if (inside && !blank && std::hypot(at->x - 60, at->y - 50) > 1.5) {
        ASSERT_NEAR(out.at(y, x), 3 * at->x - 2 * at->y, 2e-2) << x << ' ' << y;
        ++compared;
      }
      if (at && (at->x < -0.1 || at->y < -0.1 || at->x > 219.1 || at->y > 199.1)) {
        ASSERT_TRUE(std::isnan(out.at(y, x)));
      }
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(GuiAxes, TicksStandWhereTheCoordinateIsRound) {
  const Wcs wcs = tangent(1e-3, 20, 100, 100);
  const CanvasTransform canvas({{100, 100}, 4, false, false, 0}, {50, 40, 600, 500});
  for (const FrameEdge edge : {FrameEdge::bottom, FrameEdge::left, FrameEdge::top, FrameEdge::right}) {
    for (const SkyAxis axis : {SkyAxis::longitude, SkyAxis::latitude}) {
      const auto ticks = edge_ticks(wcs, canvas, edge, axis, 5);
      EXPECT_GE(ticks.size(), 1U);
      EXPECT_LE(ticks.size(), 12U);
      for (const EdgeTick& tick : ticks) {
        const PixelPosition pixel = canvas.to_image(tick.at);
        const auto sky = wcs.to_sky(pixel.x, pixel.y);
        EXPECT_NEAR(axis == SkyAxis::longitude ? sky->lon_deg : sky->lat_deg, tick.value_deg, 1e-7);
        EXPECT_FALSE(tick.label.empty());
      }
    }
  }
  EXPECT_EQ(bottom_axis(wcs, canvas), SkyAxis::longitude);
  EXPECT_EQ(bottom_axis(tangent(1e-3, 90, 100, 100), canvas), SkyAxis::latitude);
  EXPECT_TRUE(edge_ticks(Wcs(), canvas, FrameEdge::bottom, SkyAxis::longitude, 5).empty());
}

std::shared_ptr<Image> image_of(const std::vector<float>& pixels) {
  auto image = std::make_shared<Image>(Shape{1, static_cast<std::int64_t>(pixels.size())});
  std::copy(pixels.begin(), pixels.end(), image->data());
  return image;
}

TEST(GuiProof, DifferencesAreInUnitsOfSigma) {
  const auto sigma = image_of({2, 2, 2, 2, 0, 2});
  const ProofMap map =
      compare_maps("m", image_of({1, 5, NAN, NAN, 7, 3}), image_of({1, 4, NAN, 1, 7, 3}), sigma.get(), "rms");
  EXPECT_EQ(map.difference->at(0, 0), 0);
  EXPECT_EQ(map.difference->at(0, 1), 0.5f);
  EXPECT_TRUE(std::isnan(map.difference->at(0, 2)));
  EXPECT_TRUE(std::isinf(map.difference->at(0, 3)));
  EXPECT_EQ(map.difference->at(0, 4), 0);
  EXPECT_EQ(map.blank_in_one, 1);
  EXPECT_TRUE(std::isinf(map.worst));
  EXPECT_EQ(map.worst_x, 3);
  EXPECT_EQ(map.differing, 2);
  EXPECT_THROW((void)compare_maps("m", image_of({1}), image_of({1, 2}), nullptr, ""), InternalError);
}

TEST(GuiProof, SourcesArePairedByTheirBrightestPixel) {
  Source a, b;
  a.peak_x = b.peak_x = 5;
  a.peak_y = b.peak_y = 6;
  a.total = 1.5;
  b.total = 1;
  b.e_total = 0.25;
  a.x = 5.5;
  b.x = 5;
  Source lonely = a, other = b;
  lonely.peak_x = 1;
  other.negative = true;
  const ProofSources sources = compare_sources({a, lonely}, {b, other}, 2);
  EXPECT_EQ(sources.matched, 1);
  EXPECT_EQ(sources.only_tested, 1);
  EXPECT_EQ(sources.only_oracle, 1);
  EXPECT_DOUBLE_EQ(sources.worst_flux_sigma, 2);
  EXPECT_DOUBLE_EQ(sources.worst_position_beams, 0.25);
}

TEST(GuiProof, ASourceThatDiffersByAPartOfItsErrorBreaksACheck) {
  Source a;
  a.total = 1;
  a.e_total = 0.1;
  a.e_x = a.e_y = 0.1;
  Source near = a, far = a, none = a, moved = a;
  near.total = 1.001;
  far.total = 1.05;
  none.total = NAN;
  moved.x = 0.05;
  const auto broken = [&](const Source& tested) {
    const auto checks = source_checks(compare_sources({tested}, {a}, 2));
    return std::ranges::count(checks, false, &StageCheck::passed);
  };
  EXPECT_EQ(broken(a), 0);
  EXPECT_EQ(broken(near), 0);
  EXPECT_EQ(broken(far), 1);
  EXPECT_EQ(broken(none), 1);
  EXPECT_EQ(broken(moved), 1);
  EXPECT_FALSE(source_checks(compare_sources({}, {a}, 2)).front().passed);
}

TEST(GuiProof, PartsOfABlendThatShareTheirBrightestPixelArePairedByDistance) {
  Source core, halo;
  core.peak_x = halo.peak_x = 10;
  core.peak_y = halo.peak_y = 20;
  core.x = 10.1, core.y = 20.2, core.total = 5, core.e_total = 0.1;
  halo.x = 13, halo.y = 18, halo.total = 400, halo.e_total = 1;
  const ProofSources sources = compare_sources({core, halo}, {halo, core}, 2);
  EXPECT_EQ(sources.matched, 2);
  EXPECT_EQ(sources.only_tested, 0);
  EXPECT_EQ(sources.only_oracle, 0);
  EXPECT_EQ(sources.worst_flux_sigma, 0);
  EXPECT_EQ(sources.worst_position_beams, 0);
}

TEST(GuiProof, AcceptsABackendThatKeepsItsBounds) {
  const testing_files::TemporaryFolder folder;
  const Image image = testing::random_image({96, 80}, 0.01, 3);
  write_fits(folder.file("i.fits"), image.shape(), {}, FloatRows([&](std::int64_t y0, std::int64_t ny, float* out) {
               std::copy_n(image.data() + y0 * image.shape().nx, ny * image.shape().nx, out);
             }),
             false);
  Request request;
  request.input = folder.file("i.fits");
  request.background = BackgroundRequest{};
  request.detect = DetectOptions{};
  request.fit.method = FitRequest::Method::moments;
  const Proof proof =
      make_proof(request, testing::shared_backend("cpu"), testing::shared_backend("reference"), Progress());
  EXPECT_TRUE(proof.passed()) << proof.verdict();
  ASSERT_EQ(proof.maps.size(), 4U);
  for (const ProofMap& each : proof.maps) EXPECT_TRUE(each.worst < 1e-3) << each.name << ' ' << each.worst;
  EXPECT_EQ(proof.sources.only_tested + proof.sources.only_oracle, 0);
  EXPECT_NE(proof.verdict().find("checks within their bounds"), std::string::npos);
}

TEST(GuiCatalogue, IsProjectedAndMatchedAcrossFrames) {
  const testing_files::TemporaryFolder folder;
  std::ofstream(folder.file("a.csv")) << "Name,RA,DEC,Total_flux\na,150.0,30.0,1\nb,150.02,30.01,2\nc,150.05,29.95,3\n";
  const auto catalogue = open_catalogue(folder.file("a.csv"));
  auto header = std::make_shared<ImageHeader>();
  header->shape = {200, 200};
  header->wcs = tangent(1e-3, 0, 100, 100);
  const auto& pixels = project(*catalogue, header);
  ASSERT_EQ(pixels.size(), 3U);
  EXPECT_NEAR(pixels[0].x, 100, 1e-6);
  EXPECT_NEAR(pixels[0].y, 100, 1e-6);
  EXPECT_NEAR(pixels[1].y, 110, 0.01);

  SkyList other = in_system(catalogue->list, SkySystem{SkySystem::Frame::galactic, 2000});
  EXPECT_EQ(other.frame, "Galactic");
  other.lon.pop_back();
  other.lat.pop_back();
  other.total.pop_back();
  if (!other.name.empty()) other.name.pop_back();
  other.rows = 2;
  MatchWork match;
  match.radius_arcsec = 2;
  match_into(match, catalogue->list, other);
  ASSERT_TRUE(match.summary.has_value()) << match.error;
  EXPECT_EQ(match.summary->pairs.size(), 2U);
  EXPECT_EQ(match.only_a, (std::vector<std::int64_t>{2}));
  EXPECT_TRUE(match.only_b.empty());

  std::ofstream(folder.file("no.csv")) << "a,b\n1,2\n";
  EXPECT_THROW((void)open_catalogue(folder.file("no.csv")), InputError);
}

TEST(GuiSources, FlagsFollowTheirSourcesToTheNextResult) {
  LiveResult result;
  result.header = std::make_shared<ImageHeader>();
  result.sources.resize(3);
  for (int i = 0; i < 3; ++i) result.sources[static_cast<std::size_t>(i)].x = 10.0 * i;
  result.generation = 1;
  SourceView view;
  std::vector<std::int64_t> selected;
  view.awaited = SourceView::Awaited{"SNR", true, {2, 99}, {}};
  EXPECT_TRUE(view.follow(result, selected));
  EXPECT_EQ(selected, (std::vector<std::int64_t>{2}));
  EXPECT_FALSE(view.follow(result, selected));
  view.flagged = {1, 2};
  result.sources.erase(result.sources.begin());
  result.sources[1].x = 500;
  result.generation = 2;
  EXPECT_TRUE(view.follow(result, selected));
  EXPECT_EQ(view.flagged, (std::set<std::int64_t>{0}));
  const Catalogue marked = with_flags(view.table.catalogue(), view.flagged);
  EXPECT_EQ(std::get<std::vector<std::string>>(marked.find("Review")->values),
            (std::vector<std::string>{"flagged", ""}));
}

TEST(GuiDevice, ReadsWhatACardTells) {
  const char* beside = std::getenv("REBER_FAKE_NVML");  // on machines that only run the programs
  const DeviceMonitor monitor(beside != nullptr ? beside : REBER_FAKE_NVML);
  ASSERT_TRUE(monitor.available()) << monitor.why_not();
  const auto cards = monitor.read();
  ASSERT_EQ(cards.size(), 2U);
  EXPECT_EQ(cards[0].name, "Test card");
  EXPECT_EQ(cards[0].driver, "580.1");
  EXPECT_EQ(cards[0].memory_used_bytes, 600);
  EXPECT_EQ(cards[0].memory_total_bytes, 1000);
  EXPECT_EQ(cards[0].busy_percent, 75);
  EXPECT_EQ(cards[0].temperature_c, 55);
  EXPECT_EQ(cards[0].clock_mhz, 1500);
  EXPECT_EQ(cards[0].clock_max_mhz, 1980);
  EXPECT_EQ(cards[0].memory_clock_mhz, 2600);
  EXPECT_DOUBLE_EQ(cards[0].power_w.value(), 350.5);
  EXPECT_EQ(cards[0].link_generation, 5);
  EXPECT_EQ(cards[0].link_width, 8);
  EXPECT_EQ(cards[0].link_width_max, 16);
  EXPECT_EQ(cards[0].nvlinks, 4);
  EXPECT_EQ(cards[1].name, "Silent card");
  EXPECT_FALSE(cards[1].nvlinks.has_value());
  EXPECT_FALSE(cards[1].memory_used_bytes.has_value());
  EXPECT_FALSE(cards[1].temperature_c.has_value());
}

TEST(GuiDevice, SaysWhatIsMissing) {
  const DeviceMonitor monitor("libreber-no-such-library.so.1");
  EXPECT_FALSE(monitor.available());
  EXPECT_NE(monitor.why_not().find("libreber-no-such-library.so.1 is not here"), std::string::npos);
  EXPECT_TRUE(monitor.read().empty());
}

}  // namespace
}  // namespace reber::gui
