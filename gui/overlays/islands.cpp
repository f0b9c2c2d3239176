// SPDX-License-Identifier: BSD-3-Clause
// Edges of the islands, drawn from the layer of their labels over any other layer.
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

class IslandsOverlay final : public Overlay {
 public:
  void paint(const CanvasView& canvas, Context& context, const Brush& brush) override;
  [[nodiscard]] PaintKey paint_key(const CanvasView& canvas, const ViewerState& state) const override;
  [[nodiscard]] bool needs(LayerKind layer) const override { return layer == LayerKind::islands; }
};

/// Null where there are none to draw.
const Pyramid* labels_over(const CanvasView& canvas) {
  const Document& document = canvas.document;
  if (!document.header || canvas.layer == LayerKind::islands) return nullptr;
  return document.layer(LayerKind::islands).pixels.get();
}

}  // namespace

PaintKey IslandsOverlay::paint_key(const CanvasView& canvas, const ViewerState& state) const {
  const Pyramid* labels = labels_over(canvas);
  return labels == nullptr ? PaintKey{} : PaintKey{labels->id(), look_key(ink_of(state.inks, "islands"))};
}

void IslandsOverlay::paint(const CanvasView& canvas, Context& context, const Brush& brush) {
  const Pyramid* labels = labels_over(canvas);
  if (labels == nullptr) return;
  ImageScene outlines = brush.scene;
  outlines.pixels = labels;
  outlines.other = nullptr;
  outlines.blend = Blend::first;
  outlines.outline = true;
  const OverlayInk ink = ink_of(context.state.inks, "islands");
  outlines.outline_width = ink.width * brush.ratio * canvas.scale;
  if (!ink.automatic) outlines.outline_ink = Rgba{ink.colour[0], ink.colour[1], ink.colour[2], 1};
  outlines.pixel_grid = false;
  brush.image.draw(outlines);
  brush.passes.mark("outlines");
}

std::unique_ptr<Overlay> make_islands_overlay() { return std::make_unique<IslandsOverlay>(); }

}  // namespace reber::gui
