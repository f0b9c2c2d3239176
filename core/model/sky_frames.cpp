// SPDX-License-Identifier: BSD-3-Clause
// Rotations between celestial frames, and FK4's E-terms of aberration.
#include "core/model/sky_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace reber {
namespace {

using Matrix = SkyConverter::Matrix;
using Vector = std::array<double, 3>;
using Frame = SkySystem::Frame;

constexpr double kDegree = 3.14159265358979323846 / 180.0;
constexpr double kArcsec = kDegree / 3600;

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Matrix transposed(const Matrix& a) {
  Matrix out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[i][j] = a[j][i];
  }
  return out;
}

/// Rotation of the axes by an angle in radians about axis 0, 1 or 2.
Matrix rotation(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  Matrix out{};
  out[axis][axis] = 1;
  out[a][a] = out[b][b] = c;
  out[a][b] = s;
  out[b][a] = -s;
  return out;
}

/// Angles of Fukushima and Williams for the mean equator of date, arcseconds; t in Julian centuries from J2000
/// (Hilton et al. 2006, table 1; Capitaine et al. 2003).
struct PrecessionAngles {
  double gamma, phi, psi, epsilon;
};
PrecessionAngles precession_angles(double t) {
  const auto poly = [t](double a, double b, double c, double d, double e, double f) {
    return a + t * (b + t * (c + t * (d + t * (e + t * f))));
  };
  return {poly(-0.052928, 10.556378, 0.4932044, -0.00031238, -0.000002788, 0.0000000260),
          poly(84381.412819, -46.811016, 0.0511268, 0.00053289, -0.000000440, -0.0000000176),
          poly(-0.041775, 5038.481484, 1.5584175, -0.00018522, -0.000026452, -0.0000000148),
          poly(84381.406, -46.836769, -0.0001831, 0.00200340, -0.000000576, -0.0000000434)};
}

/// ICRS -> mean equator and equinox of date.
Matrix bias_and_precession(double t) {
  const PrecessionAngles a = precession_angles(t);
  return times(times(rotation(0, -a.epsilon * kArcsec), rotation(2, -a.psi * kArcsec)),
               times(rotation(0, a.phi * kArcsec), rotation(2, a.gamma * kArcsec)));
}

/// FK5 J2000 -> FK5 of a Julian year, without the frame bias.
Matrix fk5_precession(double year) {
  return times(bias_and_precession((year - 2000) / 100), transposed(bias_and_precession(0)));
}

Matrix icrs_to_fk5_j2000() {
  return times(times(rotation(0, 0.0199 * kArcsec), rotation(1, 0.0091 * kArcsec)), rotation(2, -0.0229 * kArcsec));
}

Matrix icrs_to_galactic() {
  const Matrix from_fk5 =
      times(times(rotation(2, (180 - 122.9319185680026) * kDegree), rotation(1, (90 - 27.12825118085622) * kDegree)),
            rotation(2, 192.8594812065348 * kDegree));
  return times(from_fk5, icrs_to_fk5_j2000());
}

Matrix icrs_to_ecliptic(double year) {
  const double t = (year - 2000) / 100;
  return times(rotation(0, precession_angles(t).epsilon * kArcsec), bias_and_precession(t));
}

/// Newcomb's precession between Besselian years (Explanatory Supplement 1992, sec. 3.59).
Matrix newcomb_precession(double from, double to) {
  const double t = (from - 1850) / 1000, d = (to - from) / 1000;
  const double first = 23035.545 + 139.720 * t + 0.060 * t * t;
  const double zeta = d * (first + d * (30.240 - 0.27 * t + d * 17.995));
  const double z = d * (first + d * (109.480 + 0.39 * t + d * 18.325));
  const double theta = d * (20051.12 - 85.29 * t - 0.37 * t * t + d * (-42.65 - 0.37 * t + d * -41.8));
  return times(times(rotation(2, -z * kArcsec), rotation(1, theta * kArcsec)), rotation(2, -zeta * kArcsec));
}

double julian_date_of_besselian(double year) { return 2433282.42345905 + 365.242198781 * (year - 1950); }

