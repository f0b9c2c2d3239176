// SPDX-License-Identifier: BSD-3-Clause
// Work on whole images behind the panels: limits, statistics, contours and regions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/model/inspect.hpp"
#include "gui/model/regions/region_statistics.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// What the statistics panel shows of one layer.
struct LayerStatistics {
  std::uint64_t pixels = 0;  ///< Pyramid::id()
  PixelSummary summary;
  double std = 0, median = 0, sigma = 0;
  Histogram histogram;        ///< from median - 10 sigma to + 40 sigma, without the outer 0.01 % on either side
  std::int64_t row_step = 1;  ///< above 1: of every so manieth row alone, of an image that stays in its file
};

/// Contours of what is in view.
struct ViewContours {
  std::uint64_t pixels = 0;
  Rect area;
  ContourLevels levels;
  std::vector<Contour> contours;
};

/// Statistics of the document's regions, by index; those without area have none.
struct RegionResults {
  std::int64_t document = -1;
  std::uint64_t version = 0, pixels = 0;
  std::vector<std::optional<RegionStatistics>> regions;
};

/// Takes finished work and applies it; once a frame.
void update_inspector(Context& context);

/// Finds limits by the rule for the layer that is shown; they arrive in a later frame, with the rule's name.
void set_limits_by(Context& context, const LimitsRule& rule);

/// Of the layer that is shown; null while they are being made (the call starts that).
[[nodiscard]] const LayerStatistics* layer_statistics(Context& context);
/// Counts all pixels of the shown layer, which stays in its file: that takes as long as some readings of it.
void count_all_pixels(Context& context);
/// How far the counting is; below 0 where none goes on.
[[nodiscard]] double counting_fraction(const ViewerState& state);
/// The newest contours, which may be of the view before; null before the first. Of the shown image or of another one,
/// by the median and the sigma of the layer's own pixels.
[[nodiscard]] const ViewContours* view_contours(Context& context, const Document& document, LayerKind layer,
                                                const Rect& area);
/// The newest, of the shown layer; null before the first. Check version and document.
[[nodiscard]] const RegionResults* region_results(Context& context);
/// True while limits, statistics, contours or regions are being worked on.
[[nodiscard]] bool inspector_busy(const ViewerState& state);

}  // namespace reber::gui
