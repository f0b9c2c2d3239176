// SPDX-License-Identifier: BSD-3-Clause
// Panel: the pixels around the cursor, larger.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

class MagnifierPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void MagnifierPanel::draw(Context& context) {
  constexpr double kTimes = 4, kLeast = 6;  // times the canvas, and screen units a pixel at least
  const Document& document = *context.state.document();
  const Cursor& cursor = context.state.cursor;
  const float width = ImGui::GetContentRegionAvail().x,
              height = std::floor(std::min(0.62f * width, 0.3f * ImGui::GetWindowHeight()));
  ViewTransform view = document.view;
  const bool nowhere = !cursor.on_image && cursor.at.x == 0 && cursor.at.y == 0;  // the pointer was not there yet
  if (cursor.crosshair)
    view.centre = *cursor.crosshair;
  else if (!nowhere)
    view.centre = cursor.at;
  view.zoom = std::clamp(kTimes * view.zoom, kLeast, kMostZoom);
  const std::uintptr_t texture =
      context.shell.small_picture(document, view, static_cast<int>(width), static_cast<int>(height));
  if (texture == 0) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Image(reinterpret_cast<ImTextureID>(texture), {width, height}, {0, 1}, {1, 0});
  context.widgets.item("magnifier");
  const auto pixel = static_cast<float>(0.5 * view.zoom);
  const ImVec2 middle{at.x + 0.5f * width, at.y + 0.5f * height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(at, {at.x + width, at.y + height}, true);
  list.AddRect({middle.x - pixel - 1, middle.y - pixel - 1}, {middle.x + pixel + 1, middle.y + pixel + 1},
               palette().halo, 0, 0, 3);
  list.AddRect({middle.x - pixel, middle.y - pixel}, {middle.x + pixel, middle.y + pixel}, palette().source_selected);
  list.PopClipRect();
}

std::unique_ptr<Panel> make_magnifier_panel() { return std::make_unique<MagnifierPanel>(); }

}  // namespace reber::gui
