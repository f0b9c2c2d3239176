// SPDX-License-Identifier: BSD-3-Clause
// The plot of a spectrum: its axis, its error, the shown plane and the chosen range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/cube/cube_view.hpp"
#include "gui/model/cube/spectrum.hpp"
#include "gui/ui/linked_plot.hpp"

namespace reber::gui {

/// What stands along the x axis.
enum class SpectralScale { velocity, frequency, channel };

/// Coordinates of a spectrum's channels, and what they are called.
struct SpectralTicks {
  std::string label;       ///< "velocity (km/s), LSRK"
  std::string unit;        ///< "km/s", "GHz"; empty of channels, which count from 1
  std::vector<double> at;  ///< by channel
  /// Left and right end of a channel.
  [[nodiscard]] std::pair<double, double> ends(std::size_t i) const;
  /// -1 without channels.
  [[nodiscard]] std::int64_t nearest(double value) const;
};
/// Channels where the cube has no such coordinate.
[[nodiscard]] SpectralTicks spectral_ticks(const SpectrumCube& cube, SpectralScale scale);

/// What the mouse did in the plot.
struct SpectrumTouch {
  std::optional<std::int64_t> channel;                         ///< that was clicked
  std::optional<std::pair<std::int64_t, std::int64_t>> range;  ///< that was drawn, both included
  std::optional<std::int64_t> hovered;                         ///< below the pointer
};

/// Draws the whole plot.   shown: the channel of the plane on the screen
SpectrumTouch draw_spectrum_plot(Widgets& widgets, PlotView& view, const Spectrum& spectrum, const SpectralTicks& ticks,
                                 std::int64_t shown, const CubeView& chosen, ImVec2 size);

}  // namespace reber::gui
