// SPDX-License-Identifier: BSD-3-Clause
// Overlay: what a plane of a cube is, the axes of cuts, and the planes of channel maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/show/picture/sky_axes.hpp"
#include "gui/model/cube/cube_images.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255);
constexpr unsigned kPlate = IM_COL32(15, 18, 24, 170);
constexpr unsigned kFrame = IM_COL32(240, 248, 250, 110);

class CubeOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
  bool input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) override;
};

void plate(ImDrawList& list, ImVec2 at, const std::string& text, float pad) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  list.AddRectFilled({at.x - pad, at.y - 0.4f * pad}, {at.x + size.x + pad, at.y + size.y + 0.5f * pad}, kPlate, 3);
  list.AddText(at, kTextColour, text.c_str());
}

/// "37 of 512   -12.50 km/s   I" at the head of the canvas.
void draw_plane(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const CubeAxes& cube = *canvas.document.cube;
  const std::int64_t plane = canvas.document.header->plane;
  std::string text = fmt::format("{} of {}", CubeAxes::place(cube.played(), plane) + 1, cube.played().count);
  const LinearPolarisation linear = canvas.document.cube_view.linear;
  const std::string stokes = linear == LinearPolarisation::off     ? cube.stokes(plane)
                             : linear == LinearPolarisation::plain ? "P"
                                                                   : "P, debiased";
  for (const std::string& more : {cube.coordinate_text(plane), stokes})
    if (!more.empty()) text += "   " + more;
  const ScreenRect& area = canvas.transform.canvas();
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  if (static_cast<double>(width) > 0.5 * area.width) return;  // a small tile
  const ImVec2 at{static_cast<float>(area.x + 0.5 * area.width) - 0.5f * width,
                  static_cast<float>(area.y + 12 * canvas.scale)};
  plate(list, at, text, static_cast<float>(7 * canvas.scale));
  if (canvas.primary) context.widgets.area("overlay.plane", {at.x, at.y, width, ImGui::GetTextLineHeight()});
}

/// Ellipses of full width at half maximum; small ones as large as can be seen.
void draw_sources(const CanvasView& canvas, const MadeOfCube::Cell& cell, const OverlayInk& ink, ImDrawList& list) {
  constexpr int kSides = 40;
  const double least = 5 * canvas.scale / canvas.transform.zoom();
  for (const SourceShape& shape : cell.sources) {
    EllipseAxes axes = axes_of(shape.fwhm2);
    axes.major = std::max(axes.major, least);
    axes.minor = std::max(axes.minor, least);
    std::vector<ImVec2> points;
    for (int i = 0; i < kSides; ++i) {
      const double t = 2 * std::numbers::pi * i / kSides;
      const double u = 0.5 * axes.major * std::cos(t), v = 0.5 * axes.minor * std::sin(t);
      points.push_back(
          vec(canvas.transform.to_screen({shape.x + u * std::cos(axes.angle) - v * std::sin(axes.angle),
                                          shape.y + u * std::sin(axes.angle) + v * std::cos(axes.angle)})));
    }
    halo_line(list, points, packed(ink), static_cast<float>(ink.width * canvas.scale), true);
  }
}

void draw_cells(const CanvasView& canvas, Context& context, const MadeOfCube& made, ImDrawList& list) {
  const OverlayInk ink = ink_of(context.state.inks, "sources");
  const auto pad = static_cast<float>(4 * canvas.scale);
  for (std::size_t i = 0; i < made.cells.size(); ++i) {
    const MadeOfCube::Cell& cell = made.cells[i];
    const auto x = static_cast<double>(cell.where.x0), y = static_cast<double>(cell.where.y0);
    const ImVec2 a = vec(canvas.transform.to_screen({x - 0.5, y - 0.5})),
                 b = vec(canvas.transform.to_screen(
                     {x + static_cast<double>(cell.where.nx) - 0.5, y + static_cast<double>(cell.where.ny) - 0.5}));
    const ImVec2 low{std::min(a.x, b.x), std::min(a.y, b.y)}, high{std::max(a.x, b.x), std::max(a.y, b.y)};
    list.AddRect(low, high, kFrame);
    if (canvas.primary)
      context.widgets.area(fmt::format("overlay.cell.{}", i), {low.x, low.y, high.x - low.x, high.y - low.y});
    list.PushClipRect(low, high, true);
    draw_sources(canvas, cell, ink, list);
    list.PopClipRect();
    std::string text = cell.text;
    if (!cell.no_sources.empty()) text += "   not searched";
    if (ImGui::CalcTextSize(text.c_str()).x + 4 * pad < high.x - low.x)
      plate(list, {low.x + 2 * pad, low.y + 1.5f * pad}, text, pad);
  }
}

