// SPDX-License-Identifier: BSD-3-Clause
// Regions: what is inside, handles, statistics, and both file formats there and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_parsers.hpp"
#include "core/sky/regions/region_writers.hpp"
#include "gui/model/region_copies.hpp"
#include "gui/model/regions/region_statistics.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

using Kind = Region::Kind;

/// 100 x 100 pixels of 2 arcsec, turned by `turn` degrees; east to the left.
Wcs turned_wcs(double turn, const std::string& lon = "RA---TAN", const std::string& lat = "DEC--TAN") {
  const double s = std::sin(turn * 3.14159265358979323846 / 180), c = std::cos(turn * 3.14159265358979323846 / 180);
  std::string cards;
  for (const std::string& line :
       {"CTYPE1  = '" + lon + "'", "CTYPE2  = '" + lat + "'", std::string("CRPIX1  = 50.5"),
        std::string("CRPIX2  = 50.5"), std::string("CRVAL1  = 200.0"), std::string("CRVAL2  = 35.0"),
        fmt::format("CD1_1   = {:.15f}", -2 * c / 3600), fmt::format("CD1_2   = {:.15f}", 2 * s / 3600),
        fmt::format("CD2_1   = {:.15f}", 2 * s / 3600), fmt::format("CD2_2   = {:.15f}", 2 * c / 3600),
        std::string("END")}) {
    cards += testing_files::card(line);
  }
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, 100, 100);
}

/// 100 x 100 pixels of 2 arcsec, north up.   sign: -1: east to the left; 1: to the right
Wcs simple_wcs(int sign) {
  std::string cards;
  for (const std::string& line :
       {std::string("CTYPE1  = 'RA---TAN'"), std::string("CTYPE2  = 'DEC--TAN'"), std::string("CRPIX1  = 50.5"),
        std::string("CRPIX2  = 50.5"), std::string("CRVAL1  = 200.0"), std::string("CRVAL2  = 35.0"),
        fmt::format("CDELT1  = {:.15f}", sign * 2 / 3600.0), fmt::format("CDELT2  = {:.15f}", 2 / 3600.0),
        std::string("END")})
    cards += testing_files::card(line);
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, 100, 100);
}

std::shared_ptr<const Pyramid> pyramid(const Image& image) {
  return Pyramid::make(std::make_shared<const Image>(image.clone()), {});
}

void expect_same(const Region& a, const Region& b, double bound) {
  ASSERT_EQ(a.kind, b.kind);
  EXPECT_NEAR(a.centre.x, b.centre.x, bound);
  EXPECT_NEAR(a.centre.y, b.centre.y, bound);
  EXPECT_NEAR(a.half_x, b.half_x, bound);
  EXPECT_NEAR(a.half_y, b.half_y, bound);
  EXPECT_NEAR(std::remainder(a.angle_deg - b.angle_deg, 180.0), 0, 1e-3);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_NEAR(a.points[i].x, b.points[i].x, bound);
    EXPECT_NEAR(a.points[i].y, b.points[i].y, bound);
  }
}

std::vector<Region> sample() {
  Region ellipse{Kind::ellipse, {30, 40}, 12, 5, 25, {}, "one {odd} 'name'", false};
  Region box{Kind::box, {60.25, 55.5}, 8, 3, -70, {}, "", true};
  Region polygon{Kind::polygon, {}, 0, 0, 0, {{10, 10}, {30, 12}, {20, 33}}, "three", false};
  Region line{Kind::line, {}, 0, 0, 0, {{5, 6}, {70, 80}}, "", false};
  Region point{Kind::point, {77, 11}, 0, 0, 0, {}, "", false};
  return {ellipse, box, polygon, line, point};
}

TEST(GuiRegions, FilesComeBackAsTheyWereWritten) {
  const auto regions = sample();
  for (const double turn : {0.0, 37.0, 200.0}) {
    const Wcs wcs = turned_wcs(turn);
    ASSERT_TRUE(wcs.celestial()) << wcs.why_not();
    for (const auto frame : {SkySystem::Frame::icrs, SkySystem::Frame::galactic}) {
      for (const auto format : {RegionFormat::ds9, RegionFormat::crtf}) {
        for (const bool on_sky : {true, false}) {
          const std::string text = regions_text(regions, wcs, format, {frame, 2000}, on_sky);
          EXPECT_EQ(region_format("x.reg", text), format);
          const ParsedRegions parsed = format == RegionFormat::ds9 ? parse_ds9(text) : parse_crtf(text);
          ASSERT_EQ(parsed.regions.size(), regions.size()) << text;
          EXPECT_TRUE(parsed.skipped.empty());
          for (std::size_t i = 0; i < regions.size(); ++i) {
            SCOPED_TRACE(text);
            expect_same(to_region(parsed.regions[i], wcs), regions[i], 1e-4);
            EXPECT_EQ(parsed.regions[i].excluded, regions[i].excluded);
          }
          EXPECT_EQ(parsed.regions[2].name, "three");
        }
      }
    }
  }
}

