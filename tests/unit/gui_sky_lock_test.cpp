// SPDX-License-Identifier: BSD-3-Clause
// Images locked on the sky: exactly at a point, by views around it, and laid on each other's grids.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sky/model/sky_frames.hpp"
#include "gui/model/image/laid_pixels.hpp"
#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/tables/laid_shapes.hpp"
#include "tests/unit/tangent_wcs.hpp"

namespace reber::gui {
namespace {

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

/// An image 80 degrees wide about (150, 30) degrees, half a degree a pixel.   x_step: above 0 it is mirrored
ImageHeader wide(const std::string& projection, double x_step = -0.5, double lon = 150, double lat = 30,
                 bool galactic = false) {
  ImageHeader header;
  header.shape = {150, 160};
  std::string cards;
  cards += card("CTYPE1", fmt::format("'{}-{}'", galactic ? "GLON" : "RA--", projection)) +
           card("CTYPE2", fmt::format("'{}-{}'", galactic ? "GLAT" : "DEC-", projection));
  // Cylinders have their reference on the equator.
  const bool zenithal = projection == "SIN" || projection == "TAN";
  cards += card("CRPIX1", "80.5") + card("CRPIX2", fmt::format("{}", zenithal ? 75.5 : 75.5 - lat / 0.5));
  cards += card("CRVAL1", fmt::format("{}", lon)) + card("CRVAL2", fmt::format("{}", zenithal ? lat : 0.0));
  cards += card("CDELT1", fmt::format("{}", x_step)) + card("CDELT2", "0.5");
  cards += card("CUNIT1", "'deg'") + card("CUNIT2", "'deg'");
  if (!galactic) cards += card("RADESYS", "'ICRS'");
  std::string end = "END";
  end.resize(80, ' ');
  header.wcs = Wcs::parse(cards + end, 0, 1, {1, 1}, 2, 160, 150);
  return header;
}

/// The columns, or the rows, of an image as its pixels: laid on another grid they tell where each pixel was taken from.
std::shared_ptr<const Pyramid> ramp(Shape shape, bool columns) {
  auto image = std::make_shared<Image>(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image->at(y, x) = static_cast<float>(columns ? x : y);
  return Pyramid::make(image, Progress());
}

/// Largest distance of what is shown of `other` over `shown` from WCSLIB's place, over the whole overlap.
double worst_laid(const ImageHeader& shown, const ImageHeader& other, std::int64_t& compared, std::int64_t& missing) {
  const LaidPixels columns(ramp(other.shape, true), other, shown, Interpolation::fitted),
      rows(ramp(other.shape, false), other, shown, Interpolation::fitted);
  Image x_of(shown.shape), y_of(shown.shape);
  columns.read_rows(0, shown.shape.ny, reinterpret_cast<std::byte*>(x_of.data()));
  rows.read_rows(0, shown.shape.ny, reinterpret_cast<std::byte*>(y_of.data()));
  const auto of = system_of(shown.wcs), into = system_of(other.wcs);
  const SkyConverter convert(*of, *into);
  double worst = 0;
  const auto nx = static_cast<double>(other.shape.nx), ny = static_cast<double>(other.shape.ny);
  for (std::int64_t y = 0; y < shown.shape.ny; ++y)
    for (std::int64_t x = 0; x < shown.shape.nx; ++x) {
      const auto sky = shown.wcs.to_sky(static_cast<double>(x), static_cast<double>(y));
      const auto at = sky ? other.wcs.to_pixel(convert(*sky)) : std::nullopt;
      const bool inside = at && at->x > 0.01 && at->y > 0.01 && at->x < nx - 1.01 && at->y < ny - 1.01;
      if (!inside) continue;
      ++compared;
      const double off =
          std::hypot(static_cast<double>(x_of.at(y, x)) - at->x, static_cast<double>(y_of.at(y, x)) - at->y);
      if (!std::isfinite(off)) ++missing;
      if (!(off <= worst)) worst = off;
    }
  return worst;
}

TEST(GuiSkyLock, ImagesOfOtherProjectionsAreLaidExactlyWhereNoViewHoldsThem) {
  for (const char* one : {"SIN", "TAN", "CAR", "AIT"})
    for (const char* two : {"SIN", "TAN", "CAR", "AIT"})
      for (const double step : {-0.5, 0.5}) {
        if (std::string(one) == two) continue;
        const ImageHeader shown = wide(one), other = wide(two, step);
        std::int64_t compared = 0, missing = 0;
        const double worst = worst_laid(shown, other, compared, missing);
        EXPECT_TRUE(worst <= 0.05) << one << ' ' << two << ' ' << step << ": " << worst;
        EXPECT_EQ(missing, 0) << one << ' ' << two;
        EXPECT_GT(compared, 10000) << one << ' ' << two;
        // What a view of the other's own pixels, about the middle, is off by.
        const SkyLock there(shown.wcs, other.wcs, shown.shape, other.shape),
            back(other.wcs, shown.wcs, other.shape, shown.shape);
        const GridFit fit = fit_of(there, back, shown.shape, other.shape);
        EXPECT_FALSE(fit.same);
        EXPECT_TRUE(fit.off_px > 1) << one << ' ' << two << ' ' << fit.off_px;
      }
}

TEST(GuiSkyLock, ImagesAreLaidThroughFrames) {
  std::int64_t compared = 0, missing = 0;
  const double worst = worst_laid(wide("SIN"), wide("CAR", -0.5, 200, 50, true), compared, missing);
  EXPECT_TRUE(worst <= 0.05) << worst;
  EXPECT_EQ(missing, 0);
  EXPECT_GT(compared, 3000);
}

/// The whole sky about a longitude on the equator, a degree a pixel.
ImageHeader whole_sky(const std::string& projection, double lon, double reference_x = 180.5) {
  ImageHeader header;
  header.shape = {180, 360};
  std::string cards = card("CTYPE1", "'RA---" + projection + "'") + card("CTYPE2", "'DEC--" + projection + "'");
  cards += card("CRPIX1", fmt::format("{}", reference_x)) + card("CRPIX2", "90.5");
  cards += card("CRVAL1", fmt::format("{}", lon)) + card("CRVAL2", "0.0") + card("CDELT1", "-1.0");
  cards += card("CDELT2", "1.0") + card("CUNIT1", "'deg'") + card("CUNIT2", "'deg'") + card("RADESYS", "'ICRS'");
  std::string end = "END";
  end.resize(80, ' ');
  header.wcs = Wcs::parse(cards + end, 0, 1, {1, 1}, 2, 360, 180);
  return header;
}

TEST(GuiSkyLock, WholeSkiesAreLaidAroundTheFarSide) {
  // Its pixels go from longitude 100 once around, WCSLIB's from -180 to 180 degrees of its reference.
  const ImageHeader shown = whole_sky("AIT", 20), other = whole_sky("CAR", 0, 101);
  const LaidPixels columns(ramp(other.shape, true), other, shown, Interpolation::fitted);
  Image x_of(shown.shape);
  columns.read_rows(0, shown.shape.ny, reinterpret_cast<std::byte*>(x_of.data()));
  const SkyLock lock(shown.wcs, other.wcs, shown.shape, other.shape);
  int compared = 0;
  for (std::int64_t y = 0; y < shown.shape.ny; ++y)
    for (std::int64_t x = 0; x < shown.shape.nx; ++x) {
      const auto sky = shown.wcs.to_sky(static_cast<double>(x), static_cast<double>(y));
      if (!sky || !(std::abs(sky->lat_deg) < 88)) continue;
      const double column = std::fmod(100 - sky->lon_deg + 720, 360.0);
      if (column < 0.01 || column > 358.99) continue;  // where the image is cut
      EXPECT_TRUE(std::abs(static_cast<double>(x_of.at(y, x)) - column) <= 0.05) << x << ' ' << y << ' ' << column;
      const auto at = lock({static_cast<double>(x), static_cast<double>(y)});
      EXPECT_TRUE(at && std::abs(at->x - column) < 1e-6) << x << ' ' << y;
      ++compared;
    }
  EXPECT_GT(compared, 30000);
}

TEST(GuiSkyLock, CornersOffTheSkyDoNotMakeTwoGridsOne) {
  const ImageHeader ait = whole_sky("AIT", 20), mol = whole_sky("MOL", 20);
  const GridFit fit = fit_of(SkyLock(ait.wcs, mol.wcs), SkyLock(mol.wcs, ait.wcs), ait.shape, mol.shape);
  EXPECT_FALSE(fit.same);
  EXPECT_TRUE(fit.off_px > 1) << fit.off_px;
}

TEST(GuiSkyLock, ViewsHoldImagesThatDifferByShiftTurnAndScale) {
  const Shape shape{200, 200};
  const auto fit = [&](const Wcs& a, const Wcs& b) { return fit_of(SkyLock(a, b), SkyLock(b, a), shape, shape); };
  const Wcs a = tangent(1e-3, 0, 100, 100);
  EXPECT_TRUE(fit(a, a).same);
  const GridFit moved = fit(a, tangent(8e-4, 25, 110, 90));
  EXPECT_FALSE(moved.same);
  EXPECT_TRUE(moved.off_px < 0.01) << moved.off_px;
  EXPECT_NEAR(moved.scale, 1.25, 1e-3);
  EXPECT_NEAR(fit(tangent(8e-4, 25, 110, 90), a).scale, 0.8, 1e-3);
  EXPECT_EQ(fit(a, tangent(1e-3, 0, 5000, 100)).off_px, 0) << "no overlap";
}

TEST(GuiSkyLock, LayingKeepsBlanksAndWhatReadsARowAtATimeIsTheSame) {
  const ImageHeader shown = wide("SIN"), other = wide("CAR");
  auto image = std::make_shared<Image>(other.shape);
  for (std::int64_t y = 0; y < other.shape.ny; ++y)
    for (std::int64_t x = 0; x < other.shape.nx; ++x) image->at(y, x) = static_cast<float>((7 * x + 3 * y) % 11);
  image->at(70, 80) = NAN;
  const LaidPixels source(Pyramid::make(image, Progress()), other, shown, Interpolation::fitted);
  Image whole(shown.shape), row({1, shown.shape.nx});
  source.read_rows(0, shown.shape.ny, reinterpret_cast<std::byte*>(whole.data()));
  const SkyLock lock(shown.wcs, other.wcs);
  std::int64_t blanks = 0;
  for (std::int64_t y = 0; y < shown.shape.ny; ++y) {
    source.read_rows(y, 1, reinterpret_cast<std::byte*>(row.data()));
    for (std::int64_t x = 0; x < shown.shape.nx; ++x) {
      ASSERT_EQ(std::isnan(row.at(0, x)), std::isnan(whole.at(y, x)));
      if (!std::isnan(row.at(0, x))) {
        ASSERT_EQ(row.at(0, x), whole.at(y, x)) << x << ' ' << y;
      }
      const auto at = lock({static_cast<double>(x), static_cast<double>(y)});
      if (at && std::abs(at->x - 80) < 0.9 && std::abs(at->y - 70) < 0.9) {
        EXPECT_TRUE(std::isnan(whole.at(y, x)));
        ++blanks;
      }
    }
  }
  EXPECT_GT(blanks, 0);
}

TEST(GuiSkyLock, EllipsesAreLaidWhereTheirSkyIs) {
  const ImageHeader car = wide("CAR"), sine = wide("SIN");
  const SkyLock lock(car.wcs, sine.wcs);
  const auto laid = laid_shapes(lock, {{120, 110, {9, 1, 4}}, {NAN, 3, {1, 0, 1}}});
  ASSERT_EQ(laid.size(), 2U);
  const auto centre = lock({120, 110});
  EXPECT_NEAR(laid[0].x, centre->x, 1e-9);
  EXPECT_NEAR(laid[0].y, centre->y, 1e-9);
  EXPECT_EQ(laid[1].x, kNoShape.x);
  // The ends of a small ellipse's axes lie on the ellipse that it became.
  const Covariance small{9e-4, 1e-4, 4e-4}, c = laid_shapes(lock, {{120, 110, small}})[0].fwhm2;
  const double det = c.xx * c.yy - c.xy * c.xy;
  const EllipseAxes axes = axes_of(small);
  for (const auto& [length, angle] :
       {std::pair(axes.major, axes.angle), {axes.minor, axes.angle + std::numbers::pi / 2}}) {
    const auto end = lock({120 + 0.5 * length * std::cos(angle), 110 + 0.5 * length * std::sin(angle)});
    const double dx = 2 * (end->x - centre->x), dy = 2 * (end->y - centre->y);
    EXPECT_NEAR((dx * dx * c.yy - 2 * dx * dy * c.xy + dy * dy * c.xx) / det, 1, 1e-3);
  }
}

}  // namespace
}  // namespace reber::gui
