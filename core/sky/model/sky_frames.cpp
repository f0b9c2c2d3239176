// SPDX-License-Identifier: BSD-3-Clause
// Rotations between celestial frames, and FK4's E-terms of aberration.
#include "core/sky/model/sky_frames.hpp"

#include <erfa.h>
#include <erfam.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace reber {
namespace {

using Matrix = SkyConverter::Matrix;
using Vector = std::array<double, 3>;
using Frame = SkySystem::Frame;

constexpr double kJ2000 = ERFA_DJ00;

Matrix times(Matrix a, Matrix b) {
  Matrix out;
  eraRxr(a.rows, b.rows, out.rows);
  return out;
}

Matrix transposed(Matrix a) {
  Matrix out;
  eraTr(a.rows, out.rows);
  return out;
}

/// FK5 J2000 -> FK5 of a Julian year, without the frame bias.
Matrix fk5_precession(double year) {
  Matrix bias, precession, both;
  eraBp06(kJ2000, (year - 2000) * ERFA_DJY, bias.rows, precession.rows, both.rows);
  return precession;
}

Matrix fk5_j2000_to_icrs() {
  Matrix out;
  double spin[3];
  eraFk5hip(out.rows, spin);
  return out;
}

Matrix galactic_to_icrs() {
  Matrix from_fk5;
  eraRz(192.8594812065348 * ERFA_DD2R, from_fk5.rows);
  eraRy((90 - 27.12825118085622) * ERFA_DD2R, from_fk5.rows);
  eraRz((180 - 122.9319185680026) * ERFA_DD2R, from_fk5.rows);
  return times(fk5_j2000_to_icrs(), transposed(from_fk5));
}

Matrix ecliptic_to_icrs(double year) {
  Matrix out;
  eraEcm06(kJ2000, (year - 2000) * ERFA_DJY, out.rows);
  return transposed(out);
}

/// Newcomb's precession between Besselian years (Explanatory Supplement 1992, sec. 3.59).
Matrix newcomb_precession(double from, double to) {
  const double t = (from - 1850) / 1000, d = (to - from) / 1000;
  const double first = 23035.545 + 139.720 * t + 0.060 * t * t;
  const double zeta = d * (first + d * (30.240 - 0.27 * t + d * 17.995));
  const double z = d * (first + d * (109.480 + 0.39 * t + d * 18.325));
  const double theta = d * (20051.12 - 85.29 * t - 0.37 * t * t + d * (-42.65 - 0.37 * t + d * -41.8));
  Matrix out;
  eraRz(-zeta * ERFA_DAS2R, out.rows);
  eraRy(theta * ERFA_DAS2R, out.rows);
  eraRz(-z * ERFA_DAS2R, out.rows);
  return out;
}

/// Days from J2000 of a Besselian year.
double days_of_besselian(double year) {
  double first = 0, second = 0;
  eraEpb2jd(year, &first, &second);
  return first - kJ2000 + second;
}

/// FK4 of an equinox without E-terms -> ICRS. The epoch of observation is taken as the equinox.
Matrix fk4_to_icrs(double equinox) {
  // Murray (1989), A&A 218, 325: equation 28, and 29 for the slow turning of FK4.
  constexpr Matrix kTurn = {{{0.9999256794956877, -0.0111814832204662, -0.0048590038153592},
                             {0.0111814832391717, 0.9999374848933135, -0.0000271625947142},
                             {0.0048590037723143, -0.0000271702937440, 0.9999881946023742}}};
  constexpr Matrix kRate = {{{-0.0026455262e-6, -1.1539918689e-6, 2.1111346190e-6},
                             {1.1540628161e-6, -0.0129042997e-6, 0.0236021478e-6},
                             {-2.1112979048e-6, -0.0056024448e-6, 0.0102587734e-6}}};
  const double julian_year = 2000 + days_of_besselian(equinox) / ERFA_DJY;
  Matrix turn = kTurn;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) turn.rows[i][j] += kRate.rows[i][j] * (julian_year - 1950) / 100;
  }
  return times(fk5_j2000_to_icrs(), times(turn, newcomb_precession(equinox, 1950)));
}

/// E-terms of aberration of an equinox (Explanatory Supplement 1992, sec. 3.531).
Vector e_terms(double equinox) {
  const double t = 365.242198781 * (equinox - 1950) / ERFA_DJC;
  const double constant = 0.0056932 * ERFA_DD2R;
  const double eccentricity = 0.01673011 + t * (-0.00004193 - 0.000000126 * t);
  const double perigee = (1015489.951 + t * (6190.67 + t * (1.65 + 0.012 * t))) * ERFA_DAS2R;
  const double obliquity = eraObl80(kJ2000, days_of_besselian(equinox));
  const double size = eccentricity * constant;
  return {size * std::sin(perigee), -size * std::cos(perigee) * std::cos(obliquity),
          -size * std::cos(perigee) * std::sin(obliquity)};
}

