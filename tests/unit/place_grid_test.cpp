// SPDX-License-Identifier: BSD-3-Clause
// Places between nodes against WCSLIB's own, over projections, frames, poles and the cuts of all-sky maps.
#include "core/sky/model/place_grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace reber {
namespace {

struct Grid {
  std::string projection;
  double lon = 150, lat = -30, pixel_deg = 2.0 / 3600, turn = 0;
  std::string lon_name = "RA", lat_name = "DEC";
  Shape shape{512, 512};
};

Wcs wcs_of(const Grid& grid) {
  std::string cards;
  const double angle = grid.turn * M_PI / 180;
  for (std::string card :
       {fmt::format("CTYPE1  = '{:-<5}{}'", grid.lon_name, grid.projection),
        fmt::format("CTYPE2  = '{:-<5}{}'", grid.lat_name, grid.projection),
        fmt::format("CRPIX1  = {}", grid.shape.nx / 2 + 1), fmt::format("CRPIX2  = {}", grid.shape.ny / 2 + 1),
        fmt::format("CDELT1  = {:.15f}", -grid.pixel_deg), fmt::format("CDELT2  = {:.15f}", grid.pixel_deg),
        fmt::format("CRVAL1  = {:.10f}", grid.lon), fmt::format("CRVAL2  = {:.10f}", grid.lat),
        fmt::format("PC1_1   = {:.15f}", std::cos(angle)), fmt::format("PC1_2   = {:.15f}", std::sin(angle)),
        fmt::format("PC2_1   = {:.15f}", -std::sin(angle)), fmt::format("PC2_2   = {:.15f}", std::cos(angle)),
        std::string("RADESYS = 'ICRS'"), std::string("END")}) {
    card.resize(80, ' ');
    cards += card;
  }
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, static_cast<double>(grid.shape.nx), static_cast<double>(grid.shape.ny));
}

/// Largest difference over every third pixel of a rectangle; places that one has and the other has not count as 1e9.
double worst(const PlaceMap& map, const PlaceGrid& grid) {
  double most = 0;
  const Rect area = grid.area();
  for (std::int64_t y = area.y0; y < area.y0 + area.ny; y += 3)
    for (std::int64_t x = area.x0; x < area.x0 + area.nx; x += 3) {
      const PixelPosition exact = map(PixelPosition{static_cast<double>(x), static_cast<double>(y)}),
                          got = grid.at(y, x);
      const bool one = std::isfinite(exact.x), other = std::isfinite(got.x);
      if (one != other) return 1e9;
      if (one) most = std::max({most, std::abs(exact.x - got.x), std::abs(exact.y - got.y)});
    }
  return most;
}

const std::vector<Grid> kAllSky{{"AIT", 0, 0, 0.4, 0, "GLON", "GLAT", {512, 1024}},
                                {"MOL", 180, 0, 0.4, 0, "RA", "DEC", {512, 1024}},
                                {"CAR", 10, 0, 0.4, 0, "RA", "DEC", {512, 1024}},
                                {"HPX", 0, 0, 0.4, 0, "RA", "DEC", {512, 1024}},
                                {"ZEA", 0, 90, 0.4, 0, "RA", "DEC", {700, 700}}};

TEST(PlaceGrid, PlacesAreThoseOfWcslib) {
  std::vector<Grid> fields;
  for (const char* projection : {"SIN", "TAN", "ZEA", "ARC", "STG"})
    for (const double lat : {-30.0, 89.9}) fields.push_back({projection, 0.1, lat, 2.0 / 3600, 20});
  for (const Grid& from : fields)
    for (const Grid& to : {Grid{"SIN", 0.2, from.lat}, Grid{"TAN", 359.9, from.lat, 10.0 / 3600},
                           Grid{"CAR", 0, 0, 0.05, 0, "GLON", "GLAT", {3600, 7200}}}) {
      const PlaceMap map(wcs_of(from), wcs_of(to));
      EXPECT_LE(worst(map, PlaceGrid(map, {0, 0, 512, 512})), PlaceGrid::kPlaceError)
          << from.projection << from.lat << " " << to.projection;
    }
}

TEST(PlaceGrid, NothingIsInterpolatedOverCutsAndEdgesOfTheSky) {
  for (const Grid& from : kAllSky)
    for (const Grid& to : kAllSky) {
      const PlaceMap map(wcs_of(from), wcs_of(to));
      EXPECT_LE(worst(map, PlaceGrid(map, {0, 0, from.shape.ny, from.shape.nx})), PlaceGrid::kPlaceError)
          << from.projection << " " << to.projection;
    }
}

