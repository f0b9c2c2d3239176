// SPDX-License-Identifier: BSD-3-Clause
// The colour maps, by name.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gui/model/image/render_settings.hpp"

namespace reber::gui {

/// Red, green and blue of 256 steps, the lowest value first. In the order of the menu; the first is the default.
struct ColourMap {
  std::string name;
  std::array<std::array<unsigned char, 3>, 256> entries;
};
[[nodiscard]] const std::vector<ColourMap>& colour_maps();
/// Index of that name; 0 where there is none.
[[nodiscard]] int colour_map_index(const std::string& name);
/// Whether pixels that stand a few sigma out of the noise are bright, so that lines over them are better dark.
[[nodiscard]] bool bright_at_noise_edge(const RenderSettings& settings);

}  // namespace reber::gui
