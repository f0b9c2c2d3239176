// SPDX-License-Identifier: BSD-3-Clause
// The derivative of pixel to sky, in two parts: pixel to plane of projection, and plane to sphere.
#include "core/sky/model/wcs_scale.hpp"

#include <wcslib/wcs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/sky/model/wcs_cards.hpp"
#include "core/sky/model/wcslib_call.hpp"

namespace reber {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
/// A slope of fourth order: places in steps, and what their values are multiplied with, over 12 steps.
constexpr std::array<double, 4> kAt{-2, -1, 1, 2}, kWeight{1, -8, 8, -1};
constexpr int kMostAxes = kMaxWcsAxes;

struct Centre {
  double plane_x, plane_y, lon, lat;  ///< degrees
};

std::optional<Centre> centre_of(wcsprm& prm, const std::vector<double>& pixel) {
  std::array<double, kMostAxes> plane{}, sky{};
  double phi = 0, theta = 0;
  int bad = 0;
  const int status = call_wcslib(WcslibCall::computes, [&] {
    return wcsp2s(&prm, 1, prm.naxis, pixel.data(), plane.data(), &phi, &theta, sky.data(), &bad);
  });
  const auto lng = static_cast<std::size_t>(prm.lng), lat = static_cast<std::size_t>(prm.lat);
  if (status != 0 || bad != 0 || !std::isfinite(sky[lng]) || !std::isfinite(sky[lat])) return std::nullopt;
  return Centre{plane[lng], plane[lat], sky[lng] * kDegree, sky[lat] * kDegree};
}

/// d(plane)/d(pixel). Distortions are polynomials of the pixel: a part of a pixel is a small step to them.
std::optional<Matrix2> plane_per_pixel(wcsprm& prm, const std::vector<double>& pixel, int x, int y) {
  const int n = prm.naxis;
  const auto at = [&](int i, int j) { return prm.lin.cdelt[i] * prm.lin.pc[i * n + j]; };
  if (prm.lin.dispre == nullptr && prm.lin.disseq == nullptr)
    return Matrix2{at(prm.lng, x), at(prm.lng, y), at(prm.lat, x), at(prm.lat, y)};
  const auto lng = static_cast<std::size_t>(prm.lng), lat = static_cast<std::size_t>(prm.lat);
  constexpr double kStep = 0.25;
  std::array<double, 4> slope{};
  for (std::size_t axis = 0; axis < 2; ++axis)
    for (std::size_t i = 0; i < kAt.size(); ++i) {
      std::array<double, kMostAxes> plane{};
      std::vector<double> moved = pixel;
      moved[static_cast<std::size_t>(axis == 0 ? x : y)] += kAt[i] * kStep;
      const int status =
          call_wcslib(WcslibCall::computes, [&] { return linp2x(&prm.lin, 1, n, moved.data(), plane.data()); });
      if (status != 0) return std::nullopt;
      slope[axis] += kWeight[i] / (12 * kStep) * plane[lng];
      slope[axis + 2] += kWeight[i] / (12 * kStep) * plane[lat];
    }
  return Matrix2{slope[0], slope[1], slope[2], slope[3]};
}

/// d(east, north)/d(plane) by differences of fourth order over `step` degrees; empty where they leave the sky.
std::optional<Matrix2> sky_per_plane(celprm& cel, const Centre& centre, double step) {
  constexpr int kPlaces = 8;
  std::array<double, kPlaces> x{}, y{}, phi{}, theta{}, lon{}, lat{};
  std::array<int, kPlaces> bad{};
  for (std::size_t i = 0; i < kPlaces; ++i) {
    x[i] = centre.plane_x + (i < 4 ? kAt[i] * step : 0);
    y[i] = centre.plane_y + (i < 4 ? 0 : kAt[i - 4] * step);
  }
  const int status = call_wcslib(WcslibCall::computes, [&] {
    return celx2s(&cel, kPlaces, 0, 1, 1, x.data(), y.data(), phi.data(), theta.data(), lon.data(), lat.data(),
                  bad.data());
  });
  if (status != 0 || std::ranges::any_of(bad, [](int b) { return b != 0; })) return std::nullopt;
  std::array<double, 4> slope{};
  for (std::size_t i = 0; i < kPlaces; ++i) {
    // East and north of the centre, from the differences of the longitude: exact for small ones too.
    const double of_lon = lon[i] * kDegree - centre.lon, own_lat = lat[i] * kDegree;
    const double east = std::cos(own_lat) * std::sin(of_lon);
    const double north =
        std::sin(own_lat) * std::cos(centre.lat) - std::cos(own_lat) * std::sin(centre.lat) * std::cos(of_lon);
    const double weight = kWeight[i % 4] / (12 * step * kDegree);
    slope[i / 4] += weight * east;
    slope[i / 4 + 2] += weight * north;
  }
  return Matrix2{slope[0], slope[1], slope[2], slope[3]};
}

double apart(const Matrix2& a, const Matrix2& b) {
  return std::max({std::abs(a.a - b.a), std::abs(a.b - b.b), std::abs(a.c - b.c), std::abs(a.d - b.d)});
}

double size_of(const Matrix2& m) { return std::max({std::abs(m.a), std::abs(m.b), std::abs(m.c), std::abs(m.d)}); }

}  // namespace

std::optional<Matrix2> sky_per_pixel(wcsprm& prm, const std::vector<double>& pixel, int x, int y) {
  // Steps of 0.1 degrees err by 1e-12 in the middle of a projection. Near its rim they are made smaller until two
  // agree.
  constexpr double kWide = 0.1, kAgree = 3e-11;
  const auto centre = centre_of(prm, pixel);
  const auto plane = centre ? plane_per_pixel(prm, pixel, x, y) : std::nullopt;
  if (!plane) return std::nullopt;
  std::optional<Matrix2> best;
  double least = 1e300, step = kWide;
  for (int round = 0; round < 14; ++round, step /= 4) {
    const auto wide = sky_per_plane(prm.cel, *centre, step);
    const auto narrow = wide ? sky_per_plane(prm.cel, *centre, step / 2) : std::nullopt;
    if (!narrow) continue;
    const double differ = apart(*wide, *narrow) / size_of(*narrow);
    if (differ < least) best = narrow, least = differ;
    if (least < kAgree) break;
  }
  if (!best) return std::nullopt;
  return Matrix2{best->a * plane->a + best->b * plane->c, best->a * plane->b + best->b * plane->d,
                 best->c * plane->a + best->d * plane->c, best->c * plane->b + best->d * plane->d};
}

}  // namespace reber