TEST(GuiRegions, PositionAnglesOfFilesAreThoseOfTheSky) {
  // DS9's angle 90 and CASA's 0 both put the first axis north.
  for (const double turn : {0.0, 30.0}) {
    const Wcs wcs = turned_wcs(turn);
    const Region ds9 = to_region(parse_ds9("icrs; ellipse(200,35,20\",8\",90)").regions.at(0), wcs);
    const Region casa = to_region(
        parse_crtf("#CRTFv0\nellipse [[200deg, 35deg], [20arcsec, 8arcsec], 0deg] coord=ICRS").regions.at(0), wcs);
    expect_same(ds9, casa, 1e-6);
    EXPECT_NEAR(ds9.half_x, 10, 1e-4);
    const auto tip = wcs.to_sky(ds9.centre.x + 10 * std::cos(ds9.angle_deg * 3.14159265358979323846 / 180),
                                ds9.centre.y + 10 * std::sin(ds9.angle_deg * 3.14159265358979323846 / 180));
    EXPECT_NEAR(std::abs(tip->lat_deg - 35) * 3600, 20, 1e-3);
    EXPECT_NEAR(tip->lon_deg, 200, 1e-6);
  }
}

TEST(GuiRegions, SpellingsOfBothFormats) {
  const auto ds9 = parse_ds9(
      "# Region file format: DS9\nglobal color=red\nfk5\ncircle(13:20:00,+35:00:00,0.5') # text={a circle}\n"
      "image; box 10 20 4 6 30 ; "
      "-point(5,6)\nvector(1,2,9,45)\npolygon(1,1,5,1,5,5)\nicrs;ellipse(200d,35d,5p,6p,0)\n");
  ASSERT_EQ(ds9.regions.size(), 5U);
  EXPECT_EQ(ds9.regions[0].name, "a circle");
  EXPECT_NEAR(ds9.regions[0].places[0], 200, 1e-10);
  EXPECT_NEAR(ds9.regions[0].half_x, 0.5 / 60, 1e-12);
  EXPECT_NEAR(ds9.regions[1].places[0], 9, 1e-12);
  EXPECT_NEAR(ds9.regions[1].half_x, 2, 1e-12);
  EXPECT_TRUE(ds9.regions[2].excluded);
  EXPECT_TRUE(ds9.regions[4].sizes_in_pixels);
  ASSERT_EQ(ds9.skipped.size(), 1U);
  EXPECT_NE(ds9.skipped[0].find("line 6"), std::string::npos);
  const auto crtf = parse_crtf(
      "#CRTFv0\nglobal coord=GALACTIC\ncircle[[10deg, 20deg], 3arcmin]\nbox[[1deg,2deg],[3deg,4deg]], coord=ICRS\n"
      "centerbox[[5pix, 6pix], [4pix, 2pix]]\npoly[[13h20m0.0s, +35.00.00.0], [1h,2deg], [3h,4deg]], coord=J2000\n");
  ASSERT_EQ(crtf.regions.size(), 4U);
  EXPECT_EQ(crtf.regions[0].system->frame, SkySystem::Frame::galactic);
  EXPECT_EQ(crtf.regions[1].places.size(), 8U);
  EXPECT_FALSE(crtf.regions[2].on_sky);
  EXPECT_NEAR(crtf.regions[3].places[0], 200, 1e-10);
  EXPECT_NEAR(crtf.regions[3].places[1], 35, 1e-10);
  for (const char* wrong :
       {"fk5; circle(1,2,x)", "image; circle(1,2,-3)", "image;box(1,2)", "image;polygon(1,2,3,4)"}) {
    EXPECT_THROW((void)parse_ds9(wrong), InputError) << wrong;
  }
  for (const char* wrong : {"circle[[1deg,2deg]]", "circle 1 2 3", "circle[[1deg,2deg], 3deg], coord=XYZ"}) {
    EXPECT_THROW((void)parse_crtf(wrong), InputError) << wrong;
  }
}

