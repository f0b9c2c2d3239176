// SPDX-License-Identifier: BSD-3-Clause
// Locks the two images of a comparison and names them.
#include "gui/ui/compare_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

using Kind = Compare::Kind;

/// The corners and the middle fall on the same pixels to 1/20.
bool same_grid(const SkyLock& lock, const ImageHeader& a, const ImageHeader& b) {
  if (!(a.shape == b.shape)) return false;
  if (!lock.why_not().empty()) return true;
  const auto nx = static_cast<double>(a.shape.nx - 1), ny = static_cast<double>(a.shape.ny - 1);
  for (const PixelPosition at : {PixelPosition{0, 0}, {nx, 0}, {0, ny}, {nx, ny}, {0.5 * nx, 0.5 * ny}}) {
    const auto there = lock(at);
    // Corners off the sky say nothing.
    if (there && !(std::hypot(there->x - at.x, there->y - at.y) < 0.05)) return false;
  }
  return true;
}

void label(ImDrawList& list, ImFont* font, float size, ImVec2 at, const std::string& text) {
  const ImVec2 extent = font->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
  const float pad = 0.35f * size;
  list.AddRectFilled({at.x - pad, at.y - 0.6f * pad}, {at.x + extent.x + pad, at.y + extent.y + 0.6f * pad},
                     0xb0000000u, pad);
  list.AddText(font, size, at, 0xffffffffu, text.c_str());
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

}  // namespace

const SkyLock& lock_between(Workbench& bench, const Document& from, const Document& to) {
  for (const LockBench& known : bench.locks)
    if (known.from == from.header && known.to == to.header) return *known.lock;
  if (bench.locks.size() >= 4) bench.locks.erase(bench.locks.begin());
  bench.locks.push_back({from.header, to.header, std::make_unique<SkyLock>(from.header->wcs, to.header->wcs)});
  return *bench.locks.back().lock;
}

ViewTransform matching_view(ViewerState& state, const Document& from, const Document& to) {
  if (!state.compare.sky_lock || !from.header || !to.header) return from.view;
  const SkyLock& lock = lock_between(*state.bench, from, to);
  if (same_grid(lock, *from.header, *to.header)) return from.view;
  const auto map = lock.affine(from.view.centre);
  return map ? locked_view(from.view, *map) : from.view;
}

std::optional<PixelPosition> matching_place(ViewerState& state, const Document& from, const Document& to,
                                            PixelPosition at) {
  if (&from == &to || !state.compare.sky_lock || !from.header || !to.header) return at;
  const SkyLock& lock = lock_between(*state.bench, from, to);
  if (same_grid(lock, *from.header, *to.header) || !lock.why_not().empty()) return at;
  return lock(at);
}

void choose_possible_layer(Compare& compare, const Document& other) {
  if (layer_possible(other, compare.other_layer)) return;
  compare.other_layer = layer_possible(other, LayerKind::background) ? LayerKind::background : other.shown;
}

const Pyramid* pixels_on_grid(Context& context, const Document& shown, const Document& other) {
  const auto& pixels = other.layer(context.state.compare.other_layer).pixels;
  if (!pixels || !shown.header || !other.header) return nullptr;
  Workbench& bench = *context.state.bench;
  const SkyLock& lock = lock_between(bench, shown, other);
  if (!context.state.compare.sky_lock || same_grid(lock, *shown.header, *other.header))
    return pixels->shape() == shown.header->shape ? pixels.get() : nullptr;
  if (!lock.why_not().empty() || !pixels->at_hand() || pixels->pixels().pixels == nullptr) return nullptr;
  RegridBench& regrid = bench.regrid;
  if (!regrid.job) regrid.job = std::make_unique<JobSlot<std::shared_ptr<const Pyramid>>>(context.shell.wake());
  const std::string wanted =
      fmt::format("{} {} {}", pixels->id(), static_cast<const void*>(shown.header.get()), shown.id);
  if (regrid.made_of != wanted) {
    regrid.made_of = wanted;
    regrid.pixels.reset();
    regrid.job->start([pixels, shape = shown.header->shape, a = shown.header->wcs,
                       b = other.header->wcs](const Progress& progress) {
      const SkyLock own(a, b);
      auto image = std::make_shared<Image>(shape);
      constexpr std::int64_t kBand = 256;
      for (std::int64_t y = 0; y < shape.ny; y += kBand) {
        progress.report("laying one image on the other's grid", static_cast<double>(y) / static_cast<double>(shape.ny));
        const std::int64_t rows = std::min(kBand, shape.ny - y);
        resample_rows(own, pixels->pixels(), y, {&image->at(y, 0), {rows, shape.nx}, shape.nx});
      }
      return Pyramid::make(image, progress);
    });
  }
  if (auto made = regrid.job->take()) regrid.pixels = std::move(*made);
  return regrid.pixels.get();
}

void draw_compare_overlay(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Compare& compare = context.state.compare;
  const Document* shown = context.state.document();
  if (compare.kind == Kind::off || shown == nullptr) return;
  const ScreenRect& area = canvas.transform.canvas();
  const auto x = static_cast<float>(area.x), y = static_cast<float>(area.y);
  const float size = ImGui::GetFontSize();
  const ImVec2 corner{x + size, y + 0.8f * size};
  if (compare.kind == Kind::blink) {
    label(list, bold_font(), 1.9f * size, corner, name_of(canvas.document, canvas.layer));
    return;
  }
  if (compare.kind == Kind::side_by_side) {
    label(list, bold_font(), size, corner, name_of(canvas.document, canvas.layer));
    draw_twin_cursor(canvas, context, *shown, list);
    return;
  }
  const Document* other = compare.other_document < 0 ? shown : context.state.find(compare.other_document);
  if (other == nullptr) return;
  if (compare.kind == Kind::split) {
    const float line = x + static_cast<float>(compare.split * area.width);
    if (canvas.primary) {
      label(list, bold_font(), size, corner, name_of(canvas.document, canvas.layer));
    } else {
      label(list, bold_font(), size, {line + size, corner.y}, name_of(*other, compare.other_layer));
    }
    return;
  }
  const char sign = compare.kind == Kind::ratio ? '/' : '-';
  label(list, bold_font(), size, corner,
        fmt::format("{}  {}  {}", name_of(*shown, canvas.layer), sign, name_of(*other, compare.other_layer)));
  if (other != shown && pixels_on_grid(context, *shown, *other) == nullptr) {
    const bool busy = context.state.bench->regrid.job && context.state.bench->regrid.job->busy();
    label(list, bold_font(), size, {corner.x, corner.y + 2 * size},
          busy ? "laying one image on the other's grid ..."
               : "these two images cannot be laid over each other: only the first is shown");
  }
}

bool compare_overlay_input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
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

}  // namespace reber::gui
