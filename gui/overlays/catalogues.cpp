// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from files over the image: a diamond per source, the ellipse where it has a size.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "gui/model/cube/cube_images.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/tables/source_shapes.hpp"
#include "gui/ui/catalogue_colours.hpp"
#include "gui/ui/marks.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// More marks than this in view say nothing any more; only so many are drawn.
constexpr int kMost = 20000;
/// Marks smaller than this are filled, without a dark line around them.
constexpr float kSmall = 3;

const std::vector<PixelPosition> kNone;

bool in_view(const ScreenRect& canvas, ScreenPoint p, double margin) {
  return p.x > canvas.x - margin && p.y > canvas.y - margin && p.x < canvas.x + canvas.width + margin &&
         p.y < canvas.y + canvas.height + margin;
}

void diamond(ImDrawList& list, ScreenPoint p, float r, unsigned colour, float width) {
  const auto x = static_cast<float>(p.x), y = static_cast<float>(p.y);
  const ImVec2 points[4] = {{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}};
  if (r < kSmall) {
    const float half = std::max(0.5f, 0.7f * r);
    if (r < 1) list.AddRectFilled({x - half, y - half}, {x + half, y + half}, colour);  // a screen pixel
    if (r >= 1) list.AddConvexPolyFilled(points, 4, colour);
    return;
  }
  list.AddPolyline(points, 4, palette().halo, ImDrawFlags_Closed, width + 2);
  list.AddPolyline(points, 4, colour, ImDrawFlags_Closed, width);
}

/// Half the size of a mark: where many are in view they cover one tenth of what is seen of the image together, so that
/// it is seen; a mark is never less than a screen pixel.
double mark_size(int in_view, const CanvasView& canvas) {
  constexpr double kLargest = 5, kLeast = 0.5, kPart = 0.1;
  const ScreenRect& area = canvas.transform.canvas();
  const Rect seen = canvas.transform.visible(canvas.document.header->shape);
  const double zoom = canvas.transform.zoom();
  const double image = static_cast<double>(seen.nx) * static_cast<double>(seen.ny) * zoom * zoom;
  const double room = kPart * std::min(area.width * area.height, image) / (2 * std::max(1, in_view));  // 2 r^2 each
  return std::clamp(std::sqrt(room), kLeast, kLargest * canvas.scale);
}

/// FWHM ellipse of a row, where it is large enough to be seen; false where it has none.
bool ellipse(ImDrawList& list, const SkyList& rows, std::size_t row, const CanvasView& canvas, PixelPosition at,
             unsigned colour, float width) {
  if (rows.major.empty() || rows.minor.empty() || !(rows.major[row] > 0) || !(rows.minor[row] > 0)) return false;
  const auto local = canvas.document.header->wcs.sky_per_pixel(at.x, at.y);
  if (!local || !(std::abs(local->determinant()) > 0)) return false;
  const double pa = rows.pa.empty() || std::isnan(rows.pa[row]) ? 0 : rows.pa[row];
  const EllipseAxes axes = axes_of(to_pixels(sky_covariance(rows.major[row], rows.minor[row], pa), *local));
  if (axes.major * canvas.transform.zoom() < 9 * canvas.scale) return false;
  constexpr int kSides = 40;
  ImVec2 points[kSides];
  for (int i = 0; i < kSides; ++i) {
    const double t = 2 * 3.14159265358979323846 * i / kSides;
    const double u = 0.5 * axes.major * std::cos(t), v = 0.5 * axes.minor * std::sin(t);
    const ScreenPoint p = canvas.transform.to_screen({at.x + u * std::cos(axes.angle) - v * std::sin(axes.angle),
                                                      at.y + u * std::sin(axes.angle) + v * std::cos(axes.angle)});
    points[i] = {static_cast<float>(p.x), static_cast<float>(p.y)};
  }
  list.AddPolyline(points, kSides, palette().halo, ImDrawFlags_Closed, width + 2);
  list.AddPolyline(points, kSides, colour, ImDrawFlags_Closed, width);
  return true;
}

