// SPDX-License-Identifier: BSD-3-Clause
// Beam algebra against published cases and its own identities.
#include "core/sky/model/beam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "core/base/error.hpp"
#include "tests/support/convolution_cases.hpp"

namespace reber {
namespace {

Beam arcsec(double major, double minor, double pa) { return {major / 3600, minor / 3600, pa}; }
Beam arcsec(const nlohmann::json& three) { return arcsec(three[0], three[1], three[2]); }

/// Difference of two position angles, a half turn being nothing.
double angle_distance(double a, double b) { return std::abs(std::remainder(a - b, 180)); }

struct Case {
  const char* name;
  Beam target, source;
  double major, minor, pa;
  Deconvolved::Kind kind;
};

/// A beam of FWHMs M, m at PA p is the matrix C = M^2 u u^T + m^2 v v^T, u = (sin p, cos p) along the major axis (east,
/// north), v across it. The kernel is C_target - C_source: FWHMs are the roots of its eigenvalues, PA is that of the
/// larger one's eigenvector, by the closed formulas of 2 x 2 matrices. "ellipse from circle" by hand: sqrt(20^2 - 8^2)
/// = 18.330303 along PA 30 + 90, sqrt(20^2 - 10^2) = 17.320508 across. A negative eigenvalue is impossible, one of zero
/// a line.
const Case kCases[] = {
    {"ellipse from circle", arcsec(20, 20, 0), arcsec(10, 8, 30), 18.330303, 17.320508, 120,
     Deconvolved::Kind::ellipse},
    {"two ellipses", arcsec(15, 12, 40), arcsec(10, 8, 30), 11.263915, 8.838791, 47.314548, Deconvolved::Kind::ellipse},
    {"negative angle", arcsec(12, 11.5, -70), arcsec(11, 6, 100), 9.831524, 4.753014, 8.444871,
     Deconvolved::Kind::ellipse},
    {"survey beam", arcsec(15, 15, 0), arcsec(13.4, 11.2, 67), 9.977976, 6.740920, 157, Deconvolved::Kind::ellipse},
    {"line", arcsec(10, 10, 0), arcsec(10, 8, 45), 6, 0, 135, Deconvolved::Kind::line},
    {"line of a small beam", arcsec(0.85, 0.85, 0), arcsec(0.85, 0.65, 45), 0.5477226, 0, 135, Deconvolved::Kind::line},
    {"identical", arcsec(12, 9, 25), arcsec(12, 9, 205), 0, 0, 0, Deconvolved::Kind::point},
    {"tiny", arcsec(20.001, 20.001, 0), arcsec(20, 20, 0), 0.2000025, 0.2000025, 0, Deconvolved::Kind::ellipse},
    {"impossible", arcsec(10, 8, 0), arcsec(9, 7, 90), 0, 0, 0, Deconvolved::Kind::impossible},
};

TEST(Beam, deconvolves_the_printed_cases) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Deconvolved result = deconvolve(c.target, c.source);
    EXPECT_EQ(result.kind, c.kind);
    EXPECT_EQ(result.reason.empty(), c.kind != Deconvolved::Kind::impossible);
    EXPECT_NEAR(result.beam.major_deg * 3600, c.major, 1e-6);
    EXPECT_NEAR(result.beam.minor_deg * 3600, c.minor, 1e-6);
    EXPECT_LE(angle_distance(result.beam.pa_deg, c.pa), 1e-6);
    EXPECT_GE(result.beam.pa_deg, 0);
    EXPECT_LT(result.beam.pa_deg, 180);
  }
}