/// Ticks of round offsets along the lower edge of the image, or of the canvas where that comes first.
void draw_offsets(const CanvasView& canvas, const MadeOfCube::Cut& cut, ImDrawList& list) {
  const Shape shape = canvas.document.header->shape;
  const Rect seen = canvas.transform.visible(shape);
  if (seen.nx < 2 || seen.ny < 2) return;
  const double x0 = static_cast<double>(seen.x0), x1 = x0 + static_cast<double>(seen.nx - 1);
  const double y = static_cast<double>(seen.y0) - 0.5;
  const auto screen = [&](double x) { return vec(canvas.transform.to_screen({x, y})); };
  const float line = ImGui::GetTextLineHeight(), length = std::abs(screen(x1).x - screen(x0).x);
  const ScreenRect& area = canvas.transform.canvas();
  const float foot = std::min(screen(x0).y, static_cast<float>(area.y + area.height) - 2.6f * line);
  for (const Tick& tick :
       round_ticks(x0 * cut.step_arcsec, x1 * cut.step_arcsec, std::max(2, static_cast<int>(length / (6 * line))))) {
    const float x = screen(tick.value / cut.step_arcsec).x;
    list.AddLine({x, foot - 6}, {x, foot}, kTextColour, 1.5f);
    halo_text(list, {x - 0.5f * ImGui::CalcTextSize(tick.label.c_str()).x, foot + 2}, kTextColour, tick.label);
  }
  const std::string name = "offset (arcsec)";
  halo_text(list, {0.5f * (screen(x0).x + screen(x1).x) - 0.5f * ImGui::CalcTextSize(name.c_str()).x, foot + 2 + line},
            kTextColour, name);
}

/// Ticks of round coordinates along the left edge; linear between the channels around each.
void draw_coordinates(const CanvasView& canvas, const MadeOfCube::Cut& cut, ImDrawList& list) {
  const Rect seen = canvas.transform.visible(canvas.document.header->shape);
  if (seen.nx < 2 || seen.ny < 2) return;
  const double x = static_cast<double>(seen.x0) - 0.5;
  const auto first = static_cast<std::size_t>(seen.y0), last = static_cast<std::size_t>(seen.y0 + seen.ny - 1);
  const auto screen = [&](double y) { return vec(canvas.transform.to_screen({x, y})); };
  const float line = ImGui::GetTextLineHeight();
  const float height = std::abs(screen(static_cast<double>(last)).y - screen(static_cast<double>(first)).y);
  const auto [low, high] = std::minmax(cut.at[first], cut.at[last]);
  const float left = std::max(screen(0).x, static_cast<float>(canvas.transform.canvas().x) + 5 * line);
  for (const Tick& tick : round_ticks(low, high, std::max(2, static_cast<int>(height / (2.5f * line))))) {
    for (std::size_t i = first; i < last; ++i) {
      const double a = cut.at[i], b = cut.at[i + 1];
      if (!(std::min(a, b) <= tick.value && tick.value <= std::max(a, b)) || a == b) continue;
      const float y = screen(static_cast<double>(i) + (tick.value - a) / (b - a)).y;
      list.AddLine({left, y}, {left + 6, y}, kTextColour, 1.5f);
      const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
      halo_text(list, {left - size.x - 4, y - 0.5f * size.y}, kTextColour, tick.label);
      break;
    }
  }
  const float top = std::min(screen(static_cast<double>(first)).y, screen(static_cast<double>(last)).y);
  const float head = std::max(static_cast<float>(canvas.transform.canvas().y) + 4, top - 1.6f * line);
  halo_text(list, {left, head}, kTextColour, cut.label);
}

}  // namespace

void CubeOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Document& document = canvas.document;
  if (!document.header) return;
  if (document.made_of) {
    draw_cells(canvas, context, *document.made_of, list);
    if (const auto& cut = document.made_of->cut) {
      draw_offsets(canvas, *cut, list);
      draw_coordinates(canvas, *cut, list);
    }
  } else if (document.cube && !document.in_memory) {
    draw_plane(canvas, context, list);
  }
}

/// A double click on a channel map shows its plane in the cube.
bool CubeOverlay::input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  const auto made = canvas.document.made_of;
  if (!made || made->cells.empty() || !mouse.double_clicked) return false;
  const auto x = std::lround(mouse.image_at.x), y = std::lround(mouse.image_at.y);
  const auto cell = std::ranges::find_if(made->cells, [&](const MadeOfCube::Cell& each) {
    const Rect& r = each.where;
    return x >= r.x0 && y >= r.y0 && x < r.x0 + r.nx && y < r.y0 + r.ny;
  });
  Document* const cube = context.state.find(made->document);
  if (cell == made->cells.end() || cube == nullptr || !cube->header) return false;
  OpenOptions next = cube->open;
  next.hdu = cube->header->hdu;
  next.plane = cell->plane;
  context.shell.show_plane(*cube, next);
  const auto found = std::ranges::find(context.state.documents, cube, [](const auto& each) { return each.get(); });
  context.state.active = found - context.state.documents.begin();
  return true;
}

std::unique_ptr<Overlay> make_cube_overlay() { return std::make_unique<CubeOverlay>(); }

}  // namespace reber::gui
