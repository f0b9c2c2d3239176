// SPDX-License-Identifier: BSD-3-Clause
// Texts about one pixel.
#include "gui/model/image/readout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/model/image/colour_bar.hpp"

namespace reber::gui {
namespace {

constexpr std::size_t kFewest = 16;

double middle_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<LocalNoise> noise_around(const Pyramid& pixels, PixelPosition at, std::int64_t half) {
  if (!pixels.at_hand() || pixels.first_level() != 0 || !std::isfinite(at.x) || !std::isfinite(at.y))
    return std::nullopt;
  const Shape shape = pixels.shape();
  const auto x = static_cast<std::int64_t>(std::clamp(std::round(at.x), 0.0, static_cast<double>(shape.nx - 1))),
             y = static_cast<std::int64_t>(std::clamp(std::round(at.y), 0.0, static_cast<double>(shape.ny - 1)));
  Rect rect{std::max<std::int64_t>(0, y - half), std::max<std::int64_t>(0, x - half), 0, 0};
  rect.ny = std::min(shape.ny, y + half + 1) - rect.y0;
  rect.nx = std::min(shape.nx, x + half + 1) - rect.x0;
  std::vector<float> values(static_cast<std::size_t>(rect.ny * rect.nx));
  pixels.read(0, Reduction::mean, rect, values.data());
  std::erase_if(values, [](float v) { return !std::isfinite(v); });
  if (values.size() < kFewest) return std::nullopt;
  LocalNoise noise;
  noise.middle = middle_of(values);
  for (float& v : values) v = static_cast<float>(std::abs(v - noise.middle));
  noise.sigma = 1.4826 * middle_of(values);
  if (!(noise.sigma > 0)) return std::nullopt;
  return noise;
}

std::string value_text(double value, const Unit& unit, double magnitude, double noise) {
  const auto [name, factor] = unit.readable(magnitude != 0 ? magnitude : value);
  // Large values with a small noise on them: as many digits as floats hold.
  const int digits = std::abs(value * factor) >= 1e5 ? 9 : digits_within(value, noise, 6);
  return fmt::format("{:.{}g}{}{}", value * factor, digits, name.empty() ? "" : " ", name);
}

Readout make_readout(const ImageHeader& header, PixelPosition at, bool inside, float value,
                     const std::optional<LocalNoise>& noise, const CoordinateStyle& style, const LayerValues* layer) {
  Readout out;
  const double base = style.one_based ? 1 : 0;
  const auto tenths = [base](double v) { return std::round(10 * (v + base)) / 10 + 0.0; };  // no -0.0
  out.pixel = fmt::format("x {:.1f}  y {:.1f}", tenths(at.x), tenths(at.y));
  const SkyView view(header.wcs, style.system);
  if (const auto sky = view.to_sky(at.x, at.y)) {
    CoordinateStyle shown = style;
    if (view.shown()) shown.system = *view.shown();
    const auto text = position_text(*sky, shown, pixel_step_deg(header.wcs, at.x, at.y));
    const auto names = view.shown() ? axis_names(*view.shown()) : std::array<const char*, 2>{"lon", "lat"};
    out.lon_name = names[0];
    out.lat_name = names[1];
    out.lon = text[0];
    out.lat = text[1];
    out.frame = view.shown() ? name_of(*view.shown()) : header.wcs.frame_name();
  }
  if (!inside) {
    out.value = "off the image";
    return out;
  }
  if (!std::isfinite(value)) {
    out.value = std::isnan(value) ? "blank" : value > 0 ? "+infinite" : "-infinite";
    return out;
  }
  const double sigma = noise ? noise->sigma : 0;
  if (layer != nullptr && !layer->unit) {
    out.value = fmt::format("{:.{}g}", value, digits_within(static_cast<double>(value), sigma, 6));
    return out;
  }
  const Unit& unit = layer != nullptr ? *layer->unit : header.unit;
  const std::optional<Beam>& beam = layer != nullptr ? layer->beam : header.beam;
  out.value = value_text(static_cast<double>(value), unit, 0, sigma);
  if (noise && noise->sigma > 0) {
    out.sigmas =
        fmt::format("{:.2f} sigma{}", (value - noise->middle) / noise->sigma, noise->measured ? "" : " (nearby)");
  }
  const double frequency = header.wcs.frequency_hz();
  const bool told_so = unit.text.starts_with("K") || unit.text.starts_with("mK");
  if (header.unit.kind == Unit::Kind::jy_per_beam && beam && frequency > 0 && !told_so) {
    const double kelvin = value * header.unit.factor * kelvin_per_jy_beam(*beam, frequency);
    const std::string over = header.unit.spectral.empty() ? "" : " " + header.unit.spectral;  // of a moment: K km/s
    if (std::isfinite(kelvin)) out.kelvin = fmt::format("{:.4g} K{}", kelvin, over);
  }
  return out;
}

}  // namespace reber::gui
