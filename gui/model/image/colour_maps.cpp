// SPDX-License-Identifier: BSD-3-Clause
// The colour maps. All but the last three grow steadily in lightness; the first four serve colour-blind eyes.
#include "gui/model/image/colour_maps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "core/show/display/inferno.hpp"
#include "gui/model/image/render_settings.hpp"

namespace reber::gui {
namespace {

ColourMap from_opencv(const char* name, int number) {
  cv::Mat steps(1, 256, CV_8UC1), colours;
  for (int i = 0; i < 256; ++i) steps.at<unsigned char>(0, i) = static_cast<unsigned char>(i);
  cv::applyColorMap(steps, colours, number);
  ColourMap map{name, {}};
  for (int i = 0; i < 256; ++i) {
    const auto bgr = colours.at<cv::Vec3b>(0, i);
    map.entries[static_cast<std::size_t>(i)] = {bgr[2], bgr[1], bgr[0]};
  }
  return map;
}

ColourMap inferno() {
  ColourMap map{"inferno", {}};
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t c = 0; c < 3; ++c) map.entries[i][c] = static_cast<unsigned char>(kInferno[i] >> (16 - 8 * c));
  return map;
}

unsigned char byte(double v) { return static_cast<unsigned char>(std::lround(255 * std::clamp(v, 0.0, 1.0))); }

ColourMap grey() {
  ColourMap map{"grey", {}};
  for (std::size_t i = 0; i < 256; ++i) map.entries[i].fill(static_cast<unsigned char>(i));
  return map;
}

/// D. A. Green 2011, Bull. Astr. Soc. India 39, 289: start 0.5, -1.5 rotations, hue 1, gamma 1.
ColourMap cubehelix() {
  ColourMap map{"cubehelix", {}};
  for (std::size_t i = 0; i < 256; ++i) {
    const double t = static_cast<double>(i) / 255;
    const double angle = 2 * std::numbers::pi * (0.5 / 3 + 1 - 1.5 * t), amplitude = 0.5 * t * (1 - t);
    const double c = std::cos(angle), s = std::sin(angle);
    map.entries[i] = {byte(t + amplitude * (-0.14861 * c + 1.78277 * s)),
                      byte(t + amplitude * (-0.29227 * c - 0.90649 * s)), byte(t + amplitude * (1.97294 * c))};
  }
  return map;
}

/// Blue to white to red, for differences.
ColourMap diverging() {
  ColourMap map{"diverging", {}};
  for (std::size_t i = 0; i < 256; ++i) {
    const double t = static_cast<double>(i) / 127.5 - 1, a = std::abs(t);
    const double pale = 1 - 0.85 * a;
    map.entries[i] = t < 0 ? std::array<unsigned char, 3>{byte(pale), byte(1 - 0.55 * a), byte(1 - 0.25 * a)}
                           : std::array<unsigned char, 3>{byte(1 - 0.25 * a), byte(1 - 0.75 * a), byte(pale)};
  }
  return map;
}

}  // namespace

const std::vector<ColourMap>& colour_maps() {
  static const std::vector<ColourMap> maps{
      inferno(),   from_opencv("viridis", cv::COLORMAP_VIRIDIS), from_opencv("cividis", cv::COLORMAP_CIVIDIS),
      grey(),      from_opencv("magma", cv::COLORMAP_MAGMA),     from_opencv("plasma", cv::COLORMAP_PLASMA),
      cubehelix(), from_opencv("hot", cv::COLORMAP_HOT),         from_opencv("turbo", cv::COLORMAP_TURBO),
      diverging()};
  return maps;
}

int colour_map_index(const std::string& name) {
  const auto found = std::ranges::find(colour_maps(), name, &ColourMap::name);
  return found == colour_maps().end() ? 0 : static_cast<int>(found - colour_maps().begin());
}

bool bright_at_noise_edge(const RenderSettings& settings) {
  const auto& entries = colour_maps()[static_cast<std::size_t>(colour_map_index(settings.colour_map))].entries;
  // Some sigma under the usual limits and stretch.
  constexpr std::size_t kFirst = 150, kLast = 200;
  double sum = 0;
  for (std::size_t i = kFirst; i < kLast; ++i) {
    const auto& c = entries[settings.invert ? entries.size() - 1 - i : i];
    sum += 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2];
  }
  return sum / (kLast - kFirst) > 155;
}

}  // namespace reber::gui
