// SPDX-License-Identifier: BSD-3-Clause
// Pixel and sky positions of one image plane, by WCSLIB.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// Celestial position in the image's own frame, degrees; longitude in [0, 360).
struct SkyPosition {
  double lon_deg = 0;
  double lat_deg = 0;
};

/// 0-based pixel position, the centre of the first pixel at (0, 0).
struct PixelPosition {
  double x = 0;
  double y = 0;
};

/// Pixels of the image that a plane was cut or binned from, DS9's "physical" ones: pixel = scale physical + shift, both
/// counted from 1 (keywords LTM and LTV).
struct PhysicalPixels {
  Matrix2 scale;
  PixelPosition shift;
};

/// The celestial coordinate system of a plane. Copies share the parsed header but are safe to use from different
/// threads only as different objects. Default-made: none.
class Wcs {
 public:
  /// fk4: with E-terms or without, which frame_name() says. other: none that is known (system_of).
  enum class Frame { none, icrs, fk5, fk4, galactic, ecliptic, other };

  Wcs();
  ~Wcs();
  Wcs(const Wcs&);
  Wcs(Wcs&&) noexcept;
  Wcs& operator=(const Wcs&);
  Wcs& operator=(Wcs&&) noexcept;

  /// Parses a header (80-character cards in one string, END included). image_axes: the FITS axis numbers (0-based)
  /// that are x and y of the plane; other axes are fixed at `fixed_pixel` (1-based, one entry per axis).
  /// An unusable system gives a Wcs without positions whose why_not() names the keyword; it never throws for a
  /// header that is merely wrong.
  static Wcs parse(const std::string& header_cards, int x_axis, int y_axis, const std::vector<double>& fixed_pixel,
                   int naxis, double nx, double ny);

  [[nodiscard]] bool celestial() const;
  [[nodiscard]] const std::string& why_not() const;  ///< empty where celestial() holds
  [[nodiscard]] Frame frame() const;
  [[nodiscard]] double equinox() const;          ///< NaN where it has none
  [[nodiscard]] std::string frame_name() const;  ///< "ICRS", "FK5 J2000", "FK4-NO-E B1950" ...
  [[nodiscard]] std::string projection() const;  ///< "SIN", "TAN" ...; empty without positions
  [[nodiscard]] double frequency_hz() const;     ///< of the plane's spectral axis or RESTFRQ; NaN where unknown
  [[nodiscard]] const PhysicalPixels& physical() const;
  /// How an axis type with several readings was taken, or why the spectral axis cannot be read; else empty.
  [[nodiscard]] const std::string& spectral_reading() const;

  /// Empty for a pixel off the sky, or without a celestial system. 0-based pixels.
  [[nodiscard]] std::optional<SkyPosition> to_sky(double x, double y) const;
  [[nodiscard]] std::optional<PixelPosition> to_pixel(SkyPosition sky) const;

  /// M = d(east, north)/d(x, y) in degrees a pixel, by finite differences at (x, y); empty off the sky.
  [[nodiscard]] std::optional<Matrix2> sky_per_pixel(double x, double y) const;
  /// The same at the middle of an image, ((nx - 1) / 2, (ny - 1) / 2).
  [[nodiscard]] std::optional<Matrix2> centre_geometry(Shape image) const {
    return sky_per_pixel(0.5 * static_cast<double>(image.nx - 1), 0.5 * static_cast<double>(image.ny - 1));
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
