// SPDX-License-Identifier: BSD-3-Clause
// Several plots side by side on one picture: points with error bars, lines, reference lines.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/show/picture/canvas.hpp"

namespace reber {

struct PanelSeries {
  std::string name;               ///< empty: not in the legend
  std::vector<double> x, y;       ///< NaN leaves a gap
  std::vector<double> low, high;  ///< ends of the error bars; empty for none
  bool line = false;              ///< joined by a line
  bool points = true;
  bool strong = true;  ///< false: small and light, for clouds of points
  bool dashed = false;
  std::optional<std::size_t> colour =
      std::nullopt;  ///< number of the colour; that of its place among the series where empty
};

struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<PanelSeries> series;
  std::vector<double> x_ticks;           ///< chosen where empty
  std::vector<double> x_lines, y_lines;  ///< dashed reference lines at these values
  bool diagonal = false;                 ///< reference line y = x
  std::optional<double> circle;  ///< reference circle of this radius about (0, 0); both axes then have one scale
  std::optional<std::pair<double, double>> x_range, y_range;  ///< chosen from the values where empty
};

/// Panels in rows of `columns`; each 560 x 460 pixels.
///   path: whose ending is that of a picture   throws as make_canvas()
[[nodiscard]] std::unique_ptr<Canvas> draw_panels(const std::string& path, const std::string& title,
                                                  const std::vector<Panel>& panels, int columns);
/// The same as a file.   throws as write_catalogue
void write_panels(const std::string& path, const std::string& title, const std::vector<Panel>& panels, int columns,
                  bool overwrite);

}  // namespace reber