TEST(GuiRegions, RingsHaveTheirInnerAndOuterSizes) {
  const auto ds9 = parse_ds9(
      "image\nannulus(10,10,2,4,6)\nannulus(10,10,2,6,n=3)\nellipse(10,10,2,1,4,2,6,3,30)\nbox(10,10,2,2,8,6,n=2,30)\n"
      "physical;circle(5,5,2)\n");
  ASSERT_EQ(ds9.regions.size(), 5U);
  for (int i : {0, 1}) {
    EXPECT_EQ(ds9.regions[static_cast<std::size_t>(i)].inner_x, 2);
    EXPECT_EQ(ds9.regions[static_cast<std::size_t>(i)].half_y, 6);
  }
  EXPECT_EQ(ds9.regions[2].inner_y, 1);
  EXPECT_EQ(ds9.regions[2].half_x, 6);
  EXPECT_EQ(ds9.regions[2].angle_deg, 30);
  EXPECT_EQ(ds9.regions[3].inner_x, 1);
  EXPECT_EQ(ds9.regions[3].half_x, 4);
  EXPECT_EQ(ds9.regions[3].half_y, 3);
  EXPECT_EQ(ds9.regions[3].angle_deg, 30);
  EXPECT_TRUE(ds9.regions[4].physical);
  const auto crtf = parse_crtf("#CRTFv0\nannulus[[1pix,2pix],[3pix,4pix]]\ncircle[[10:00:00,2.0.0],3arcsec]\n");
  EXPECT_EQ(crtf.regions.at(0).inner_x, 3);
  EXPECT_EQ(crtf.regions[0].border, Border::casa);
  EXPECT_FALSE(crtf.regions.at(1).system.has_value());
  EXPECT_NEAR(crtf.regions[1].places[0], 150, 1e-10);
  EXPECT_THROW((void)parse_crtf("annulus[[1pix,2pix],[4pix,3pix]]"), InputError);
  for (const char* wrong : {"image;annulus(1,2,3,n=2)", "image;ellipse(1,2,3,n=2)", "image;annulus(1,2,-1,2)"})
    EXPECT_THROW((void)parse_ds9(wrong), InputError) << wrong;
}

TEST(GuiRegions, SectorsAndHolesComeBackAsTheyWereWritten) {
  Region ring{Kind::ellipse, {40, 50}, 20, 12, 25, {}, "ring", false, 9, 5, 0, 0, Border::casa};
  Region sector{Kind::ellipse, {60, 45}, 20, 20, 0, {}, "sector", false, 9, 9, 30, 250};
  Region corner{Kind::box, {45, 60}, 12, 20, 15, {}, "", true, 6, 10, -40, 65};
  for (const Wcs& wcs : {turned_wcs(0), turned_wcs(37), turned_wcs(0, "DEC--TAN", "RA---TAN")}) {
    for (const bool on_sky : {true, false}) {
      const std::vector<Region> given{ring, sector, corner};
      const std::string text = regions_text(given, wcs, RegionFormat::ds9, {SkySystem::Frame::galactic, 2000}, on_sky);
      const ParsedRegions parsed = parse_ds9(text);
      ASSERT_EQ(parsed.regions.size(), 3U) << text;
      for (std::size_t i = 0; i < 3; ++i) {
        const Region back = to_region(parsed.regions[i], wcs);
        expect_same(back, given[i], 1e-4);
        EXPECT_EQ(back.border, given[i].border);
        EXPECT_NEAR(back.inner_y, given[i].inner_y, 1e-4);
        EXPECT_NEAR(back.to_deg - back.from_deg, given[i].to_deg - given[i].from_deg, 1e-3);
        const double turn = back.angle_deg + back.from_deg - given[i].angle_deg - given[i].from_deg;
        EXPECT_NEAR(std::remainder(turn, 360.0), 0, 1e-3) << text;
      }
    }
  }
}

