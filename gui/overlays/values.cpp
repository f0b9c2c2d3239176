// SPDX-License-Identifier: BSD-3-Clause
// Overlays that tell what values the picture shows: colour bar and contours.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255);
constexpr int kSteps = 256;

class ColourBarOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context&, ImDrawList& list) override;
};

/// What contours on the pixels of another image are made of.
struct LaidKey {
  std::uint64_t pixels = 0;  ///< Pyramid::id() of the traced ones
  Rect area;
  ContourLevels levels;
  std::int64_t onto = -1;
  bool by_sky = true;
  bool operator==(const LaidKey&) const = default;
};

class ContoursOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;

 private:
  /// Contours of what is in view, in the pixels of the canvas's image; null while there are none.
  const std::vector<Contour>* contours(const CanvasView& canvas, Context& context);

  Memo<LaidKey, std::vector<Contour>> laid_;
};

/// The pixels of `other` that lie in a part of the shown image; empty where none do.
Rect part_of(ViewerState& state, const Document& shown, const Document& other, const Rect& area) {
  constexpr int kPlaces = 12;
  double low_x = 1e300, low_y = 1e300, high_x = -1e300, high_y = -1e300;
  for (int i = 0; i <= kPlaces; ++i)
    for (int j = 0; j <= kPlaces; ++j) {
      const double x = static_cast<double>(area.x0) + static_cast<double>(area.nx - 1) * i / kPlaces,
                   y = static_cast<double>(area.y0) + static_cast<double>(area.ny - 1) * j / kPlaces;
      const auto at = matching_place(state, shown, other, {x, y});
      if (!at) continue;
      low_x = std::min(low_x, at->x);
      high_x = std::max(high_x, at->x);
      low_y = std::min(low_y, at->y);
      high_y = std::max(high_y, at->y);
    }
  const Shape shape = other.header->shape;
  // The places between those looked at may lie a little further out.
  const auto cut = [](double low, double high, std::int64_t n, std::int64_t& first, std::int64_t& count) {
    const double more = 2 + 0.1 * (high - low), last = static_cast<double>(n - 1);
    if (!(low <= high) || !(high + more >= 0) || !(low - more <= last)) return;
    first = static_cast<std::int64_t>(std::floor(std::max(0.0, low - more)));
    count = static_cast<std::int64_t>(std::ceil(std::min(last, high + more))) - first + 1;
  };
  Rect made{0, 0, 0, 0};
  cut(low_x, high_x, shape.nx, made.x0, made.nx);
  cut(low_y, high_y, shape.ny, made.y0, made.ny);
  return made;
}

/// Whether a piece of a line jumps to another side of the sky: its middle does not lie between its ends.
bool jumps(ViewerState& state, const Document& shown, const Document& other, PixelPosition a, PixelPosition b,
           PixelPosition from, PixelPosition to) {
  constexpr double kShort = 8;  // pixels
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < kShort) return false;
  const auto middle = matching_place(state, other, shown, {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)});
  return !middle || !(std::hypot(middle->x - 0.5 * (from.x + to.x), middle->y - 0.5 * (from.y + to.y)) < 0.25 * length);
}

/// The lines in the pixels of the shown image; where they leave its sky, or jump across it, they are cut.
std::vector<Contour> laid_on(ViewerState& state, const Document& shown, const Document& other,
                             const std::vector<Contour>& contours) {
  std::vector<Contour> made;
  for (const Contour& contour : contours) {
    made.push_back(contour);
    made.back().lines.clear();
    for (const Polyline& line : contour.lines) {
      Polyline part;
      bool whole = true;
      const auto cut = [&] {
        whole = false;
        if (part.points.size() > 1) made.back().lines.push_back(part);
        part.points.clear();
      };
      const PixelPosition* before = nullptr;
      for (const PixelPosition& p : line.points) {
        const auto at = matching_place(state, other, shown, p);
        if (!at || (!part.points.empty() && jumps(state, shown, other, *before, p, part.points.back(), *at))) cut();
        if (at) part.points.push_back(*at);
        before = &p;
      }
      part.closed =
          whole && line.closed && part.points.size() > 1 &&
          !jumps(state, shown, other, line.points.back(), line.points.front(), part.points.back(), part.points.front());
      if (part.points.size() > 1) made.back().lines.push_back(std::move(part));
    }
  }
  return made;
}

}  // namespace

void ColourBarOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Layer& layer = canvas.document.layer(canvas.layer);
  const bool combined = context.state.combining() && canvas.primary;
  const RenderSettings& r = combined ? context.state.render() : layer.render;
  const bool coloured = context.state.compare.kind == Compare::Kind::rgb && canvas.primary;
  if (!canvas.document.header || r.categorical || canvas.framed || coloured) return;
  const ScreenRect& area = canvas.transform.canvas();
  const auto s = static_cast<float>(canvas.scale);
  const float line = ImGui::GetTextLineHeight(), width = 14 * s, gap = 6 * s, margin = 14 * s;
  // As tall as the canvas.
  const float height = static_cast<float>(area.height) - 2 * margin - 2 * line;
  constexpr double kLeastWidth = 260;  // in a small tile it would cover the image
  if (height < 4 * line || area.width < kLeastWidth * canvas.scale) return;
  constexpr double kLines = 2.2, kLeastGap = 0.06;  // from one value to the next
  const ColourBar bar = colour_bar(r, combined ? context.state.unit() : shown_unit(canvas.document, canvas.layer),
                                   std::max(kLeastGap, kLines * static_cast<double>(line / height)));
  // The unit begins with the bar, the values stand beside it.
  float widest = ImGui::CalcTextSize(bar.unit.c_str()).x - width - gap;
  for (const auto& [part, text] : bar.ticks) widest = std::max(widest, ImGui::CalcTextSize(text.c_str()).x);
  const float right = static_cast<float>(area.x + area.width) - margin;
  const float x = right - widest - gap - width, top = static_cast<float>(area.y) + margin + 1.5f * line;
  const ImVec2 low{x - gap, top - 1.4f * line - 4 * s}, high{right + gap, top + height + 0.5f * line + 4 * s};
  list.AddRectFilled(low, high, IM_COL32(15, 18, 24, 150), 4);
  context.widgets.area(colour_bar_name(canvas), {low.x, low.y, high.x - low.x, high.y - low.y});
  const auto& entries = colour_maps()[static_cast<std::size_t>(colour_map_index(r.colour_map))].entries;
  for (int i = 0; i < kSteps; ++i) {
    const int index = std::clamp(256 * (2 * i + 1) / (2 * kSteps), 0, 255);
    const auto& c = entries[static_cast<std::size_t>(r.invert ? 255 - index : index)];
    const float y0 = top + height * (1 - static_cast<float>(i + 1) / kSteps),
                y1 = top + height * (1 - static_cast<float>(i) / kSteps);
    list.AddRectFilled({x, y0}, {x + width, y1}, IM_COL32(c[0], c[1], c[2], 255));
  }
  list.AddRect({x, top}, {x + width, top + height}, IM_COL32(240, 248, 250, 160));
  for (const auto& [part, text] : bar.ticks) {
    const float y = top + height * (1 - static_cast<float>(part));
    list.AddLine({x + width, y}, {x + width + 4 * s, y}, kTextColour);
    list.AddText({x + width + gap, y - 0.5f * line}, kTextColour, text.c_str());
    context.widgets.area(colour_bar_name(canvas) + ".tick." + text, {x + width + gap, y - 0.5f * line, widest, line});
  }
  list.AddText({x, top - 1.4f * line - 1}, kTextColour, bar.unit.c_str());
}

const std::vector<Contour>* ContoursOverlay::contours(const CanvasView& canvas, Context& context) {
  ViewerState& state = context.state;
  Rect area = canvas.transform.visible(canvas.document.header->shape);
  if (area.nx < 2 || area.ny < 2) return nullptr;
  const Document* const other = state.find(state.inspect.contours_of);
  if (other == nullptr || other == &canvas.document) {
    const ViewContours* const found = view_contours(context, canvas.document, canvas.layer, area);
    return found == nullptr ? nullptr : &found->contours;
  }
  if (!other->header || !share_sky(state, canvas.document, *other)) return nullptr;
  area = part_of(state, canvas.document, *other, area);
  if (area.nx < 2 || area.ny < 2) return nullptr;
  const ViewContours* const found = view_contours(context, *other, other->shown, area);
  if (found == nullptr) return nullptr;
  const LaidKey key{found->pixels, found->area, found->levels, canvas.document.id, state.compare.sky_lock};
  return &laid_.of(key, [&] { return laid_on(state, canvas.document, *other, found->contours); });
}

void ContoursOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header || !canvas.primary) return;
  const std::vector<Contour>* const found = contours(canvas, context);
  if (found == nullptr) return;
  std::vector<ImVec2> path;
  const OverlayInk above = ink_of(context.state.inks, "contours"), below = ink_of(context.state.inks, "below");
  const auto width = static_cast<float>(above.width * canvas.scale), dash = static_cast<float>(5 * canvas.scale);
  for (const Contour& contour : *found) {
    for (const Polyline& line : contour.lines) {
      path.clear();
      for (const PixelPosition& p : line.points) path.push_back(vec(canvas.transform.to_screen(p)));
      if (contour.below_middle) {
        if (line.closed && !path.empty()) path.push_back(path.front());
        dashed_line(list, path, packed(below), static_cast<float>(below.width * canvas.scale), dash);
      } else {
        halo_line(list, path, packed(above), width, line.closed, false);
      }
    }
  }
}

std::unique_ptr<Overlay> make_colour_bar_overlay() { return std::make_unique<ColourBarOverlay>(); }
std::unique_ptr<Overlay> make_contours_overlay() { return std::make_unique<ContoursOverlay>(); }

}  // namespace reber::gui
