// SPDX-License-Identifier: BSD-3-Clause
// What is said about the pixel under the cursor.
#pragma once

#include <optional>
#include <string>

#include "core/sky/model/coordinates.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

/// Middle and noise around a place.
struct LocalNoise {
  double middle = 0, sigma = 0;
  bool measured = false;  ///< from the background and rms maps of a run, not from the pixels nearby
};

/// Median and 1.4826 MAD of the finite pixels within `half` pixels in x and y. Empty with fewer than 16 of them, where
/// they are all alike, and while the full pixels are not there yet.
[[nodiscard]] std::optional<LocalNoise> noise_around(const Pyramid& pixels, PixelPosition at, std::int64_t half = 32);

/// Texts; empty where there is nothing to say.
struct Readout {
  std::string pixel;  ///< "x 512.3  y 88.0", in the base that the style asks for
  std::string lon_name, lat_name, lon, lat, frame;
  std::string value;   ///< "1.23457 mJy/beam", "blank", "off the image"
  std::string sigmas;  ///< "5.31 sigma", with "(nearby)" where no run has measured the noise
  std::string kelvin;  ///< brightness temperature of Jy/beam, where beam and frequency are known
  [[nodiscard]] std::string position() const { return lon.empty() ? "" : lon + " " + lat; }
};

/// How a layer tells its values.
struct LayerValues {
  std::optional<Unit> unit;  ///< empty: they have none, as S/N and island numbers
  std::optional<Beam> beam;
};

/// value: of the pixel at `at` (NaN for blank); inside: `at` is over the image; layer: null: as the header tells them.
[[nodiscard]] Readout make_readout(const ImageHeader& header, PixelPosition at, bool inside, float value,
                                   const std::optional<LocalNoise>& noise, const CoordinateStyle& style,
                                   const LayerValues* layer = nullptr);

/// A value with six digits, nine from 100 000 on, and as many more as tell hundredths of the noise where that is known
/// (above 0); in the unit that reads best for `magnitude` (the value's own where 0).
[[nodiscard]] std::string value_text(double value, const Unit& unit, double magnitude = 0, double noise = 0);

}  // namespace reber::gui
