// SPDX-License-Identifier: BSD-3-Clause
// Axes of the sky, proofs, catalogues and their matches, the device monitor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/base/device_monitor.hpp"
#include "core/base/error.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/proof.hpp"
#include "gui/model/sky/view_axes.hpp"
#include "gui/model/tables/source_view.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"
#include "tests/unit/tangent_wcs.hpp"

namespace reber::gui {
namespace {

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
