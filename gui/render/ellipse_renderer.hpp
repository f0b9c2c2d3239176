// SPDX-License-Identifier: BSD-3-Clause
// Outlines of many sources in one draw call. They are handed to the card once: a view that moves changes a few
// uniforms.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gui/model/sky/view_transform.hpp"
#include "gui/model/tables/source_shapes.hpp"
#include "gui/render/gl.hpp"

namespace reber::gui {

/// What an ellipse is drawn as in place of itself.
struct EllipseMark {
  float radius = 0;          ///< of a circle, EllipseLook::mark_scale pixels of the target; 0: the ellipse
  std::uint32_t colour = 0;  ///< ABGR; 0: that of its kind. The opacity is the kind's
};

/// The ellipses of one image on the card.
class EllipseSet {
 public:
  EllipseSet();
  void set_shapes(const std::vector<SourceShape>& shapes);
  /// kinds: of each shape, an entry of EllipseLook::colours, or kHidden.
  void set_kinds(const std::vector<std::uint8_t>& kinds);

  /// marks: of each shape; empty: all are drawn as ellipses in the colours of their kinds. Those that are selected
  /// (kind 2) keep their colour.
  void set_marks(const std::vector<EllipseMark>& marks);

  static constexpr std::uint8_t kHidden = 3;

 private:
  friend class EllipseRenderer;
  GlVertexArray vertices_;
  GlBuffer shapes_, kinds_, marks_;
  GlTexture shape_texels_, kind_texels_, mark_texels_;  ///< the buffers, as shaders read them
  std::size_t count_ = 0, kind_count_ = 0, mark_count_ = 0;
};

struct EllipseLook {
  std::array<std::uint32_t, 3> colours{};  ///< ABGR, as ImGui packs them
  double least = 0;  ///< semi-axis in pixels of the target: smaller ones are drawn as large as that
  double line = 1;   ///< width, pixels of the target
  double halo = 1;   ///< width of the dark line on each side of it
  double mark_scale = 1;
};

class EllipseRenderer {
 public:
  EllipseRenderer();
  /// Draws into the bound target, which the transform's canvas covers: a line with a dark halo, so that it is seen on
  /// any colour.
  void draw(const EllipseSet& set, const CanvasTransform& transform, const EllipseLook& look);

 private:
  GlProgram program_;
  std::size_t most_ = 0;  ///< ellipses of a set that are drawn
};

}  // namespace reber::gui
