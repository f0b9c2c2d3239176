// SPDX-License-Identifier: BSD-3-Clause
// Celestial frames and the conversion of positions between them.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "core/model/wcs.hpp"

namespace reber {

/// A frame and its equinox: a Julian year (FK5, ecliptic), a Besselian one (FK4), unused otherwise.
struct SkySystem {
  enum class Frame { icrs, fk5, fk4, galactic, ecliptic };
  Frame frame = Frame::icrs;
  double equinox = 2000;
  bool e_terms = true;  ///< FK4 alone: false for FK4-NO-E, whose positions have no E-terms of aberration in them

  friend bool operator==(const SkySystem&, const SkySystem&) = default;
  [[nodiscard]] bool equatorial() const { return frame != Frame::galactic && frame != Frame::ecliptic; }
};

/// The image's own system; empty where it has none that can be converted.
[[nodiscard]] std::optional<SkySystem> system_of(const Wcs& wcs);

/// "ICRS", "FK5 J2000", "Galactic" ...
[[nodiscard]] std::string name_of(const SkySystem& system);
/// The system of a name as name_of() and FITS's RADESYS write it: "ICRS", "FK5", "FK4 B1950", "FK4-NO-E", "Galactic"
/// ...
///   equinox: in place of 2000 or 1950 where the name has none; NaN for none   returns nothing for other names
[[nodiscard]] std::optional<SkySystem> system_named(const std::string& name,
                                                    double equinox = std::numeric_limits<double>::quiet_NaN());
/// ICRS for a system whose equinox (or lack of E-terms) region files have no word for; else the system itself.
[[nodiscard]] SkySystem in_region_files(const SkySystem& system);
/// Names of the two coordinates: "RA" and "Dec", "l" and "b", or "lon" and "lat".
[[nodiscard]] std::array<const char*, 2> axis_names(const SkySystem& system);

/// Converts directions of one system to another; barycentric, no proper motion.
///   FK5 <-> ICRS     frame bias eta0 = -19.9, xi0 = 9.1, da0 = -22.9 mas     (USNO Circular 179, eq. 3.4)
///   FK5 precession   IAU 2006                                               (Hilton et al. 2006)
///   galactic         pole (192.8594812065348, 27.12825118085622), l of the celestial pole 122.9319185680026 (FK5
///   J2000) ecliptic         mean ecliptic and equinox of date, IAU 2006 angles from ICRS FK4              E-terms of
///   aberration taken off, Newcomb's precession, B1950 -> J2000 matrix of Murray (1989)
class SkyConverter {
 public:
  SkyConverter() = default;
  SkyConverter(const SkySystem& from, const SkySystem& to);
  /// Longitude in [0, 360).   NaN in, NaN out
  [[nodiscard]] SkyPosition operator()(const SkyPosition& position) const;

  using Matrix = std::array<std::array<double, 3>, 3>;

 private:
  bool identity_ = true;
  Matrix matrix_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
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