Matrix to_icrs(const SkySystem& system) {
  switch (system.frame) {
    case Frame::fk5:
      return times(fk5_j2000_to_icrs(), transposed(fk5_precession(system.equinox)));
    case Frame::fk4:
      return fk4_to_icrs(system.equinox);
    case Frame::galactic:
      return galactic_to_icrs();
    case Frame::ecliptic:
      return ecliptic_to_icrs(system.equinox);
    case Frame::icrs:
      break;
  }
  return {};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector unit(const SkyPosition& p) {
  Vector v{};
  eraS2c(p.lon_deg * ERFA_DD2R, p.lat_deg * ERFA_DD2R, v.data());
  return v;
}

SkyPosition position(Vector v) {
  double lon = 0, lat = 0;
  eraC2s(v.data(), &lon, &lat);
  lon *= ERFA_DR2D;
  if (lon < 0) lon += 360;
  return {lon >= 360 ? 0 : lon, lat * ERFA_DR2D};
}

/// Lower case, without marks: "FK4-NO-E B1950" is "fk4noeb1950".
std::string letters_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

/// A frame's name, and the letter that may stand before its year; nothing stands for the letter alone.
struct FrameName {
  const char* name;
  Frame frame;
  char letter;
  bool e_terms = true;
};
/// A longer name before the one that it begins with.
constexpr FrameName kNames[] = {{"icrs", Frame::icrs, ' '},
                                {"icrf", Frame::icrs, ' '},
                                {"fk5", Frame::fk5, 'j'},
                                {"eqfk5", Frame::fk5, 'j'},
                                {"fk4noe", Frame::fk4, 'b', false},
                                {"fk4", Frame::fk4, 'b'},
                                {"eqfk4", Frame::fk4, 'b'},
                                {"galactic", Frame::galactic, ' '},
                                {"gal", Frame::galactic, ' '},
                                {"ecliptic", Frame::ecliptic, 'j'},
                                {"eclfk5", Frame::ecliptic, 'j'},
                                {"ecl", Frame::ecliptic, 'j'},
                                {"", Frame::fk5, 'j'},
                                {"", Frame::fk4, 'b'}};

}  // namespace

std::optional<SkySystem> system_of(const Wcs& wcs) {
  return wcs.celestial() ? system_named(wcs.frame_name(), wcs.equinox()) : std::nullopt;
}

double equinox_of(const std::string& text) {
  std::string year = letters_of(text);
  if (!year.empty() && (year[0] == 'j' || year[0] == 'b')) year.erase(0, 1);
  double value = 0;
  const auto [end, error] = std::from_chars(year.data(), year.data() + year.size(), value);
  constexpr double kFirst = 1500, kLast = 2500;
  return error == std::errc() && end == year.data() + year.size() && value >= kFirst && value <= kLast ? value
                                                                                                       : kNoEquinox;
}

std::optional<SkySystem> system_named(const std::string& name, double equinox) {
  const std::string text = letters_of(name);
  const bool known = std::isfinite(equinox);
  if (text.empty()) {
    if (!known) return std::nullopt;
    return SkySystem{equinox < 1984 ? Frame::fk4 : Frame::fk5, equinox};
  }
  for (const FrameName& one : kNames) {
    const std::string start = one.name;
    if (!text.starts_with(start)) continue;
    const std::string year = text.substr(start.size());
    if (start.empty() && year[0] != one.letter) continue;
    if (one.letter == ' ')
      return year.empty() || year == "j2000" ? std::optional(SkySystem{one.frame, 2000}) : std::nullopt;
    const double usual = one.letter == 'b' ? 1950 : 2000;
    if (year.empty()) return SkySystem{one.frame, known ? equinox : usual, one.e_terms};
    // "FK5 B1950" is a year of the other kind: neither is taken.
    const bool letter = std::isdigit(static_cast<unsigned char>(year[0])) == 0;
    const double stated = equinox_of(year);
    if (!std::isfinite(stated) || (letter && year[0] != one.letter)) return std::nullopt;
    return SkySystem{one.frame, stated, one.e_terms};
  }
  return std::nullopt;
}

bool is_usual(const SkySystem& system) {
  return system.frame == Frame::icrs || (system.frame == Frame::fk5 && system.equinox == 2000);
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

SkySystem in_region_files(const SkySystem& system) {
  const double usual = system.frame == Frame::fk4 ? 1950 : 2000;
  return system.equinox == usual && system.e_terms ? system : SkySystem{};
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
  Matrix matrix = matrix_;  // ERFA takes no const
  eraRxp(matrix.rows, v.data(), out.data());
  for (double& part : out) part /= norm;
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

double SkyConverter::turn_deg(const SkyPosition& p) const {
  if (identity_) return 0;
  // Where a short step to the north points in the other system; away from the pole, so that it is one.
  constexpr double kStep = 1e-4;
  const double step = p.lat_deg > 0 ? -kStep : kStep;
  const SkyPosition here = (*this)(p), there = (*this)({p.lon_deg, p.lat_deg + step});
  const double back = step < 0 ? 180 : 0;
  const double angle =
      eraPas(here.lon_deg * ERFA_DD2R, here.lat_deg * ERFA_DD2R, there.lon_deg * ERFA_DD2R, there.lat_deg * ERFA_DD2R) *
      ERFA_DR2D;
  return std::remainder(angle + back, 360);
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
  return eraSeps(a.lon_deg * ERFA_DD2R, a.lat_deg * ERFA_DD2R, b.lon_deg * ERFA_DD2R, b.lat_deg * ERFA_DD2R) *
         ERFA_DR2D;
}

}  // namespace reber
