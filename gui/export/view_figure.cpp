// SPDX-License-Identifier: BSD-3-Clause
// Puts a figure together: raster, overlays, source ellipses, axes.
#include "gui/export/view_figure.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gui/model/plot_axis.hpp"
#include "gui/model/source_shapes.hpp"
#include "gui/model/view_axes.hpp"
#include "gui/shell/overlay.hpp"
#include "gui/shell/theme.hpp"

namespace reber::gui {
namespace {

constexpr double kLeft = 92, kBottom = 58, kTop = 34, kRight = 22, kText = 13, kTick = 6;

Rgba from_packed(unsigned colour) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  return {c.x, c.y, c.z, c.w};
}

/// The ellipses that the window draws with the graphics card.
void add_sources(Figure& figure, const Document& document, const CanvasTransform& canvas) {
  constexpr int kSides = 72;
  for (std::size_t row = 0; row < document.shapes.size(); ++row) {
    const SourceShape& shape = document.shapes[row];
    const EllipseAxes axes = axes_of(shape.fwhm2);
    const ScreenPoint centre = canvas.to_screen({shape.x, shape.y});
    const double reach = 0.5 * axes.major * canvas.zoom() + 4;
    const ScreenRect& r = canvas.canvas();
    if (!(centre.x > r.x - reach && centre.x < r.x + r.width + reach && centre.y > r.y - reach &&
          centre.y < r.y + r.height + reach))
      continue;
    const bool selected = document.selection.rows.count(static_cast<std::int64_t>(row)) > 0;
    FigureLine line;
    line.colour = from_packed(selected                                 ? palette().source_selected
                              : document.result->sources[row].negative ? palette().source_negative
                                                                       : palette().source);
    line.width = selected ? 2.2 : 1.3;
    line.closed = true;
    for (int i = 0; i < kSides; ++i) {
      const double t = 2 * std::numbers::pi * i / kSides;
      const double u = 0.5 * axes.major * std::cos(t), v = 0.5 * axes.minor * std::sin(t);
      line.points.push_back(canvas.to_screen({shape.x + u * std::cos(axes.angle) - v * std::sin(axes.angle),
                                              shape.y + u * std::sin(axes.angle) + v * std::cos(axes.angle)}));
    }
    FigureLine halo = line;
    halo.colour = from_packed(palette().halo);
    halo.width += 1.4;
    figure.over_image.emplace_back(std::move(halo));
    figure.over_image.emplace_back(std::move(line));
  }
}

void add_overlays(Figure& figure, Context& context, const CanvasView& canvas) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  // Without soft edges: these are triangles that fade out, which no line in a file is.
  list.Flags = ImDrawListFlags_None;
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
  list.PushClipRectFullScreen();
  const auto own = [&](const Overlay& overlay) { return std::string(overlay.name) == "sources"; };
  for (const Overlay& overlay : overlays()) {
    if (!is_on(context.state, overlay)) continue;
    if (own(overlay)) add_sources(figure, canvas.document, canvas.transform);
    if (overlay.draw != nullptr) overlay.draw(canvas, context, list);
  }
  for (FigureItem& item : items_of(list)) figure.over_image.push_back(std::move(item));
}

Rgba ink(bool light) { return light ? Rgba{0, 0, 0, 1} : Rgba{0.9f, 0.9f, 0.92f, 1}; }

void add_tick(Figure& figure, ScreenPoint at, FrameEdge edge, const std::string& label, Rgba colour) {
  const double dx = edge == FrameEdge::left ? kTick : edge == FrameEdge::right ? -kTick : 0;
  const double dy = edge == FrameEdge::bottom ? -kTick : edge == FrameEdge::top ? kTick : 0;
  figure.around.emplace_back(FigureLine{{at, {at.x + dx, at.y + dy}}, {1, 1, 1, 1}, 2.2, false});
  figure.around.emplace_back(FigureLine{{at, {at.x + dx, at.y + dy}}, {0, 0, 0, 1}, 1, false});
  if (label.empty()) return;
  FigureText text;
  text.text = label;
  text.size = kText;
  text.colour = colour;
  text.markup = true;
  text.align = edge == FrameEdge::bottom ? FigureText::Align::centre : FigureText::Align::right;
  text.at =
      edge == FrameEdge::bottom ? ScreenPoint{at.x, at.y + 6 + kText} : ScreenPoint{at.x - 7, at.y + 0.36 * kText};
  figure.around.emplace_back(std::move(text));
}

