// SPDX-License-Identifier: BSD-3-Clause
// Celestial frames and the conversion of positions between them.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "core/sky/model/wcs.hpp"

namespace reber {

inline constexpr double kNoEquinox = std::numeric_limits<double>::quiet_NaN();

/// A frame and its equinox: a Julian year (FK5, ecliptic), a Besselian one (FK4), unused otherwise.
struct SkySystem {
  enum class Frame { icrs, fk5, fk4, galactic, ecliptic };
  Frame frame = Frame::icrs;
  double equinox = 2000;
  bool e_terms = true;  ///< FK4 alone: false for FK4-NO-E, whose positions have no E-terms of aberration in them

  friend bool operator==(const SkySystem&, const SkySystem&) = default;
  [[nodiscard]] bool equatorial() const { return frame != Frame::galactic && frame != Frame::ecliptic; }
  /// The equinox, where the frame has one; else NaN.
  [[nodiscard]] double year() const { return frame == Frame::icrs || frame == Frame::galactic ? kNoEquinox : equinox; }
};

/// The image's own system; empty where it has none that can be converted.
[[nodiscard]] std::optional<SkySystem> system_of(const Wcs& wcs);

/// The system of a name: "ICRS", "FK5 J2025.5", "FK4-NO-E B1950", "J2000", "eq_FK4", "gal" ..., in any case. A year
/// in the name stands before `equinox`, which is NaN where it is not known: then 2000, and 1950 for FK4.
/// An equinox alone, without a name, is FK4 before 1984 and FK5 from then on (FITS standard 4.0, section 8.3).
/// Empty for another name: it is to be refused, not guessed.
[[nodiscard]] std::optional<SkySystem> system_named(const std::string& name, double equinox = kNoEquinox);

/// "2000", "J2000.0", "B1975" as a year; NaN where it is none.
[[nodiscard]] double equinox_of(const std::string& text);

/// Whether positions without a stated frame may be of it: ICRS or FK5 J2000, which lie within 0.03 arcsec.
[[nodiscard]] bool is_usual(const SkySystem& system);

/// "ICRS", "FK5 J2000", "Galactic" ...
[[nodiscard]] std::string name_of(const SkySystem& system);
/// ICRS for a system whose equinox (or lack of E-terms) region files have no word for; else the system itself.
[[nodiscard]] SkySystem in_region_files(const SkySystem& system);
/// Names of the two coordinates: "RA" and "Dec", "l" and "b", or "lon" and "lat".
[[nodiscard]] std::array<const char*, 2> axis_names(const SkySystem& system);

/// Converts directions of one system to another; barycentric, no proper motion. Rotations by ERFA.
///   FK5 <-> ICRS     frame bias, as Hipparcos has it                          (eraFk5hip)
///   FK5 precession   IAU 2006                                                (eraBp06)
///   ecliptic         mean ecliptic and equinox of date, IAU 2006, from ICRS    (eraEcm06)
///   galactic         pole (192.8594812065348, 27.12825118085622), l of the celestial pole 122.9319185680026, in FK5
///                    J2000; eraIcrs2g takes the same numbers for ICRS and differs by 0.025 arcsec
///   FK4              Newcomb's precession, then Murray (1989), B1950 -> J2000; eraFk45z differs by 1.4 mas and does
///   not
///                    come back to 0.02 mas. E-terms of aberration are taken off before, but from FK4-NO-E
/// FK4's epoch of observation is taken as its equinox.
class SkyConverter {
 public:
  SkyConverter() = default;
  SkyConverter(const SkySystem& from, const SkySystem& to);
  /// Longitude in [0, 360).   NaN in, NaN out
  [[nodiscard]] SkyPosition operator()(const SkyPosition& position) const;
  /// What a position angle (north through east) at this place of `from` gains in `to`, degrees in [-180, 180].
  [[nodiscard]] double turn_deg(const SkyPosition& position) const;

  /// As ERFA has it: rows of a rotation.
  struct Matrix {
    double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  };

 private:
  bool identity_ = true;
  Matrix matrix_;
  std::array<double, 3> take_off_{};  ///< E-terms of the system that is left
  std::array<double, 3> put_on_{};    ///< E-terms of the system that is entered
};

/// Pixels of an image <-> positions in any system.
class SkyView {
 public:
  SkyView() = default;
  /// wcs must outlive this. An image whose own frame cannot be converted is shown in it whatever is asked for.
  SkyView(const Wcs& wcs, const SkySystem& shown);
  [[nodiscard]] std::optional<SkyPosition> to_sky(double x, double y) const;
  [[nodiscard]] std::optional<PixelPosition> to_pixel(const SkyPosition& sky) const;
  [[nodiscard]] bool celestial() const { return wcs_ != nullptr && wcs_->celestial(); }
  /// The system of the positions; empty for a frame that is the image's own and has no name here.
  [[nodiscard]] const std::optional<SkySystem>& shown() const { return system_; }

 private:
  const Wcs* wcs_ = nullptr;
  std::optional<SkySystem> system_;
  SkyConverter out_, in_;
};

/// Angle between two directions, degrees; exact for small ones too.
[[nodiscard]] double separation_deg(const SkyPosition& a, const SkyPosition& b);

}  // namespace reber