/// A circle whose size a column gives.
void circle(ImDrawList& list, ScreenPoint p, float r, unsigned colour, float width) {
  const ImVec2 at{static_cast<float>(p.x), static_cast<float>(p.y)};
  list.AddCircle(at, r, palette().halo, 0, width + 2);
  list.AddCircle(at, r, colour, 0, width);
}

struct MarksKey {
  std::shared_ptr<const Catalogue> catalogue;
  MarkLook look;
  bool operator==(const MarksKey&) const = default;
};

class CataloguesOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;

 private:
  const Marks& marks_in(const OpenCatalogue& catalogue);
  void draw_legends(const CanvasView& canvas, Context& context, ImDrawList& list);

  std::map<std::string, Memo<MarksKey, Marks>> marks_;  ///< by path
};

}  // namespace

const Marks& CataloguesOverlay::marks_in(const OpenCatalogue& catalogue) {
  return marks_[catalogue.path].of({catalogue.catalogue, catalogue.marks},
                                   [&] { return marks_of(*catalogue.catalogue, catalogue.marks); });
}

/// Below that of the sources.
void CataloguesOverlay::draw_legends(const CanvasView& canvas, Context& context, ImDrawList& list) {
  double y = mark_legend_top(canvas);
  if (const ScreenRect* const above = context.widgets.find("overlay.marks"); above != nullptr)
    y = above->y + above->height + 4 * canvas.scale - canvas.transform.canvas().y;
  int number = 0;
  for (const auto& catalogue : context.state.workbench->catalogues) {
    const std::string name = "overlay.marks." + std::to_string(number++);
    if (catalogue->shown) y = draw_mark_legend(canvas, context, list, catalogue->marks, marks_in(*catalogue), name, y);
  }
}

void CataloguesOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header) return;
  // Cuts and grids of channel maps have no sky, and their pixels are not the catalogue's.
  if (const auto& made = canvas.document.made_of; made && (made->cut || !made->cells.empty())) return;
  int drawn = 0, marks = 0;
  for (const auto& catalogue : context.state.workbench->catalogues)
    for (const PixelPosition& at : catalogue->shown ? project(*catalogue, canvas.document.header) : kNone)
      marks += std::isfinite(at.x) && in_view(canvas.transform.canvas(), canvas.transform.to_screen(at), 0) ? 1 : 0;
  const double size = mark_size(marks, canvas);
  for (const auto& catalogue : context.state.workbench->catalogues) {
    if (!catalogue->shown) continue;
    const auto& pixels = project(*catalogue, canvas.document.header);
    const unsigned usual = catalogue_colour(catalogue->colour);
    const Marks& by_column = marks_in(*catalogue);
    for (std::size_t i = 0; i < pixels.size() && drawn < kMost; ++i) {
      if (!std::isfinite(pixels[i].x)) continue;
      const ScreenPoint p = canvas.transform.to_screen(pixels[i]);
      if (!in_view(canvas.transform.canvas(), p, 30)) continue;
      ++drawn;
      const bool focus = catalogue->focus == static_cast<std::int64_t>(i);
      const auto width = static_cast<float>((focus ? 2.6 : 1.4) * canvas.scale);
      const EllipseMark mark = i < by_column.rows.size() ? by_column.rows[i] : EllipseMark();
      const unsigned colour = mark.colour != 0 ? mark.colour : usual;
      if (mark.radius > 0)
        circle(list, p, static_cast<float>(mark.radius * canvas.scale), colour, width);
      else if (!ellipse(list, catalogue->list, i, canvas, pixels[i], colour, width))
        diamond(list, p, static_cast<float>(focus ? 8 * canvas.scale : size), colour, width);
    }
  }
  draw_legends(canvas, context, list);
}

std::unique_ptr<Overlay> make_catalogues_overlay() { return std::make_unique<CataloguesOverlay>(); }

}  // namespace reber::gui
