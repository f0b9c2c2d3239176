// SPDX-License-Identifier: BSD-3-Clause
// Overlays that tell where on the sky the picture is: grid, beam, compass, scale bar.
#include <algorithm>
#include <cmath>

#include "gui/model/image/wcs_grid.hpp"
#include "gui/model/sky/compass.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255);
constexpr unsigned kPlate = IM_COL32(15, 18, 24, 170);
constexpr double kMargin = 14;

/// All that a grid depends on.
struct GridKey {
  std::shared_ptr<const ImageHeader> header;
  ViewTransform view;
  ScreenRect area;
  CoordinateStyle style;
  double spacing = 0, room = 0;  ///< of the lines, and of a label, in canvas points
  bool operator==(const GridKey&) const = default;
};

SkyGrid make_grid(const GridKey& key) {
  const SkyView sky(key.header->wcs, key.style.system);
  return sky_grid(sky, CanvasTransform(key.view, key.area), key.style.sexagesimal, key.spacing, key.room);
}

/// The grid's labels say what a figure's axes say already; ICRS and FK5 differ by less than any label shows.
bool like_axes(const Wcs& wcs, const SkySystem& shown) {
  const auto own = system_of(wcs);
  if (!own) return true;
  const auto modern = [](const SkySystem& s) {
    return s.frame == SkySystem::Frame::icrs || (s.frame == SkySystem::Frame::fk5 && s.equinox == 2000);
  };
  return *own == shown || (modern(*own) && modern(shown));
}

ImVec2 label_place(const GridLabel& label, ImVec2 size, float gap) {
  const ImVec2 at = vec(label.at);
  switch (label.edge) {
    case CanvasEdge::bottom:
      return {at.x - 0.5f * size.x, at.y - size.y - gap};
    case CanvasEdge::top:
      return {at.x - 0.5f * size.x, at.y + gap};
    case CanvasEdge::left:
      return {at.x + gap, at.y - 0.5f * size.y};
    case CanvasEdge::right:
      return {at.x - size.x - gap, at.y - 0.5f * size.y};
    case CanvasEdge::none:
      return {at.x - 0.5f * size.x, at.y - 0.5f * size.y};
  }
  return at;
}

PixelPosition middle_of(const CanvasView& canvas) {
  const ScreenRect& area = canvas.transform.canvas();
  return canvas.transform.to_image({area.x + 0.5 * area.width, area.y + 0.5 * area.height});
}

void arrow(ImDrawList& list, ScreenPoint from, ScreenPoint direction, double length, double scale, const char* text) {
  const ScreenPoint to{from.x + length * direction.x, from.y + length * direction.y};
  const double head = 6 * scale;
  const ScreenPoint side{-direction.y, direction.x};
  const std::vector<ImVec2> tip{
      vec({to.x - head * (direction.x + 0.6 * side.x), to.y - head * (direction.y + 0.6 * side.y)}), vec(to),
      vec({to.x - head * (direction.x - 0.6 * side.x), to.y - head * (direction.y - 0.6 * side.y)})};
  const auto width = static_cast<float>(1.6 * scale);
  halo_line(list, {vec(from), vec(to)}, kTextColour, width, false);
  halo_line(list, tip, kTextColour, width, false);
  const ImVec2 size = ImGui::CalcTextSize(text);
  const double gap = length + 10 * scale;
  halo_text(list,
            {static_cast<float>(from.x + gap * direction.x) - 0.5f * size.x,
             static_cast<float>(from.y + gap * direction.y) - 0.5f * size.y},
            kTextColour, text);
}

/// There the name and the value under the pointer leave no room for more.
bool in_small_tile(const ScreenRect& area, double scale) {
  constexpr double kLeast = 200;
  return std::min(area.width, area.height) < kLeast * scale;
}

/// What the image takes of the canvas.
ScreenRect seen_of_image(const CanvasView& canvas) {
  const Shape shape = canvas.document.header->shape;
  const ScreenRect& area = canvas.transform.canvas();
  double x0 = area.x + area.width, y0 = area.y + area.height, x1 = area.x, y1 = area.y;
  for (const double x : {-0.5, static_cast<double>(shape.nx) - 0.5})
    for (const double y : {-0.5, static_cast<double>(shape.ny) - 0.5}) {
      const ScreenPoint p = canvas.transform.to_screen({x, y});
      x0 = std::min(x0, p.x), y0 = std::min(y0, p.y), x1 = std::max(x1, p.x), y1 = std::max(y1, p.y);
    }
  x0 = std::max(x0, area.x), y0 = std::max(y0, area.y);
  x1 = std::min(x1, area.x + area.width), y1 = std::min(y1, area.y + area.height);
  return {x0, y0, std::max(0.0, x1 - x0), std::max(0.0, y1 - y0)};
}

