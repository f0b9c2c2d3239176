// SPDX-License-Identifier: BSD-3-Clause
// Names of the images held against each other (large where they blink), the cursor's twin, and the line of the split.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "gui/model/first_limits.hpp"
#include "gui/model/image/readout.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

using Kind = Compare::Kind;

/// Returns what it covers.
ScreenRect label(ImDrawList& list, ImFont* font, float size, ImVec2 at, const std::string& text,
                 unsigned colour = 0xffffffffu) {
  const ImVec2 extent = font->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
  const float pad = 0.35f * size;
  list.AddRectFilled({at.x - pad, at.y - 0.6f * pad}, {at.x + extent.x + pad, at.y + extent.y + 0.6f * pad},
                     0xb0000000u, pad);
  list.AddText(font, size, at, colour, text.c_str());
  return {at.x - pad, at.y - 0.6f * pad, extent.x + 2 * pad, extent.y + 1.2f * pad};
}

/// Where the cursor would be on the half that it is not on.
void draw_twin_cursor(const CanvasView& canvas, Context& context, const Document& shown, ImDrawList& list) {
  if (!context.state.cursor.on_image || canvas.framed) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (canvas.transform.canvas().contains({mouse.x, mouse.y})) return;
  const auto at = matching_place(context.state, shown, canvas.document, context.state.cursor.at);
  if (!at) return;
  const ScreenPoint on_screen = canvas.transform.to_screen(*at);
  const ImVec2 middle{static_cast<float>(on_screen.x), static_cast<float>(on_screen.y)};
  const auto radius = static_cast<float>(7 * canvas.scale);
  list.AddCircle(middle, radius, palette().halo, 0, 3.5f * static_cast<float>(canvas.scale));
  list.AddCircle(middle, radius, palette().source_selected, 0, 1.5f * static_cast<float>(canvas.scale));
}

std::string name_of(const Document& document, LayerKind layer) {
  return fmt::format("{}: {}", document.title(), kLayerNames[static_cast<std::size_t>(layer)]);
}

/// As much of a name as `width` has room for, in the bold face.
std::string shown_name(const std::string& name, double width) {
  ImGui::PushFont(bold_font());
  std::string shown = elided(name, static_cast<float>(width) - 2.5f * ImGui::GetFontSize());
  ImGui::PopFont();
  return shown;
}

/// What the image of a tile has under the pointer, wherever that is.
std::string value_under(const CanvasView& canvas, Context& context, const Document& shown) {
  if (&shown != &canvas.document && context.state.compare.kind == Kind::tiles && context.state.compare.sky_lock &&
      !share_sky(context.state, shown, canvas.document))
    return "another part of the sky";
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<PixelPosition> at;
  if (canvas.transform.canvas().contains({mouse.x, mouse.y}))
    at = canvas.transform.to_image({mouse.x, mouse.y});
  else if (context.state.cursor.on_image)
    at = matching_place(context.state, shown, canvas.document, context.state.cursor.at);
  const auto& pixels = canvas.document.layer(canvas.layer).pixels;
  if (!at || !pixels || canvas.framed) return "";
  const std::int64_t x = std::llround(at->x), y = std::llround(at->y);
  if (x < 0 || y < 0 || x >= pixels->shape().nx || y >= pixels->shape().ny) return "off the image";
  const double value = static_cast<double>(pixels->value(y, x));
  return std::isfinite(value) ? value_text(value, shown_unit(canvas.document, canvas.layer)) : "blank";
}

/// What the colour bar leaves of the upper edge.
double room_beside_bar(const CanvasView& canvas, Context& context) {
  const ScreenRect& area = canvas.transform.canvas();
  const ScreenRect* bar = canvas.framed ? nullptr : context.widgets.find(colour_bar_name(canvas));
  const bool beside = bar != nullptr && bar->x > area.x + 0.4 * area.width && bar->x < area.x + area.width;
  return beside ? bar->x - area.x : area.width;
}

