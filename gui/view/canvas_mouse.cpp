// SPDX-License-Identifier: BSD-3-Clause
// The mouse on the image.
#include "gui/view/canvas_mouse.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "core/run/request/parameter_rules.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/edit.hpp"

namespace reber::gui {
namespace {

constexpr float kClickReach = 3;

CanvasInput read_mouse(const CanvasView& canvas) {
  const ImGuiIO& io = ImGui::GetIO();
  CanvasInput mouse;
  mouse.hovered = ImGui::IsItemHovered();
  mouse.at = {io.MousePos.x, io.MousePos.y};
  mouse.image_at = canvas.transform.to_image(mouse.at);
  const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  mouse.pressed = mouse.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  mouse.down = active && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  mouse.released = active && ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  mouse.clicked = mouse.released && io.MouseDragMaxDistanceSqr[0] <= kClickReach * kClickReach;
  mouse.double_clicked = mouse.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  mouse.shift = io.KeyShift;
  mouse.control = io.KeyCtrl;
  return mouse;
}

void wheel(Context& context, CanvasView& canvas, const CanvasInput& mouse) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 || !mouse.hovered) return;
  Document& document = canvas.document;
  const double steps = context.state.invert_wheel ? -io.MouseWheel : io.MouseWheel;
  if (io.KeyCtrl && document.request.detect) {
    // The threshold follows the wheel, in tenths of sigma, within its row's range; the flood level stays below it.
    const double seed = std::round(10 * (document.request.detect->seed + 0.1 * steps)) / 10;
    if (!edit(document.request, "detect.seed", seed)) request_changed(context, document);
    return;
  }
  const ScreenRect& area = canvas.transform.canvas();
  const ScreenPoint fixed =
      context.state.ds9_mouse ? ScreenPoint{area.x + 0.5 * area.width, area.y + 0.5 * area.height} : mouse.at;
  document.view = zoom_at(document.view, area, fixed, std::pow(io.KeyShift ? 1.02 : 1.2, steps));
}

/// DS9's gesture: bias along x, contrast along y.
void right_button(ViewerState& state, CanvasView& canvas, const CanvasInput& mouse) {
  RenderSettings& render = canvas.primary && (state.combining() || state.compare.kind == Compare::Kind::rgb)
                               ? state.render()
                               : canvas.document.layer(canvas.layer).render;
  const ImGuiIO& io = ImGui::GetIO();
  const float far = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right];
  // The first click has opened the menu, which then lies under the second.
  if (canvas.transform.canvas().contains(mouse.at) && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Right)) {
    ImGui::ClosePopupToLevel(0, true);
    render.bias = 0.5;
    render.contrast = 1;
    return;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Right) && far > kClickReach * kClickReach) {
    const ScreenRect& area = canvas.transform.canvas();
    render.bias = std::clamp((mouse.at.x - area.x) / area.width, 0.0, 1.0);
    render.contrast = std::clamp(4 * (mouse.at.y - area.y) / area.height, 0.0, 10.0);
  }
  if (canvas.primary && ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      far <= kClickReach * kClickReach)
    ImGui::OpenPopup("##canvas menu");
}

void follow_cursor(ViewerState& state, const CanvasView& canvas, const CanvasInput& mouse) {
  if (state.cursor.frozen) return;
  const Shape shape = canvas.document.header->shape;
  const PixelPosition at = mouse.image_at;
  const bool inside = at.x >= -0.5 && at.y >= -0.5 && at.x < static_cast<double>(shape.nx) - 0.5 &&
                      at.y < static_cast<double>(shape.ny) - 0.5;
  state.cursor.on_image = mouse.hovered && inside;
  if (state.cursor.on_image) state.cursor.at = at;
}

/// The pointer is on a canvas beside the primary one.
bool on_twin(Context& context, ScreenPoint at) {
  for (int number = 2;; ++number) {
    const ScreenRect* twin = context.widgets.find(fmt::format("canvas{}", number));
    if (twin == nullptr) return false;
    if (twin->contains(at)) return true;
  }
}

/// Over another tile of a comparison: the place is told in the pixels of the shown image.
void follow_twin(ViewerState& state, const CanvasView& canvas, const CanvasInput& mouse) {
  const Document* shown = state.document();
  if (state.cursor.frozen || !mouse.hovered || shown == nullptr || !shown->header) return;
  const auto at = matching_place(state, canvas.document, *shown, mouse.image_at);
  const Shape shape = shown->header->shape;
  state.cursor.on_image = at && at->x >= -0.5 && at->y >= -0.5 && at->x < static_cast<double>(shape.nx) - 0.5 &&
                          at->y < static_cast<double>(shape.ny) - 0.5;
  if (state.cursor.on_image) state.cursor.at = *at;
}

/// The image of a tile becomes the shown one.
void show(ViewerState& state, const Document& document) {
  const auto found = std::ranges::find(state.documents, &document, [](const auto& each) { return each.get(); });
  if (found != state.documents.end()) state.active = found - state.documents.begin();
}

void centre_here(CanvasView& canvas, const CanvasInput& mouse) { canvas.document.view.centre = mouse.image_at; }

void pan(CanvasView& canvas) {
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  canvas.document.view = pan_by(canvas.document.view, canvas.transform.canvas(), moved.x, moved.y);
}

}  // namespace

void canvas_mouse(Context& context, CanvasView& canvas) {
  ViewerState& state = context.state;
  const CanvasInput mouse = read_mouse(canvas);
  if (!canvas.primary)
    follow_twin(state, canvas, mouse);
  else if (mouse.hovered || !on_twin(context, mouse.at))  // else another tile tells the place
    follow_cursor(state, canvas, mouse);
  wheel(context, canvas, mouse);
  right_button(context.state, canvas, mouse);
  const float middle_far = ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Middle];
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Middle) && middle_far > kClickReach * kClickReach)
    pan(canvas);
  if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Middle) &&
      middle_far <= kClickReach * kClickReach)
    centre_here(canvas, mouse);
  if (canvas.primary && (mouse.hovered || mouse.down || mouse.released)) {
    for (const auto& [row, overlay] : context.overlays.all())
      if (is_on(state, row) && overlay->input(mouse, canvas, context)) return;
  }
  if (mouse.clicked && mouse.control) {
    centre_here(canvas, mouse);
  } else if (mouse.clicked && !canvas.primary && state.compare.kind == Compare::Kind::tiles) {
    show(state, canvas.document);
  } else if (mouse.clicked && canvas.primary) {
    state.cursor.crosshair = mouse.image_at;
  }
  if (mouse.down && !state.ds9_mouse) pan(canvas);
  if (mouse.down && state.ds9_mouse && canvas.primary) state.cursor.crosshair = mouse.image_at;
}

}  // namespace reber::gui