TEST(GuiRegions, SectorsKeepTheirWidthInMirroredImagesAndBeyondAFullTurn) {
  const Wcs mirrored = simple_wcs(1);
  for (const auto& [angles, width] : {std::pair{"30, 100", 70.0}, {"350, 10", 20.0}, {"-40, 65", 105.0}}) {
    const ParsedRegions parsed = parse_ds9(fmt::format("fk5; panda(200.001, 35.001, {}, 1, 5\", 20\", 1)", angles));
    ASSERT_EQ(parsed.regions.size(), 1U);
    for (const Wcs& wcs : {turned_wcs(0), turned_wcs(37), mirrored}) {
      const Region region = to_region(parsed.regions[0], wcs);
      EXPECT_NEAR(region.to_deg - region.from_deg, width, 1e-3) << angles;
      const auto at = [&](double part) {
        const double along = (region.angle_deg + region.from_deg + part * width) * 3.14159265358979323846 / 180;
        return contains(region, {region.centre.x + 0.7 * region.half_x * std::cos(along),
                                 region.centre.y + 0.7 * region.half_x * std::sin(along)});
      };
      EXPECT_TRUE(at(0.1) && at(0.5) && at(0.9)) << angles;
      EXPECT_FALSE(at(-0.1) || at(1.1) || at(0.5 + 180 / width)) << angles;
    }
  }
}

TEST(GuiRegions, CasaIsToldOfWhatItsFormatCannotSay) {
  const Wcs wcs = turned_wcs(0);
  const Region disc{Kind::ellipse, {40, 50}, 4, 4, 0, {}, "disc", false};
  Region ring{Kind::ellipse, {40, 50}, 20, 12, 25, {}, "ring", false, 9, 5};
  const auto text = [&](const Region& region) {
    return regions_text({disc, region}, wcs, RegionFormat::crtf, {}, false);
  };
  const ParsedRegions parsed = parse_crtf(text(ring));
  ASSERT_EQ(parsed.regions.size(), 3U);
  EXPECT_EQ(parsed.regions[0].half_x, 20);
  EXPECT_EQ(parsed.regions[1].half_y, 5);
  EXPECT_TRUE(parsed.regions[1].excluded);
  EXPECT_EQ(parsed.regions[2].name, "disc");
  ring.excluded = true;
  EXPECT_THROW((void)text(ring), InputError);
  const Region sector{Kind::ellipse, {60, 45}, 20, 20, 0, {}, "sector", false, 0, 0, 30, 250};
  EXPECT_THROW((void)text(sector), InputError);
  const Region round{Kind::ellipse, {60, 45}, 20, 20, 0, {}, "", false, 9, 9};
  EXPECT_NE(text(round).find("annulus[[60.000000000pix, 45.000000000pix], [9.000000pix, 20.000000pix]]"),
            std::string::npos);
}

TEST(GuiRegions, PixelsCountByTheirOwnAreas) {
  // CAR, pixels of half a degree, Dec 5 to 54.5; values rise with y.
  std::string cards;
  for (const char* line : {"CTYPE1  = 'RA---CAR'", "CTYPE2  = 'DEC--CAR'", "CRPIX1  = 50.5", "CRPIX2  = -9.0",
                           "CRVAL1  = 200.0", "CRVAL2  = 0.0", "CDELT1  = -0.5", "CDELT2  = 0.5", "END"})
    cards += testing_files::card(line);
  const Wcs wcs = Wcs::parse(cards, 0, 1, {1, 1}, 2, 100, 100);
  Image image({100, 100});
  double area = 0, value_area = 0;
  for (std::int64_t y = 0; y < 100; ++y)
    for (std::int64_t x = 0; x < 100; ++x) {
      image.at(y, x) = static_cast<float>(y);
      const double own = 0.25 * std::cos((static_cast<double>(y) + 10) * 0.5 * 3.14159265358979323846 / 180);
      if (y >= 10 && y < 90 && x >= 40 && x < 60) area += own, value_area += static_cast<double>(y) * own;
    }
  const auto pixels = pyramid(image);
  const Region box{Kind::box, {49.5, 49.5}, 10, 40, 0, {}, "", false};
  const Beam beam{3, 2, 0};
  const RegionStatistics s = region_statistics(box, *pixels, Unit::parse("Jy/beam"), beam, wcs, {});
  EXPECT_EQ(s.pixels.finite, 1600);
  EXPECT_NEAR(s.area_deg2, area, 2e-4 * area);
  ASSERT_TRUE(s.flux_jy.has_value()) << s.no_flux;
  EXPECT_NEAR(*s.flux_jy * beam.area_deg2(), value_area, 2e-4 * value_area);
  const RegionStatistics sr = region_statistics(box, *pixels, Unit::parse("MJy/sr"), beam, wcs, {});
  ASSERT_TRUE(sr.flux_jy.has_value()) << sr.no_flux;
  EXPECT_NEAR(*sr.flux_jy, 1e6 * value_area * 3.04617419786708599e-4, 2e-4 * *sr.flux_jy);
}