void add_title(Figure& figure, FrameEdge edge, const std::string& title, Rgba colour) {
  const ScreenRect& f = figure.frame;
  FigureText text;
  text.text = title;
  text.size = kText;
  text.colour = colour;
  text.align = FigureText::Align::centre;
  text.upwards = edge == FrameEdge::left;
  text.at = edge == FrameEdge::left ? ScreenPoint{f.x - 72, f.y + 0.5 * f.height}
                                    : ScreenPoint{f.x + 0.5 * f.width, f.y + f.height + 42};
  figure.around.emplace_back(std::move(text));
}

void add_pixel_axes(Figure& figure, const CanvasTransform& canvas, Rgba colour) {
  const ScreenRect& f = figure.frame;
  for (const FrameEdge edge : {FrameEdge::bottom, FrameEdge::left}) {
    const bool bottom = edge == FrameEdge::bottom;
    const PixelPosition a = canvas.to_image({f.x, f.y + f.height});
    const PixelPosition b =
        canvas.to_image(bottom ? ScreenPoint{f.x + f.width, f.y + f.height} : ScreenPoint{f.x, f.y});
    PlotAxis axis;
    axis.low = bottom ? a.x : a.y;
    axis.high = bottom ? b.x : b.y;
    if (!(axis.low != axis.high)) continue;
    const bool turned = axis.low > axis.high;
    if (turned) std::swap(axis.low, axis.high);
    for (const AxisTick& tick : axis.ticks(6)) {
      const double place = turned ? 1 - axis.place(tick.value) : axis.place(tick.value);
      add_tick(
          figure,
          bottom ? ScreenPoint{f.x + place * f.width, f.y + f.height} : ScreenPoint{f.x, f.y + (1 - place) * f.height},
          edge, tick.label, colour);
    }
    add_title(figure, edge, bottom ? "x (pixel)" : "y (pixel)", colour);
  }
}

void add_axes(Figure& figure, const Document& document, const CanvasTransform& canvas, bool light) {
  const Rgba colour = ink(light);
  const ScreenRect& f = figure.frame;
  figure.around.emplace_back(FigureLine{
      {{f.x, f.y}, {f.x + f.width, f.y}, {f.x + f.width, f.y + f.height}, {f.x, f.y + f.height}}, colour, 1, true});
  const Wcs& wcs = document.header->wcs;
  if (!wcs.celestial()) {
    add_pixel_axes(figure, canvas, colour);
    return;
  }
  const SkyAxis below = bottom_axis(wcs, canvas);
  const SkyAxis beside = below == SkyAxis::longitude ? SkyAxis::latitude : SkyAxis::longitude;
  for (const FrameEdge edge : {FrameEdge::bottom, FrameEdge::top, FrameEdge::left, FrameEdge::right}) {
    const bool named = edge == FrameEdge::bottom || edge == FrameEdge::left;
    const bool level = edge == FrameEdge::bottom || edge == FrameEdge::top;
    for (const EdgeTick& tick : edge_ticks(wcs, canvas, edge, level ? below : beside, level ? 5 : 6))
      add_tick(figure, tick.at, edge, named ? tick.label : "", colour);
  }
  add_title(figure, FrameEdge::bottom, axis_title(wcs, below), colour);
  add_title(figure, FrameEdge::left, axis_title(wcs, beside), colour);
}

}  // namespace

Figure view_figure(Context& context, const ScreenRect& canvas, const FigureOptions& options) {
  Document& document = *context.state.document();
  Figure figure;
  figure.title = document.title();
  const bool axes = options.axes && document.header;
  figure.frame = {axes ? kLeft : 0, axes ? kTop : 0, canvas.width, canvas.height};
  figure.width = canvas.width + (axes ? kLeft + kRight : 0);
  figure.height = canvas.height + (axes ? kTop + kBottom : 0);
  figure.background = options.light ? Rgba{1, 1, 1, 1} : Rgba{0.09f, 0.1f, 0.12f, 1};
  ViewTransform enlarged = document.view;
  enlarged.zoom *= options.raster_scale;
  Raster raster =
      context.shell.render(document, enlarged, static_cast<int>(std::lround(canvas.width * options.raster_scale)),
                           static_cast<int>(std::lround(canvas.height * options.raster_scale)));
  figure.raster_width = raster.width;
  figure.raster_height = raster.height;
  figure.raster = std::move(raster.rgba);
  const CanvasTransform transform(document.view, figure.frame);
  if (options.overlays) add_overlays(figure, context, {document, document.shown, transform, true, 1});
  if (axes) {
    add_axes(figure, document, transform, options.light);
    FigureText title;
    title.text = document.title() + (document.shown == LayerKind::input
                                         ? ""
                                         : std::string(", ") + kLayerNames[static_cast<std::size_t>(document.shown)]);
    title.size = kText;
    title.colour = ink(options.light);
    title.at = {figure.frame.x, figure.frame.y - 10};
    figure.around.emplace_back(std::move(title));
  }
  return figure;
}

}  // namespace reber::gui