/// The name, as much of it as the tile has room for, and below it the value under the pointer. The shown image's tile
/// has an edge.
void draw_tile_name(const CanvasView& canvas, Context& context, const Document& shown, ImDrawList& list) {
  const ScreenRect& area = canvas.transform.canvas();
  const ImVec2 low{static_cast<float>(area.x), static_cast<float>(area.y)};
  const float size = ImGui::GetFontSize();
  const std::string name = shown_name(name_of(canvas.document, canvas.layer), room_beside_bar(canvas, context));
  const ScreenRect box = label(list, bold_font(), size, {low.x + size, low.y + 0.8f * size}, name);
  if (canvas.primary) context.widgets.area("compare.name", box);
  if (const std::string value = value_under(canvas, context, shown); !value.empty()) {
    ImGui::PushFont(mono_font());
    const auto room = static_cast<float>(room_beside_bar(canvas, context));
    const std::string fitting = elided(value, room - 2.5f * size);
    ImGui::PopFont();
    label(list, mono_font(), size, {low.x + size, low.y + 2.4f * size}, fitting);
  }
  if (canvas.primary && context.state.compare.kind == Kind::tiles && !canvas.framed)
    list.AddRect({low.x + 1, low.y + 1},
                 {low.x + static_cast<float>(area.width) - 1, low.y + static_cast<float>(area.height) - 1},
                 palette().accent, 0, 0, 2);
}

/// Which image has which colour, with its limits.
void draw_channel_names(const CanvasView& canvas, Context& context, ImDrawList& list) {
  constexpr std::array<unsigned, 3> kColours{IM_COL32(255, 90, 90, 255), IM_COL32(90, 230, 90, 255),
                                             IM_COL32(120, 150, 255, 255)};
  const ScreenRect& area = canvas.transform.canvas();
  const float size = ImGui::GetFontSize(), x = static_cast<float>(area.x) + size;
  float y = static_cast<float>(area.y) + 0.8f * size;
  bool missing = false;
  for (std::size_t i = 0; i < kChannelNames.size(); ++i) {
    const Document* of = context.state.find(context.state.compare.rgb.at(i));
    if (of == nullptr) continue;
    const RenderSettings& r = of->layer().render;
    const double low = channel_low(r, of->layer().noise);
    const bool apart = of != &canvas.document && context.state.compare.sky_lock && canvas.document.header &&
                       of->header && !share_sky(context.state, canvas.document, *of);
    const auto [unit, factor] = shown_unit(*of, of->shown).readable(std::max(std::abs(r.low), std::abs(r.high)));
    const std::string text =
        apart ? name_of(*of, of->shown) + "  another part of the sky"
              : fmt::format("{}  {:.3g} ... {:.3g} {}", name_of(*of, of->shown), low * factor, r.high * factor, unit);
    label(list, bold_font(), size, {x, y}, shown_name(text, area.width), kColours.at(i));
    y += 1.6f * size;
    missing =
        missing || (of != &canvas.document && pixels_on_grid(context, canvas.document, *of, of->shown, i) == nullptr);
  }
  if (missing)
    label(list, bold_font(), size, {x, y},
          laying_on_grid(context.state) ? "laying images on one grid ..." : "not every image can be laid on this grid");
}

/// Why the other image is not there yet, or not at all; below the names.
void say_of_laying(Context& context, ImDrawList& list, ImVec2 at) {
  double part = 0;
  const bool laying = laying_on_grid(context.state, &part);
  const RegridWork& work = context.state.workbench->regrids.front();
  const std::string why = work.job ? work.job->error() : "";
  const std::string text =
      laying         ? fmt::format("laying one image on the other's grid: {:.0f} %", 100 * part)
      : work.stopped ? std::string("laying one image on the other's grid was stopped")
      : !why.empty() ? why
                     : std::string("these two images cannot be laid over each other: only the first is shown");
  context.widgets.area("compare.laying", label(list, bold_font(), ImGui::GetFontSize(), at, text));
}

class CompareOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
  bool input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) override;
};

}  // namespace

void CompareOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Compare& compare = context.state.compare;
  const Document* shown = context.state.document();
  if (compare.kind == Kind::off || shown == nullptr) return;
  const ScreenRect& area = canvas.transform.canvas();
  const auto x = static_cast<float>(area.x), y = static_cast<float>(area.y);
  const float size = ImGui::GetFontSize();
  const ImVec2 corner{x + size, y + 0.8f * size};
  if (compare.kind == Kind::blink) {
    const std::string name = name_of(canvas.document, canvas.layer);
    const std::string fitting = shown_name(name, room_beside_bar(canvas, context) / 1.9);
    context.widgets.area("compare.name", label(list, bold_font(), 1.9f * size, corner, fitting));
    const Document* with = context.state.find(compare.other_document);
    if (with != nullptr && needs_laying(context.state, *shown, *with) &&
        pixels_on_grid(context, *shown, *with, compare.other_layer) == nullptr)
      say_of_laying(context, list, {corner.x, corner.y + 3 * size});
    return;
  }
  if (compare.kind == Kind::side_by_side || compare.kind == Kind::tiles) {
    draw_tile_name(canvas, context, *shown, list);
    draw_twin_cursor(canvas, context, *shown, list);
    return;
  }
  if (compare.kind == Kind::rgb) {
    if (canvas.primary) draw_channel_names(canvas, context, list);
    return;
  }
  const Document* other = compare.other_document < 0 ? shown : context.state.find(compare.other_document);
  if (other == nullptr) return;
  if (compare.kind == Kind::split) {
    const float line = x + static_cast<float>(compare.split * area.width);
    if (canvas.primary) {
      const std::string name = name_of(canvas.document, canvas.layer);
      label(list, bold_font(), size, corner, shown_name(name, compare.split * area.width));
      if (needs_laying(context.state, *shown, *other) &&
          pixels_on_grid(context, *shown, *other, compare.other_layer) == nullptr)
        say_of_laying(context, list, {corner.x, corner.y + 2 * size});
    } else {
      const std::string name = name_of(*other, compare.other_layer);
      label(list, bold_font(), size, {line + size, corner.y},
            shown_name(name, room_beside_bar(canvas, context) - compare.split * area.width));
    }
    return;
  }
  const char sign = compare.kind == Kind::ratio ? '/' : '-';
  const std::string names =
      fmt::format("{}  {}  {}", name_of(*shown, canvas.layer), sign, name_of(*other, compare.other_layer));
  context.widgets.area("compare.name",
                       label(list, bold_font(), size, corner, shown_name(names, room_beside_bar(canvas, context))));
  const ImVec2 below{corner.x, corner.y + 2 * size};
  if (other != shown && compare.sky_lock && !share_sky(context.state, *shown, *other)) {
    label(list, bold_font(), size, below, "no overlap: different parts of the sky");
    context.widgets.area("compare.apart", {below.x, below.y, size, size});
  } else if (other != shown && pixels_on_grid(context, *shown, *other, compare.other_layer) == nullptr) {
    say_of_laying(context, list, below);
  } else if (compare.kind == Kind::difference && !context.state.compares_one_unit()) {
    const auto unit_name = [](const Unit& unit) { return unit.text.empty() ? std::string("no unit") : unit.text; };
    const std::string text = fmt::format("two units: {} and {}", unit_name(layer_unit(*shown, shown->shown)),
                                         unit_name(layer_unit(*other, compare.other_layer)));
    label(list, bold_font(), size, below, text);
    context.widgets.area("compare.units", {below.x, below.y, size, size});
  }
}

bool CompareOverlay::input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  Compare& compare = context.state.compare;
  if (compare.kind != Kind::split) return compare.dragging = false;
  const ScreenRect& area = canvas.transform.canvas();
  const double line = area.x + compare.split * area.width;
  const bool near = mouse.hovered && std::abs(mouse.at.x - line) < 6 * canvas.scale;
  if (near || compare.dragging) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (mouse.pressed && near) compare.dragging = true;
  if (!compare.dragging) return false;
  compare.split = std::clamp((mouse.at.x - area.x) / std::max(1.0, area.width), 0.0, 1.0);
  if (!mouse.down) compare.dragging = false;
  return true;
}

std::unique_ptr<Overlay> make_compare_overlay() { return std::make_unique<CompareOverlay>(); }

}  // namespace reber::gui
