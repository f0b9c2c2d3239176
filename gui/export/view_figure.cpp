// SPDX-License-Identifier: BSD-3-Clause
// Puts a figure together: raster, overlays, source ellipses, axes.
#include "gui/export/view_figure.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gui/export/draw_list_items.hpp"
#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/model/sky/view_axes.hpp"
#include "gui/model/tables/plot_axis.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr double kLeft = 92, kBottom = 58, kTop = 34, kRight = 22, kText = 13, kTick = 6;
constexpr double kLeastPart = 40;
constexpr double kBarGap = 14, kBarWidth = 16,
                 kBarText = 7;  // of the colour bar: from the frame, itself, to its values

void add_overlays(Figure& figure, Context& context, const CanvasView& canvas) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  // Without soft edges: these are triangles that fade out, which no line in a file is.
  // More vertices than 16 bits count, as of many contours, need the offset of each command.
  list.Flags = ImDrawListFlags_AllowVtxOffset;
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
  list.PushClipRectFullScreen();
  for (const auto& [row, overlay] : context.overlays.all()) {
    if (!is_on(context.state, row)) continue;
    overlay->add_lines(canvas, context.state, figure.over_image);
    overlay->draw(canvas, context, list);
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

ColourBar figure_bar(const ViewerState& state, double height) {
  return colour_bar(state.render(), state.unit(), std::max(0.06, 2.2 * kText / height));
}

/// What the colour bar takes beside the frame, its values and its unit with it.
double bar_room(const ViewerState& state, double height) {
  const ColourBar bar = figure_bar(state, height);
  std::size_t longest = 0;
  for (const auto& [part, label] : bar.ticks) longest = std::max(longest, label.size());
  return kBarGap + kBarWidth + kBarText + 0.65 * kText * static_cast<double>(longest) + 2 * kText;
}

/// Beside the frame, as high as it, with its values and, upwards, their unit.
void add_colour_bar(Figure& figure, const ViewerState& state, bool light) {
  const RenderSettings& r = state.render();
  const ScreenRect& f = figure.frame;
  const ColourBar bar = figure_bar(state, f.height);
  const double x = f.x + f.width + kBarGap;
  const auto& entries = colour_maps()[static_cast<std::size_t>(colour_map_index(r.colour_map))].entries;
  const auto count = static_cast<double>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& c = entries[r.invert ? entries.size() - 1 - i : i];
    // Down to the lower end each: no seams show between them.
    const double top = f.y + f.height * (1 - static_cast<double>(i + 1) / count),
                 low = f.y + f.height * (1 - static_cast<double>(i) / count);
    const double end = std::min(low + 1, f.y + f.height);
    FigureArea area;
    area.colour = {static_cast<float>(c[0]) / 255, static_cast<float>(c[1]) / 255, static_cast<float>(c[2]) / 255, 1};
    area.triangles = {{x, top}, {x + kBarWidth, top}, {x + kBarWidth, end}, {x, top}, {x + kBarWidth, end}, {x, end}};
    figure.around.emplace_back(std::move(area));
  }
  const Rgba colour = ink(light);
  figure.around.emplace_back(FigureLine{
      {{x, f.y}, {x + kBarWidth, f.y}, {x + kBarWidth, f.y + f.height}, {x, f.y + f.height}}, colour, 1, true});
  for (const auto& [part, label] : bar.ticks) {
    const double y = f.y + f.height * (1 - part);
    figure.around.emplace_back(FigureLine{{{x + kBarWidth, y}, {x + kBarWidth + 4, y}}, colour, 1, false});
    FigureText text;
    text.at = {x + kBarWidth + kBarText, y + 0.36 * kText};
    text.text = label;
    text.size = kText;
    text.colour = colour;
    figure.around.emplace_back(std::move(text));
  }
  if (bar.unit.empty()) return;
  FigureText unit;
  unit.at = {figure.width - 8, f.y + 0.5 * f.height};
  unit.text = bar.unit;
  unit.size = kText;
  unit.colour = colour;
  unit.align = FigureText::Align::centre;
  unit.upwards = true;
  figure.around.emplace_back(std::move(unit));
}

