// SPDX-License-Identifier: BSD-3-Clause
// Outlines of many sources in one draw call.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/render/gl.hpp"

namespace reber::gui {

/// One ellipse on the target, pixels, y down. angle: of the major axis, radians, clockwise from +x as seen.
struct ScreenEllipse {
  float x = 0, y = 0, major = 0, minor = 0, angle = 0;  ///< semi-axes
  std::uint32_t colour = 0;                             ///< ABGR, as ImGui packs it
};

class EllipseRenderer {
 public:
  EllipseRenderer();
  /// Draws into the bound target: a line of that width with a dark halo, so that it is seen on any colour.
  void draw(const std::vector<ScreenEllipse>& ellipses, int width, int height, double line);

 private:
  GlProgram program_;
  GlVertexArray vertices_;
  GlBuffer instances_;
};

}  // namespace reber::gui