TEST(Beam, deconvolves_every_case_of_the_data_folder) {
  REBER_CASES_OR_SKIP(cases);
  int seen = 0;
  for (const auto& c : (*cases)["A_beam_deconvolution"]["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    ++seen;
    const Beam target = arcsec(c["target"]);
    const Beam source = arcsec(c["source"]);
    EXPECT_NEAR(target.area_deg2() / source.area_deg2(), c["jy_per_beam_factor"].get<double>(), 1e-12);
    const Deconvolved result = deconvolve(target, source);
    if (!c["deconvolvable"].get<bool>()) {
      EXPECT_EQ(result.kind, Deconvolved::Kind::impossible);
      continue;
    }
    const int rank = c["rank"];
    const auto kind = rank == 2   ? Deconvolved::Kind::ellipse
                      : rank == 1 ? Deconvolved::Kind::line
                                  : Deconvolved::Kind::point;
    EXPECT_EQ(result.kind, kind);
    EXPECT_NEAR(result.beam.major_deg * 3600, c["kernel"][0].get<double>(), 1e-9);
    EXPECT_NEAR(result.beam.minor_deg * 3600, c["kernel"][1].get<double>(), 1e-9);
    EXPECT_LE(angle_distance(result.beam.pa_deg, c["kernel"][2]), 1e-8);
  }
  EXPECT_EQ(seen, 12);
}

TEST(Beam, convolving_with_the_deconvolved_beam_gives_the_target_back) {
  for (const Case& c : kCases) {
    if (c.kind == Deconvolved::Kind::impossible) continue;
    SCOPED_TRACE(c.name);
    const Beam again = convolve_beams(c.source, deconvolve(c.target, c.source).beam);
    EXPECT_NEAR(again.major_deg, c.target.major_deg, 1e-9 * c.target.major_deg);
    EXPECT_NEAR(again.minor_deg, c.target.minor_deg, 1e-9 * c.target.major_deg);
    if (c.target.major_deg > c.target.minor_deg) {
      EXPECT_LE(angle_distance(again.pa_deg, c.target.pa_deg), 1e-6);
    }
  }
}

TEST(Beam, an_impossible_target_is_explained) {
  const Deconvolved result = deconvolve(arcsec(10, 8, 0), arcsec(9, 7, 90));
  EXPECT_NE(result.reason.find("10\" x 8\""), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("larger target"), std::string::npos) << result.reason;
}

TEST(Beam, kelvin_of_a_jansky_per_beam) {
  EXPECT_NEAR(kelvin_per_jy_beam(arcsec(10, 8, 30), 1.4e9), 7794.134845368723, 7794 * 1e-9);
  REBER_CASES_OR_SKIP(cases);
  for (const auto& c : (*cases)["B_flux_scale"]["jy_to_k"]) {
    const double wanted = c["kelvin_per_jy_beam"];
    EXPECT_NEAR(kelvin_per_jy_beam(arcsec(c["beam"]), c["ghz"].get<double>() * 1e9), wanted, 1e-9 * wanted);
  }
}

TEST(Beam, area_ratios_of_the_data_folder) {
  REBER_CASES_OR_SKIP(cases);
  for (const auto& c : (*cases)["B_flux_scale"]["cases"]) {
    const double ratio = arcsec(c["target"]).area_deg2() / arcsec(c["source"]).area_deg2();
    EXPECT_NEAR(ratio, c["area_ratio"].get<double>(), 1e-12);
  }
}

struct PixelCase {
  Matrix2 geometry;
  double xx, xy, yy;
};

TEST(Beam, pixel_covariances_of_a_20_by_10_beam_at_30_degrees) {
  const double c = 2 * std::cos(std::numbers::pi / 9);
  const double s = 2 * std::sin(std::numbers::pi / 9);
  const PixelCase pixel_cases[] = {
      {{-2, 0, 0, 2}, 43.75, -32.47595264191644, 81.25},
      {{2, 0, 0, 2}, 43.75, 32.47595264191644, 81.25},
      {{-2, 0, 0, 3}, 43.75, -21.650635094610962, 36.111111111111114},
      {{-c, -s, -s, c}, 69.01180666250988, -36.930290737957804, 55.98819333749013},
  };
  const Covariance sky = sky_covariance(20, 10, 30);
  for (const PixelCase& pixel_case : pixel_cases) {
    const Covariance pixels = to_pixels(sky, pixel_case.geometry);
    EXPECT_NEAR(pixels.xx, pixel_case.xx, 1e-12 * 100);
    EXPECT_NEAR(pixels.xy, pixel_case.xy, 1e-12 * 100);
    EXPECT_NEAR(pixels.yy, pixel_case.yy, 1e-12 * 100);
    const Covariance back = to_sky(pixels, pixel_case.geometry);
    EXPECT_NEAR(back.xx, sky.xx, 1e-10);
    EXPECT_NEAR(back.xy, sky.xy, 1e-10);
    EXPECT_NEAR(back.yy, sky.yy, 1e-10);
  }
}

TEST(Beam, pixel_covariances_of_the_data_folder) {
  REBER_CASES_OR_SKIP(cases);
  for (const auto& c : (*cases)["C_position_angle_to_pixels"]["cases"]) {
    SCOPED_TRACE(c["label"].get<std::string>());
    const auto& cd = c["cd_arcsec"];
    const auto& beam = c["beam"];
    const Covariance pixels =
        to_pixels(sky_covariance(beam[0], beam[1], beam[2]), {cd[0][0], cd[0][1], cd[1][0], cd[1][1]});
    const auto& wanted = c["pixel_cov_fwhm2"];
    EXPECT_NEAR(pixels.xx, wanted[0][0].get<double>(), 1e-10);
    EXPECT_NEAR(pixels.xy, wanted[0][1].get<double>(), 1e-10);
    EXPECT_NEAR(pixels.yy, wanted[1][1].get<double>(), 1e-10);
    const Ellipse axes = ellipse_of(pixels);
    EXPECT_NEAR(axes.major, c["pixel_fwhm_major"].get<double>(), 1e-9);
    EXPECT_NEAR(axes.minor, c["pixel_fwhm_minor"].get<double>(), 1e-9);
    // On the grid "position angle" is counted from +y to +x, so it is 90 degrees less the angle from +x.
    EXPECT_LE(angle_distance(90 - axes.pa_deg, c["angle_ccw_from_plus_x_deg"]), 1e-9);
  }
}

TEST(Beam, singular_geometry_is_refused) {
  try {
    (void)to_pixels(sky_covariance(20, 10, 30), {1, 2, 2, 4});
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("singular"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("CDELT"), std::string::npos);
  }
}

TEST(Beam, axis_aligned_ellipses_have_no_cross_term) {
  for (const double angle : {-270.0, -180.0, -90.0, 0.0, 90.0, 180.0, 270.0, 360.0}) {
    EXPECT_EQ(sky_covariance(20, 10, angle).xy, 0) << angle;
  }
  EXPECT_EQ(sky_covariance(20, 10, 90).xx, 400);
  EXPECT_EQ(sky_covariance(20, 10, 180).yy, 400);
}

TEST(Beam, a_round_ellipse_has_angle_zero) {
  const Ellipse ellipse = ellipse_of(sky_covariance(7.3, 7.3, 33));
  EXPECT_EQ(ellipse.pa_deg, 0);
  EXPECT_NEAR(ellipse.minor, 7.3, 1e-12);
}

}  // namespace
}  // namespace reber