void add_heading(Figure& figure, const Document& document, bool light) {
  FigureText title;
  title.text = document.title() + (document.shown == LayerKind::input
                                       ? ""
                                       : std::string(", ") + kLayerNames[static_cast<std::size_t>(document.shown)]);
  title.size = kText;
  title.colour = ink(light);
  title.at = {figure.frame.x, figure.frame.y - 10};
  figure.around.emplace_back(std::move(title));
}

}  // namespace

FigureLayout figure_layout(const ViewerState& state, const ScreenRect& canvas, const FigureOptions& options) {
  const Document& document = *state.document();
  FigureLayout layout;
  layout.view = document.view;
  layout.axes = options.axes && document.header;
  ScreenRect part{0, 0, canvas.width, canvas.height};
  if (options.crop && document.header) {
    const CanvasTransform whole(document.view, part);
    const auto nx = static_cast<double>(document.header->shape.nx), ny = static_cast<double>(document.header->shape.ny);
    double left = part.width, top = part.height, right = 0, bottom = 0;
    for (const PixelPosition corner :
         {PixelPosition{-0.5, -0.5}, {nx - 0.5, -0.5}, {-0.5, ny - 0.5}, {nx - 0.5, ny - 0.5}}) {
      const ScreenPoint at = whole.to_screen(corner);
      left = std::min(left, at.x);
      right = std::max(right, at.x);
      top = std::min(top, at.y);
      bottom = std::max(bottom, at.y);
    }
    left = std::max(0.0, std::floor(left));
    top = std::max(0.0, std::floor(top));
    right = std::min(part.width, std::ceil(right));
    bottom = std::min(part.height, std::ceil(bottom));
    // A sliver is no figure: the view is taken as it is.
    if (right - left >= kLeastPart && bottom - top >= kLeastPart) {
      part = {left, top, right - left, bottom - top};
      layout.view.centre = whole.to_image({left + 0.5 * part.width, top + 0.5 * part.height});
    }
  }
  const auto bar = std::ranges::find(overlay_rows(), std::string_view("colour_bar"), &OverlayRow::name);
  layout.colour_bar = layout.axes && options.overlays && bar != overlay_rows().end() && is_on(state, *bar) &&
                      state.compare.kind != Compare::Kind::rgb && !document.layer().render.categorical;
  layout.frame = {layout.axes ? kLeft : 0, layout.axes ? kTop : 0, part.width, part.height};
  layout.width = part.width + (layout.axes ? kLeft + (layout.colour_bar ? bar_room(state, part.height) : kRight) : 0);
  layout.height = part.height + (layout.axes ? kTop + kBottom : 0);
  return layout;
}

PictureOrder raster_order(const FigureLayout& layout, const FigureOptions& options) {
  PictureOrder order;
  order.view = layout.view;
  order.view.zoom *= options.raster_scale;
  order.width = static_cast<int>(std::lround(layout.frame.width * options.raster_scale));
  order.height = static_cast<int>(std::lround(layout.frame.height * options.raster_scale));
  order.overlays = options.overlays;
  return order;
}

Figure view_figure(Context& context, const ScreenRect& canvas, const FigureOptions& options) {
  Document& document = *context.state.document();
  const FigureLayout layout = figure_layout(context.state, canvas, options);
  Figure figure;
  figure.title = document.title();
  figure.frame = layout.frame;
  figure.width = layout.width;
  figure.height = layout.height;
  figure.background = options.light ? Rgba{1, 1, 1, 1} : Rgba{0.09f, 0.1f, 0.12f, 1};
  const CanvasTransform transform(layout.view, figure.frame);
  if (options.overlays)
    add_overlays(figure, context, {document, document.shown, transform, true, 1, layout.axes, true});
  if (layout.colour_bar) add_colour_bar(figure, context.state, options.light);
  if (layout.axes) {
    add_axes(figure, document, transform, options.light);
    add_heading(figure, document, options.light);
  }
  return figure;
}

}  // namespace reber::gui
