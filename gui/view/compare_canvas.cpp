// SPDX-License-Identifier: BSD-3-Clause
// Two pictures on the canvas: blinking, beside each other, split by a line, or one less the other.
#include <imgui.h>

#include <cmath>

#include "gui/app/app.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

/// Difference and ratio need the other layer's pixels on the same grid.
void App::compare_with_other(ImageScene& scene, const Document& document) {
  const Compare::Kind kind = state_.compare.kind;
  if (kind != Compare::Kind::difference && kind != Compare::Kind::ratio) return;
  const Document* other = state_.compare.other_document < 0 ? &document : state_.find(state_.compare.other_document);
  if (other == nullptr) return;
  Context all = context();
  scene.other = pixels_on_grid(all, document, *other);
  if (scene.other == nullptr || !(scene.other->shape() == scene.pixels->shape())) {
    scene.other = nullptr;
    return;
  }
  scene.blend = kind == Compare::Kind::ratio ? Blend::ratio : Blend::difference;
}

void App::draw_document(Document& document) {
  Compare& compare = state_.compare;
  Document* other = compare.other_document < 0 ? &document : state_.find(compare.other_document);
  if (other != nullptr && compare.kind != Compare::Kind::off) choose_possible_layer(compare, *other);
  if (other == nullptr || compare.kind == Compare::Kind::off || compare.kind == Compare::Kind::difference ||
      compare.kind == Compare::Kind::ratio) {
    draw_canvas(canvas_, document, document.shown, true);
    return;
  }
  if (compare.kind == Compare::Kind::blink) {
    compare.other_shown = static_cast<std::int64_t>(state_.now / compare.blink_seconds) % 2 == 1;
    const ViewTransform locked = matching_view(state_, document, *other);
    if (compare.other_shown && other != &document) other->view = locked;
    draw_canvas(canvas_, compare.other_shown ? *other : document,
                compare.other_shown ? compare.other_layer : document.shown, true);
    // Moved while the other one was shown: the first follows.
    if (compare.other_shown && other != &document && !(other->view == locked))
      document.view = matching_view(state_, *other, document);
    return;
  }
  // Side by side the halves have a centre each; split shows two parts of one picture.
  ScreenRect left = canvas_, right = canvas_;
  if (compare.kind == Compare::Kind::side_by_side) {
    left.width = std::floor(0.5 * canvas_.width) - 1;
    right.x = left.x + left.width + 2;
    right.width = canvas_.width - left.width - 2;
    draw_canvas(left, document, document.shown, true);
    if (other != &document) other->view = matching_view(state_, document, *other);
    const ViewTransform locked = other->view;
    draw_canvas(right, *other, compare.other_layer, false);
    // Moved in the right half: the left one follows.
    if (other != &document && !(other->view == locked)) document.view = matching_view(state_, *other, document);
    canvas_ = left;
    return;
  }
  draw_canvas(canvas_, document, document.shown, true);
  draw_split(*other);
}

/// The other picture over the right part of the first, pixel on pixel.
void App::draw_split(Document& other) {
  Document& document = *state_.document();
  if (&other != &document) other.view = matching_view(state_, document, other);
  const CanvasView canvas{other, state_.compare.other_layer, CanvasTransform(other.view, canvas_), false,
                          window_->scale()};
  if (!draw_picture(pictures_[1], canvas)) return;
  pictures_complete_ = pictures_complete_ && pictures_[1].complete;
  const auto part = static_cast<float>(state_.compare.split);
  const auto x = static_cast<float>(canvas_.x), y = static_cast<float>(canvas_.y);
  const auto width = static_cast<float>(canvas_.width), height = static_cast<float>(canvas_.height);
  ImGui::Begin("##canvas");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(pictures_[1].target.texture())),
                {x + part * width, y}, {x + width, y + height}, {part, 1}, {1, 0});
  list.PushClipRect({x + part * width, y}, {x + width, y + height}, true);
  Context all = context();
  for (const Overlay& overlay : overlays())
    if (overlay.draw != nullptr && is_on(state_, overlay)) overlay.draw(canvas, all, list);
  list.PopClipRect();
  list.AddLine({x + part * width, y}, {x + part * width, y + height}, palette().halo, 4);
  list.AddLine({x + part * width, y}, {x + part * width, y + height}, palette().source_selected, 1.5f);
  ImGui::End();
}

}  // namespace reber::gui
