// SPDX-License-Identifier: BSD-3-Clause
// Lines and text that can be read on any picture: a dark halo under a bright stroke.
#pragma once

#include <imgui.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gui/model/sky/view_transform.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

[[nodiscard]] inline ImVec2 vec(const ScreenPoint& p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }

/// Bright letters on emission as bright are read by a dark edge that lets nothing through.
inline constexpr unsigned kDarkEdge = IM_COL32(0, 0, 0, 230);

inline void halo_text(ImDrawList& list, ImVec2 at, unsigned colour, const std::string& text) {
  for (const auto& [dx, dy] :
       {std::pair(-1.f, 0.f), {1.f, 0.f}, {0.f, -1.f}, {0.f, 1.f}, {-1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}, {1.f, -1.f}})
    list.AddText({at.x + dx, at.y + dy}, kDarkEdge, text.c_str());
  list.AddText(at, colour, text.c_str());
}

/// An open or closed line; long ones are cut in pieces, since a primitive must stay below 65 536 vertices.
inline void halo_line(ImDrawList& list, const std::vector<ImVec2>& points, unsigned colour, float width, bool closed,
                      bool halo = true) {
  constexpr std::size_t kPiece = 4000;
  std::vector<ImVec2> path = points;
  if (closed && !path.empty()) path.push_back(path.front());
  for (const bool under : {true, false}) {
    if (under && !halo) continue;
    for (std::size_t first = 0; first + 1 < path.size(); first += kPiece - 1) {
      const auto count = static_cast<int>(std::min(kPiece, path.size() - first));
      list.AddPolyline(path.data() + first, count, under ? palette().halo : colour, ImDrawFlags_None,
                       under ? width + 2 : width);
    }
  }
}

/// Every second stretch of `dash` units of the line.
inline void dashed_line(ImDrawList& list, const std::vector<ImVec2>& points, unsigned colour, float width, float dash) {
  float along = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    ImVec2 from = points[i];
    const ImVec2 to = points[i + 1];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    for (float done = 0; done < length;) {
      const float part = std::min(length - done, dash - std::fmod(along, dash));
      const float t = (done + part) / length;
      const ImVec2 next{points[i].x + t * (to.x - points[i].x), points[i].y + t * (to.y - points[i].y)};
      if (static_cast<int>(along / dash) % 2 == 0) list.AddLine(from, next, colour, width);
      from = next;
      done += std::max(part, 1e-3f);
      along += std::max(part, 1e-3f);
    }
  }
}

}  // namespace reber::gui