TEST(GuiRegions, StatisticsAndFluxThroughTheBeam) {
  // A constant 2 mJy/beam over a box of 20 x 10 pixels of 2 arcsec, one of them blank; beam 10 x 6 arcsec.
  Image image({100, 100});
  std::fill_n(image.data(), 10000, 2.0F);
  image.at(50, 50) = std::numeric_limits<float>::quiet_NaN();
  const auto pixels = pyramid(image);
  const Region box{Kind::box, {49.5, 49.5}, 10, 5, 0, {}, "", false};
  const Beam beam{10.0 / 3600, 6.0 / 3600, 0};
  const RegionStatistics s = region_statistics(box, *pixels, Unit::parse("mJy/beam"), beam, turned_wcs(10), {});
  EXPECT_EQ(s.pixels.finite, 199);
  EXPECT_EQ(s.pixels.blank, 1);
  EXPECT_DOUBLE_EQ(s.std, 0);
  EXPECT_DOUBLE_EQ(s.median, 2);
  const double beam_pixels = 3.14159265358979323846 * 10 * 6 / (4 * std::log(2.0)) / 4;
  ASSERT_TRUE(s.flux_jy.has_value()) << s.no_flux;
  EXPECT_NEAR(*s.flux_jy, 199 * 2e-3 / beam_pixels, 1e-9);
  EXPECT_NEAR(*s.beams, 199 / beam_pixels, 1e-6);
  EXPECT_FALSE(region_statistics(box, *pixels, Unit::parse("counts"), beam, turned_wcs(10), {}).flux_jy.has_value());
  EXPECT_FALSE(region_statistics(box, *pixels, Unit::parse("Jy/beam"), std::nullopt, turned_wcs(10), {}).flux_jy);
  Region outside = box;
  outside.centre.x = 500;
  EXPECT_EQ(region_statistics(outside, *pixels, Unit::parse("Jy/beam"), beam, turned_wcs(10), {}).pixels.finite, 0);
}

TEST(GuiRegions, TheRingGivesTheBackgroundAndTheErrorOfAFlux) {
  // 3 Jy/beam inside, and 1 +- 0.5 in turns around it: of the ring the median is 1 and 1.4826 times the spread is 0.74.
  Image image({200, 200});
  for (std::int64_t y = 0; y < 200; ++y)
    for (std::int64_t x = 0; x < 200; ++x) image.at(y, x) = (x + y) % 3 == 0 ? 0.5F : (x + y) % 3 == 1 ? 1.0F : 1.5F;
  const Region box{Kind::box, {99.5, 99.5}, 20, 20, 0, {}, "", false};
  for (std::int64_t y = 80; y < 120; ++y)
    for (std::int64_t x = 80; x < 120; ++x) image.at(y, x) = 3;
  const auto pixels = pyramid(image);
  const Beam beam{10.0 / 3600, 6.0 / 3600, 0};
  const RegionStatistics s = region_statistics(box, *pixels, Unit::parse("Jy/beam"), beam, turned_wcs(10), {});
  const double beam_pixels = 3.14159265358979323846 * 10 * 6 / (4 * std::log(2.0)) / 4;
  EXPECT_EQ(s.ring_pixels, 80 * 80 - 52 * 52);
  EXPECT_EQ(s.ring_median, 1);
  EXPECT_NEAR(s.ring_sigma, 1.4826 * 0.5, 1e-6);
  ASSERT_TRUE(s.flux_above_jy && s.flux_error_jy);
  EXPECT_NEAR(*s.flux_above_jy, 1600 * 2 / beam_pixels, 1e-3);
  EXPECT_NEAR(*s.flux_error_jy, s.ring_sigma * std::sqrt(1600 / beam_pixels), 1e-3);
  const Region larger = scaled(box, 2);
  EXPECT_EQ(larger.half_x, 40);
  EXPECT_EQ(centre_of(larger).x, 99.5);
}