/// FK4 of an equinox without E-terms -> ICRS. The epoch of observation is taken as the equinox.
Matrix fk4_to_icrs(double equinox) {
  // Murray (1989), A&A 218, 325: equation 28, and 29 for the slow turning of FK4.
  constexpr Matrix kTurn = {{{0.9999256794956877, -0.0111814832204662, -0.0048590038153592},
                             {0.0111814832391717, 0.9999374848933135, -0.0000271625947142},
                             {0.0048590037723143, -0.0000271702937440, 0.9999881946023742}}};
  constexpr Matrix kRate = {{{-0.0026455262e-6, -1.1539918689e-6, 2.1111346190e-6},
                             {1.1540628161e-6, -0.0129042997e-6, 0.0236021478e-6},
                             {-2.1112979048e-6, -0.0056024448e-6, 0.0102587734e-6}}};
  const double julian_year = 2000 + (julian_date_of_besselian(equinox) - 2451545.0) / 365.25;
  Matrix turn = kTurn;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) turn[i][j] += kRate[i][j] * (julian_year - 1950) / 100;
  }
  return times(transposed(icrs_to_fk5_j2000()), times(turn, newcomb_precession(equinox, 1950)));
}

/// E-terms of aberration of an equinox (Explanatory Supplement 1992, sec. 3.531).
Vector e_terms(double equinox) {
  const double days = 365.242198781 * (equinox - 1950), t = days / 36525;
  const double constant = 0.0056932 * kDegree;
  const double eccentricity = 0.01673011 + t * (-0.00004193 - 0.000000126 * t);
  const double perigee = (1015489.951 + t * (6190.67 + t * (1.65 + 0.012 * t))) * kArcsec;
  const double c = (julian_date_of_besselian(equinox) - 2451545.0) / 36525;
  const double obliquity = (84381.448 + c * (-46.8150 + c * (-0.00059 + 0.001813 * c))) * kArcsec;
  const double size = eccentricity * constant;
  return {size * std::sin(perigee), -size * std::cos(perigee) * std::cos(obliquity),
          -size * std::cos(perigee) * std::sin(obliquity)};
}

