// SPDX-License-Identifier: BSD-3-Clause
// State of readouts, overlays, limits and regions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/show/display/display_scale.hpp"
#include "core/sky/model/coordinates.hpp"
#include "core/sky/regions/regions.hpp"
#include "gui/model/image/contours.hpp"

namespace reber::gui {

struct InspectorJobs;

/// Of the whole viewer.
struct Inspect {
  CoordinateStyle style;
  ContourLevels contours;         ///< middle and sigma are those of the layer, filled in when drawn
  std::int64_t contours_of = -1;  ///< the image that is traced, by the layer that it shows; -1: the shown image
  double grid_spacing = 160;
  Region::Kind tool = Region::Kind::ellipse;  ///< what dragging makes in region mode
  /// Work behind the panels, made at its first use.
  std::shared_ptr<InspectorJobs> jobs;
};

/// Of one document.
struct DocumentInspect {
  /// Takes the chosen region away, where one is chosen.
  void delete_selected();
  /// The chosen region where it has an area; null else.
  [[nodiscard]] const Region* chosen_area() const;

  std::vector<Region> regions;
  int selected = -1;                                            ///< index in regions
  std::uint64_t version = 0;                                    ///< counts up with every change of the regions
  std::uint64_t excluded_seen = 0;                              ///< version that the request was last made to follow
  std::string excluded;                                         ///< the search region that was made of them then
  std::optional<std::pair<PixelPosition, PixelPosition>> line;  ///< of the line profile
};

/// The rules offered, in the order of the menu and of the key that steps through them.
[[nodiscard]] const std::vector<LimitsRule>& limits_rules();
/// The rule of that name; empty for "manual" and unknown ones.
[[nodiscard]] std::optional<LimitsRule> limits_rule(const std::string& name);

}  // namespace reber::gui