TEST(GuiRegions, InsideAgreesWithTheArea) {
  for (const Region& region : sample()) {
    if (!region.has_area()) continue;
    int inside = 0;
    const Rect rect = bounds_of(region, {100, 100});
    for (int y = 0; y < 100; ++y) {
      for (int x = 0; x < 100; ++x) {
        if (!contains(region, {double(x), double(y)})) continue;
        ++inside;
        EXPECT_TRUE(x >= rect.x0 && x < rect.x0 + rect.nx && y >= rect.y0 && y < rect.y0 + rect.ny);
      }
    }
    const double area = region.kind == Kind::ellipse ? 3.14159265 * 12 * 5 : region.kind == Kind::box ? 4 * 8 * 3 : 220;
    EXPECT_NEAR(inside, area, 0.06 * area) << name_of(region.kind);
  }
  EXPECT_FALSE(contains(sample()[0], {std::nan(""), 3}));
}

TEST(GuiRegions, HandlesPullTheirCornerAndKeepTheOpposite) {
  const Region box = sample()[1];
  const auto before = handles_of(box, 3);
  const Region pulled = pull_handle(box, 2, {before[2].x + 4, before[2].y + 1}, false);
  const auto after = handles_of(pulled, 3);
  EXPECT_NEAR(after[0].x, before[0].x, 1e-9);
  EXPECT_NEAR(after[0].y, before[0].y, 1e-9);
  EXPECT_NEAR(after[2].x, before[2].x + 4, 1e-9);
  EXPECT_NEAR(after[2].y, before[2].y + 1, 1e-9);
  EXPECT_NEAR(pull_handle(box, 4, {box.centre.x, box.centre.y + 9}, false).angle_deg, 90, 1e-9);
  EXPECT_NEAR(moved(sample()[2], 1, -2).points[1].y, 10, 1e-12);
}

TEST(GuiRegions, ALineHasItsLengthAndAngleOnTheSky) {
  const auto line = [](PixelPosition to) { return Region{Kind::line, {}, 0, 0, 0, {{49.5, 49.5}, to}, "", false}; };
  const Wcs wcs = turned_wcs(0);
  const auto north = line_measure(line({49.5, 79.5}), wcs), west = line_measure(line({79.5, 49.5}), wcs);
  ASSERT_TRUE(north && west);
  EXPECT_NEAR(3600 * north->length_deg, 60, 1e-4);
  EXPECT_NEAR(std::remainder(north->pa_deg, 360), 0, 1e-6);
  EXPECT_NEAR(3600 * west->length_deg, 60, 1e-4);
  EXPECT_NEAR(west->pa_deg, 270, 0.01);
  EXPECT_EQ(to_text({1.0 / 60, 63.25}), "1 arcmin, 63.2 deg");
  EXPECT_EQ(to_text({1e-3, 0}), "3.6 arcsec, 0.0 deg");
  Region bent = line({49.5, 79.5});
  bent.points.push_back({49.5, 49.5});
  EXPECT_NEAR(3600 * line_measure(bent, wcs)->length_deg, 120, 1e-4);
  EXPECT_FALSE(line_measure(sample().front(), wcs));
  EXPECT_FALSE(line_measure(bent, Wcs()));
}

TEST(GuiRegions, CopiesKeepTheirPlaceOfTheSky) {
  Document from, to;
  auto header = std::make_shared<ImageHeader>();
  header->wcs = turned_wcs(0);
  from.header = header;
  header = std::make_shared<ImageHeader>();
  header->wcs = turned_wcs(180);
  to.header = header;
  from.inspect.regions = sample();
  from.inspect.selected = 4;
  EXPECT_EQ(paste_regions(to, copied_regions(from, {})).regions.size(), 1U) << "the chosen one alone";
  ASSERT_EQ(to.inspect.regions.size(), 1U);
  EXPECT_NEAR(to.inspect.regions[0].centre.x, 99 - 77, 1e-3);
  EXPECT_NEAR(to.inspect.regions[0].centre.y, 99 - 11, 1e-3);
  from.inspect.selected = -1;
  const auto before = to.inspect.version;
  paste_regions(to, copied_regions(from, {}));
  EXPECT_EQ(to.inspect.regions.size(), 6U);
  EXPECT_NE(to.inspect.version, before);
  EXPECT_EQ(paste_regions(to, "a sentence about nothing").regions.size(), 0U);
}

}  // namespace
}  // namespace reber::gui