Matrix to_icrs(const SkySystem& system) {
  switch (system.frame) {
    case Frame::fk5:
      return transposed(times(fk5_precession(system.equinox), icrs_to_fk5_j2000()));
    case Frame::fk4:
      return fk4_to_icrs(system.equinox);
    case Frame::galactic:
      return transposed(icrs_to_galactic());
    case Frame::ecliptic:
      return transposed(icrs_to_ecliptic(system.equinox));
    case Frame::icrs:
      break;
  }
  return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector unit(const SkyPosition& p) {
  const double lon = p.lon_deg * kDegree, lat = p.lat_deg * kDegree;
  return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

SkyPosition position(const Vector& v) {
  double lon = std::atan2(v[1], v[0]) / kDegree;
  if (lon < 0) lon += 360;
  return {lon >= 360 ? 0 : lon, std::atan2(v[2], std::hypot(v[0], v[1])) / kDegree};
}

}  // namespace

std::optional<SkySystem> system_of(const Wcs& wcs) {
  const double equinox = wcs.equinox();
  switch (wcs.frame()) {
    case Wcs::Frame::icrs:
      return SkySystem{Frame::icrs, 2000};
    case Wcs::Frame::fk5:
      return SkySystem{Frame::fk5, std::isfinite(equinox) ? equinox : 2000};
    case Wcs::Frame::fk4:
      return SkySystem{Frame::fk4, std::isfinite(equinox) ? equinox : 1950, !wcs.frame_name().starts_with("FK4-NO-E")};
    case Wcs::Frame::galactic:
      return SkySystem{Frame::galactic, 2000};
    case Wcs::Frame::ecliptic:
      return SkySystem{Frame::ecliptic, std::isfinite(equinox) ? equinox : 2000};
    default:
      return std::nullopt;
  }
}

std::string name_of(const SkySystem& system) {
  switch (system.frame) {
    case Frame::icrs:
      return "ICRS";
    case Frame::fk5:
      return fmt::format("FK5 J{:.10g}", system.equinox);
    case Frame::fk4:
      return fmt::format("{} B{:.10g}", system.e_terms ? "FK4" : "FK4-NO-E", system.equinox);
    case Frame::galactic:
      return "Galactic";
    case Frame::ecliptic:
      return system.equinox == 2000 ? "Ecliptic" : fmt::format("Ecliptic J{:.10g}", system.equinox);
  }
  return {};
}

std::optional<SkySystem> system_named(const std::string& name, double equinox) {
  std::string word = name.substr(0, name.find(' '));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::size_t space = name.find(' ');
  if (space != std::string::npos && space + 2 < name.size()) {
    const double year = std::atof(name.c_str() + space + 2);
    if (year > 0) equinox = year;
  }
  const auto year = [&](double usual) { return std::isfinite(equinox) ? equinox : usual; };
  if (word == "ICRS") return SkySystem{Frame::icrs, 2000};
  if (word == "FK5") return SkySystem{Frame::fk5, year(2000)};
  if (word == "FK4" || word == "FK4-NO-E") return SkySystem{Frame::fk4, year(1950), word == "FK4"};
  if (word == "GALACTIC") return SkySystem{Frame::galactic, 2000};
  if (word == "ECLIPTIC") return SkySystem{Frame::ecliptic, year(2000)};
  return std::nullopt;
}

SkySystem in_region_files(const SkySystem& system) {
  const double usual = system.frame == Frame::fk4 ? 1950 : 2000;
  const bool dated = system.frame == Frame::fk5 || system.frame == Frame::fk4 || system.frame == Frame::ecliptic;
  return dated && (system.equinox != usual || !system.e_terms) ? SkySystem{} : system;
}

std::array<const char*, 2> axis_names(const SkySystem& system) {
  if (system.frame == Frame::galactic) return {"l", "b"};
  if (system.frame == Frame::ecliptic) return {"lon", "lat"};
  return {"RA", "Dec"};
}

SkyConverter::SkyConverter(const SkySystem& from, const SkySystem& to) : identity_(from == to) {
  if (identity_) return;
  // FK4's matrix is orthogonal within 1e-8 only; its transpose is what the inverse is defined as.
  matrix_ = times(transposed(to_icrs(to)), to_icrs(from));
  if (from.frame == Frame::fk4 && from.e_terms) take_off_ = e_terms(from.equinox);
  if (to.frame == Frame::fk4 && to.e_terms) put_on_ = e_terms(to.equinox);
}

SkyPosition SkyConverter::operator()(const SkyPosition& p) const {
  if (identity_ || !std::isfinite(p.lon_deg) || !std::isfinite(p.lat_deg)) return p;
  Vector v = unit(p);
  const double along = dot(take_off_, v);
  for (int i = 0; i < 3; ++i) v[i] += along * v[i] - take_off_[i];
  const double norm = std::sqrt(dot(v, v));
  Vector out{};
  for (int i = 0; i < 3; ++i) out[i] = (matrix_[i][0] * v[0] + matrix_[i][1] * v[1] + matrix_[i][2] * v[2]) / norm;
  if (dot(put_on_, put_on_) > 0) {
    // out = (clean + E) / (1 + E . out): a contraction of 3e-6 a round.
    const Vector clean = out;
    for (int round = 0; round < 4; ++round) {
      const double scale = 1 / (1 + dot(put_on_, out));
      for (int i = 0; i < 3; ++i) out[i] = (clean[i] + put_on_[i]) * scale;
    }
  }
  return position(out);
}

SkyView::SkyView(const Wcs& wcs, const SkySystem& shown) : wcs_(&wcs) {
  system_ = system_of(wcs);
  if (!system_ || *system_ == shown) return;
  out_ = SkyConverter(*system_, shown);
  in_ = SkyConverter(shown, *system_);
  system_ = shown;
}

std::optional<SkyPosition> SkyView::to_sky(double x, double y) const {
  if (!celestial()) return std::nullopt;
  const auto sky = wcs_->to_sky(x, y);
  if (!sky) return std::nullopt;
  return out_(*sky);
}

std::optional<PixelPosition> SkyView::to_pixel(const SkyPosition& sky) const {
  if (!celestial() || !std::isfinite(sky.lon_deg) || !std::isfinite(sky.lat_deg)) return std::nullopt;
  return wcs_->to_pixel(in_(sky));
}

double separation_deg(const SkyPosition& a, const SkyPosition& b) {
  const Vector u = unit(a), v = unit(b);
  const Vector cross = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  return std::atan2(std::sqrt(dot(cross, cross)), dot(u, v)) / kDegree;
}

}  // namespace reber