/// Whether a box covers a tenth of what is seen of the image.
bool hides_image(const CanvasView& canvas, ImVec2 low, ImVec2 high) {
  const ScreenRect seen = seen_of_image(canvas);
  const auto overlap = [](double a0, double a1, float b0, float b1) {
    return std::max(0.0, std::min(a1, static_cast<double>(b1)) - std::max(a0, static_cast<double>(b0)));
  };
  constexpr double kPart = 0.1;
  return overlap(seen.x, seen.x + seen.width, low.x, high.x) * overlap(seen.y, seen.y + seen.height, low.y, high.y) >
         kPart * seen.width * seen.height;
}

const std::optional<Beam>& beam_of(const CanvasView& canvas) { return layer_beam(canvas.document, canvas.layer); }

class GridOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;

 private:
  std::array<Memo<GridKey, SkyGrid>, 2> grids_;  ///< of the primary canvas, and of the other
};

class BeamOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
};

class CompassOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
};

class ScaleBarOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
};

}  // namespace

void GridOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header) return;
  const Inspect& inspect = context.state.inspect;
  // Of what is seen of the image alone: no lines stand beside it.
  const ScreenRect area = canvas.framed ? canvas.transform.canvas() : seen_of_image(canvas);
  if (!(area.width > 0 && area.height > 0)) return;
  ViewTransform view = canvas.transform.view();
  view.centre = canvas.transform.to_image({area.x + 0.5 * area.width, area.y + 0.5 * area.height});
  const GridKey key{canvas.document.header, view, area, inspect.style, inspect.grid_spacing * canvas.scale,
                    20 * canvas.scale};
  const SkyGrid& grid = grids_[canvas.primary ? 0 : 1].of(key, [&] { return make_grid(key); });
  const OverlayInk ink = ink_of(context.state.inks, "grid");
  const unsigned colour = packed(ink, 0.85f);
  std::vector<ImVec2> path;
  for (const auto& line : grid.lines) {
    path.clear();
    for (const ScreenPoint& p : line) path.push_back(vec(p));
    halo_line(list, path, colour, static_cast<float>(ink.width * canvas.scale), false, false);
  }
  if (canvas.framed && like_axes(canvas.document.header->wcs, context.state.inspect.style.system)) return;
  // Labels that would run into one before are left out.
  std::vector<ImVec4> taken;
  const auto gap = static_cast<float>(3 * canvas.scale);
  for (const GridLabel& label : grid.labels) {
    const ImVec2 size = ImGui::CalcTextSize(label.text.c_str());
    const ImVec2 at = label_place(label, size, gap);
    const ImVec4 box{at.x - gap, at.y - gap, at.x + size.x + gap, at.y + size.y + gap};
    const bool out = box.x < area.x || box.y < area.y || box.z > area.x + area.width || box.w > area.y + area.height;
    const bool free = std::ranges::none_of(
        taken, [&](const ImVec4& t) { return box.x < t.z && box.z > t.x && box.y < t.w && box.w > t.y; });
    if (out || !free) continue;
    taken.push_back(box);
    halo_text(list, at, kTextColour, label.text);
  }
}

void BeamOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const auto& beam = beam_of(canvas);
  if (!canvas.document.header || !beam) return;
  const auto outline =
      sky_ellipse(canvas.document.header->wcs, middle_of(canvas), beam->major_deg, beam->minor_deg, beam->pa_deg, 48);
  std::vector<ScreenPoint> offsets;
  double wide = 0, high = 0;
  for (const PixelPosition& p : outline) {
    offsets.push_back(canvas.transform.direction(p.x, p.y));
    wide = std::max(wide, std::abs(offsets.back().x));
    high = std::max(high, std::abs(offsets.back().y));
  }
  const ScreenRect& area = canvas.transform.canvas();
  // A beam that fills the picture is no help, one of a screen pixel is not seen.
  if (offsets.empty() || wide > 0.2 * area.width || high > 0.2 * area.height || std::max(wide, high) < 0.7) return;
  const double pad = 6 * canvas.scale, side = std::max(wide, high) + pad;
  // Above the grid's labels.
  const double lift = 24 * canvas.scale;
  const ScreenPoint centre{area.x + kMargin * canvas.scale + side, area.y + area.height - lift - side};
  std::vector<ImVec2> path;
  for (const ScreenPoint& o : offsets) path.push_back(vec({centre.x + o.x, centre.y + o.y}));
  const ImVec2 corner = vec({centre.x - side, centre.y - side}), far = vec({centre.x + side, centre.y + side});
  if (canvas.primary) context.widgets.area("overlay.beam", {corner.x, corner.y, far.x - corner.x, far.y - corner.y});
  if (hides_image(canvas, corner, far)) {
    halo_line(list, path, kTextColour, static_cast<float>(1.5 * canvas.scale), true);
    return;
  }
  list.AddRectFilled(corner, far, kPlate, 3);
  list.AddRect(corner, far, IM_COL32(240, 248, 250, 120), 3);
  list.AddConvexPolyFilled(path.data(), static_cast<int>(path.size()), IM_COL32(240, 248, 250, 210));
}

void CompassOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header) return;
  const SkyView sky(canvas.document.header->wcs, context.state.inspect.style.system);
  const auto compass = compass_at(sky, canvas.transform, middle_of(canvas));
  if (!compass) return;
  const ScreenRect& area = canvas.transform.canvas();
  if (in_small_tile(area, canvas.scale)) return;
  const double length = 34 * canvas.scale, reach = length + 20 * canvas.scale;
  // Below the names that a comparison puts into the corner.
  const Compare::Kind kind = context.state.compare.kind;
  const double names = kind == Compare::Kind::off                                            ? 0
                       : kind == Compare::Kind::blink                                        ? 2.6
                       : kind == Compare::Kind::tiles || kind == Compare::Kind::side_by_side ? 3.2
                       : kind == Compare::Kind::rgb                                          ? 4.8
                                                                                             : 1.6;
  const ScreenPoint from{area.x + kMargin * canvas.scale + reach,
                         area.y + kMargin * canvas.scale + reach + names * static_cast<double>(ImGui::GetFontSize())};
  const bool equatorial = !sky.shown() || sky.shown()->equatorial();
  arrow(list, from, compass->north, length, canvas.scale, equatorial ? "N" : "+lat");
  arrow(list, from, compass->east, length, canvas.scale, equatorial ? "E" : "+lon");
}

void ScaleBarOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header) return;
  const ScreenRect& area = canvas.transform.canvas();
  if (in_small_tile(area, canvas.scale)) return;
  // An image that takes little of the canvas is not hidden by it; one out of sight leaves the whole canvas.
  const double seen = seen_of_image(canvas).width, least = 40 * canvas.scale;
  const double most = seen > 0 ? std::max(least, 0.33 * seen) : area.width;
  const auto bar = scale_bar_at(canvas.document.header->wcs, canvas.transform, middle_of(canvas),
                                std::min({180 * canvas.scale, 0.25 * area.width, most}));
  if (!bar) return;
  const double end = 5 * canvas.scale;
  // In the middle of the lower edge: the beam is to its left, the colour bar to its right.
  const double x = area.x + 0.5 * area.width - 0.5 * bar->length, y = area.y + area.height - 34 * canvas.scale;
  const auto width = static_cast<float>(2 * canvas.scale);
  // A plate below it: on bright emission neither white nor a dark edge is read.
  const ImVec2 text_size = ImGui::CalcTextSize(bar->text.c_str());
  const auto pad = static_cast<float>(6 * canvas.scale), middle = static_cast<float>(x + 0.5 * bar->length);
  const float half = std::max(0.5f * text_size.x, static_cast<float>(0.5 * bar->length)) + pad;
  const ImVec2 low{middle - half, static_cast<float>(y - end) - text_size.y - 1 - 0.5f * pad},
      high{middle + half, static_cast<float>(y + end) + 0.7f * pad};
  if (canvas.primary) context.widgets.area("overlay.scale_bar", {low.x, low.y, high.x - low.x, high.y - low.y});
  list.AddRectFilled(low, high, kPlate, 3);
  halo_line(list, {vec({x, y - end}), vec({x, y + end})}, kTextColour, width, false);
  halo_line(list, {vec({x + bar->length, y - end}), vec({x + bar->length, y + end})}, kTextColour, width, false);
  halo_line(list, {vec({x, y}), vec({x + bar->length, y})}, kTextColour, width, false);
  halo_text(list, {middle - 0.5f * text_size.x, static_cast<float>(y - end) - text_size.y - 1}, kTextColour, bar->text);
}

std::unique_ptr<Overlay> make_grid_overlay() { return std::make_unique<GridOverlay>(); }
std::unique_ptr<Overlay> make_beam_overlay() { return std::make_unique<BeamOverlay>(); }
std::unique_ptr<Overlay> make_compass_overlay() { return std::make_unique<CompassOverlay>(); }
std::unique_ptr<Overlay> make_scale_bar_overlay() { return std::make_unique<ScaleBarOverlay>(); }

}  // namespace reber::gui
