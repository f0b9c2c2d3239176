// SPDX-License-Identifier: BSD-3-Clause
// Columns, scalings, limits and radii of marks.
#include "gui/model/mark_look_json.hpp"

#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace reber::gui {
namespace {

constexpr double kLeastRadius = 1, kMostRadius = 60;

Json to_json(const MarkAxis& axis) {
  Json made{{"column", axis.column}, {"scaling", kMarkScalingNames[static_cast<std::size_t>(axis.scaling)]}};
  if (axis.own_limits) made["limits"] = {axis.low, axis.high};
  return made;
}

MarkAxis axis_from(const JsonObject& object) {
  MarkAxis axis;
  object.read("column", axis.column);
  constexpr std::array<std::pair<const char*, MarkScaling>, 3> kWords{
      {{"linear", MarkScaling::linear}, {"log", MarkScaling::log}, {"sqrt", MarkScaling::sqrt}}};
  object.read<MarkScaling>("scaling", axis.scaling, kWords);
  std::vector<double> limits;
  object.read("limits", limits);
  axis.own_limits = limits.size() == 2 && std::isfinite(limits[0]) && std::isfinite(limits[1]);
  if (axis.own_limits) std::tie(axis.low, axis.high) = std::pair(limits[0], limits[1]);
  return axis;
}

}  // namespace

Json to_json(const MarkLook& look) {
  return {{"size", to_json(look.size)},
          {"colour", to_json(look.colour)},
          {"radius", {look.least, look.most}},
          {"colour_map", look.colour_map}};
}

MarkLook mark_look_from(const JsonObject& object) {
  MarkLook look;
  look.size = axis_from(object.child("size"));
  look.colour = axis_from(object.child("colour"));
  std::vector<double> radius;
  object.read("radius", radius);
  if (radius.size() == 2 && radius[0] >= kLeastRadius && radius[1] >= radius[0] && radius[1] <= kMostRadius)
    std::tie(look.least, look.most) = std::pair(radius[0], radius[1]);
  object.read("colour_map", look.colour_map);
  return look;
}

}  // namespace reber::gui
