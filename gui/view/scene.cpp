// SPDX-License-Identifier: BSD-3-Clause
// Scenes of documents, alone and less another.
#include "gui/view/scene.hpp"

#include <cmath>

#include "gui/model/first_limits.hpp"
#include "gui/ui/compare_view.hpp"

namespace reber::gui {

ImageScene scene_of(const ViewerState& state, const Document& document, LayerKind kind,
                    const CanvasTransform& transform, double ratio) {
  const Layer& layer = document.layer(kind);
  ImageScene scene;
  scene.pixels = layer.pixels.get();
  scene.settings = layer.render;
  if (layer.render.stretch == Stretch::histogram)
    scene.cumulative = cumulative_of(layer.sample, layer.render.low, layer.render.high);
  scene.pixel_grid = state.pixel_grid;
  ViewTransform view = transform.view();
  view.zoom *= ratio;
  scene.transform = CanvasTransform(
      view, {0, 0, std::round(ratio * transform.canvas().width), std::round(ratio * transform.canvas().height)});
  return scene;
}

void compare_with_other(Context& context, ImageScene& scene, const Document& document) {
  const Compare& compare = context.state.compare;
  if (compare.kind != Compare::Kind::difference && compare.kind != Compare::Kind::ratio) return;
  const Document* other = compare.other_document < 0 ? &document : context.state.find(compare.other_document);
  if (other == nullptr) return;
  scene.other = pixels_on_grid(context, document, *other);
  if (scene.other == nullptr || !(scene.other->shape() == scene.pixels->shape())) {
    scene.other = nullptr;
    return;
  }
  scene.blend = compare.kind == Compare::Kind::ratio ? Blend::ratio : Blend::difference;
}

}  // namespace reber::gui