TEST(PlaceGrid, NoPlaceDependsOnTheRectangle) {
  const PlaceMap map(wcs_of(kAllSky[0]), wcs_of(kAllSky[3]));
  const PlaceGrid whole(map, {0, 0, 512, 1024}), part(map, {37, 201, 300, 411}, 1);
  for (std::int64_t y = 37; y < 337; ++y)
    for (std::int64_t x = 201; x < 612; ++x) {
      const PixelPosition a = whole.at(y, x), b = part.at(y, x);
      ASSERT_TRUE((std::isnan(a.x) && std::isnan(b.x)) || (a.x == b.x && a.y == b.y)) << y << " " << x;
    }
}

TEST(PlaceGrid, ShiftsMoveTheFieldOnTheSky) {
  const Wcs wcs = wcs_of({"SIN", 150, -30});
  const PlaceMap map(wcs, wcs, {1.0, -0.5});
  const PixelPosition place = map(PixelPosition{256, 256});
  // A field that states places 1 arcsec west of the truth and .5 north of it.
  EXPECT_NEAR(place.x, 256.5, 1e-4);
  EXPECT_NEAR(place.y, 256.25, 1e-4);
}

TEST(PlaceGrid, MapsOfTheWholeSkyMayBeginAnywhere) {
  // Longitudes 0 to 360 from the first column on: half of them are WCSLIB's negative pixels.
  constexpr Shape kShape{360, 720};
  std::string cards;
  for (std::string card :
       std::vector<std::string>{"CTYPE1  = 'RA---CAR'", "CTYPE2  = 'DEC--CAR'", "CRPIX1  = 1", "CRPIX2  = 181",
                                "CDELT1  = -0.5", "CDELT2  = 0.5", "CRVAL1  = 360", "CRVAL2  = 0", "END"}) {
    card.resize(80, ' ');
    cards += card;
  }
  const Wcs sky = Wcs::parse(cards, 0, 1, {1, 1}, 2, 720, 360),
            out = wcs_of({"AIT", 180, 0, 0.5, 0, "RA", "DEC", {360, 720}});
  const PlaceMap map(out, sky, {}, kShape);
  for (const double x : {100.0, 300.0, 420.0, 600.0}) {
    const PixelPosition place = map(PixelPosition{x, 180});
    const double lon = out.to_sky(x, 180)->lon_deg;
    EXPECT_NEAR(std::remainder(place.x - (360 - lon) / 0.5, 720), 0, 1e-6) << x;
    EXPECT_TRUE(place.x >= -0.5 && place.x < 719.5) << x;
  }
  EXPECT_LE(worst(map, PlaceGrid(map, {0, 0, 360, 720})), PlaceGrid::kPlaceError);
  // And back.
  const PlaceMap back(sky, out, {}, {}, kShape);
  for (const double x : {3.0, 200.0, 500.0, 715.0}) {
    const PixelPosition place = back(PixelPosition{x, 180}), again = map(place);
    EXPECT_NEAR(again.x, x, 1e-6);
  }
}

TEST(PlaceGrid, AreasOfPixels) {
  const PlaceMap map(wcs_of({"SIN", 150, -30, 3.0 / 3600}), wcs_of({"SIN", 150, -30, 2.0 / 3600, 30}));
  const PlaceGrid grid(map, {0, 0, 512, 512});
  for (const std::int64_t at : {0, 100, 511}) EXPECT_NEAR(grid.area_ratio(at, at), 2.25, 1e-5);
}

TEST(PlaceGrid, NeedsNoMoreThanWhatLiesAboutThePlaces) {
  const PlaceMap map(wcs_of({"SIN", 150, -30}), wcs_of({"SIN", 150, -30, 2.0 / 3600, 0, "RA", "DEC", {2000, 2000}}));
  const PlaceGrid grid(map, {0, 0, 512, 512});
  // The middles, pixels 256 and 1000, fall on each other; blocks of 64 pixels are whole.
  const Rect needed = grid.needs({64, 128, 64, 64}, {2000, 2000}, 4);
  EXPECT_NEAR(static_cast<double>(needed.y0), 804, 1);
  EXPECT_NEAR(static_cast<double>(needed.x0), 868, 1);
  EXPECT_LE(needed.ny, 76);
  EXPECT_EQ(grid.needs({0, 0, 64, 64}, {100, 100}, 4).shape().count(), 0);
}

TEST(PlaceGrid, FramesThatAreNotKnownAreRefused) { EXPECT_THROW(PlaceMap(Wcs(), wcs_of({"SIN"})), InputError); }

}  // namespace
}  // namespace reber
