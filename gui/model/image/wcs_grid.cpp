// SPDX-License-Identifier: BSD-3-Clause
// Coordinate grid by tracing levels of longitude and latitude on a mesh of the screen.
#include "gui/model/image/wcs_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/show/picture/sky_axes.hpp"

namespace reber::gui {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;
constexpr double kCloseEnough = 0.01;  // screen units between two guesses of a crossing

struct Mesh {
  int ny = 0, nx = 0;
  double dx = 0, dy = 0;
  ScreenRect area;
  std::vector<std::optional<SkyPosition>> nodes;

  [[nodiscard]] ScreenPoint point(double x, double y) const { return {area.x + x * dx, area.y + y * dy}; }
  [[nodiscard]] const std::optional<SkyPosition>& at(int y, int x) const {
    return nodes[static_cast<std::size_t>(y) * nx + x];
  }
};

std::optional<SkyPosition> sky_at(const SkyView& sky, const CanvasTransform& canvas, ScreenPoint point) {
  const PixelPosition p = canvas.to_image(point);
  return sky.to_sky(p.x, p.y);
}

Mesh make_mesh(const SkyView& sky, const CanvasTransform& canvas, double size) {
  Mesh mesh;
  mesh.area = canvas.canvas();
  const int cells_x = std::clamp(static_cast<int>(mesh.area.width / size), 8, 200),
            cells_y = std::clamp(static_cast<int>(mesh.area.height / size), 8, 200);
  mesh.nx = cells_x + 1;
  mesh.ny = cells_y + 1;
  mesh.dx = mesh.area.width / cells_x;
  mesh.dy = mesh.area.height / cells_y;
  for (int y = 0; y < mesh.ny; ++y) {
    for (int x = 0; x < mesh.nx; ++x) mesh.nodes.push_back(sky_at(sky, canvas, mesh.point(x, y)));
  }
  return mesh;
}

/// The node on the sky nearest to the middle of the mesh, with a right neighbour on the sky.
std::optional<std::pair<int, int>> middle_node(const Mesh& mesh) {
  std::optional<std::pair<int, int>> best;
  double least = 1e30;
  for (int y = 0; y < mesh.ny; ++y) {
    for (int x = 0; x + 1 < mesh.nx; ++x) {
      const double d = std::hypot(x - 0.5 * mesh.nx, y - 0.5 * mesh.ny);
      if (d < least && mesh.at(y, x) && mesh.at(y, x + 1)) {
        least = d;
        best = {y, x};
      }
    }
  }
  return best;
}

std::string label_text(bool longitude, double value, double step, bool hours, bool sexagesimal) {
  const double wrapped = longitude ? std::fmod(std::fmod(value, 360) + 360, 360) : value;
  if (!sexagesimal) {
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    std::string text =
        longitude ? fmt::format("{:.{}f}\xC2\xB0", wrapped, digits) : fmt::format("{:+.{}f}\xC2\xB0", wrapped, digits);
    return text;
  }
  std::string text = longitude && hours ? hours_text(wrapped, step) : degrees_text(wrapped, step, !longitude);
  std::erase(text, '^');
  return text;
}

double round_decimal(double wanted) {
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * decade >= wanted * 0.999) return m * decade;
  }
  return 10 * decade;
}

struct Family {
  bool longitude = true;
  double step = 1;
  std::vector<std::pair<double, std::vector<std::vector<ScreenPoint>>>> lines;  ///< value, pieces
};

void trace_family(const SkyView& sky, const CanvasTransform& canvas, const Mesh& mesh, double origin, Family& family) {
  const double size = std::max(mesh.dx, mesh.dy);
  const auto value_of = [&](const SkyPosition& p) {
    return family.longitude ? origin + std::remainder(p.lon_deg - origin, 360.0) : p.lat_deg;
  };
  double low = 1e30, high = -1e30;
  for (const auto& node : mesh.nodes) {
    if (!node) continue;
    low = std::min(low, value_of(*node));
    high = std::max(high, value_of(*node));
  }
  constexpr long long kMostLines = 60;
  auto first = static_cast<long long>(std::ceil(low / family.step)),
       last = static_cast<long long>(std::floor(high / family.step));
  last = std::min(last, first + kMostLines);
  std::vector<float> field(mesh.nodes.size());
  for (long long k = first; k <= last; ++k) {
    const double value = static_cast<double>(k) * family.step;
    if (!family.longitude && std::abs(value) > 90 - 1e-9) continue;
    // Longitudes on the far side of a pole have no crossing here: they read as blank.
    const auto difference = [&](const std::optional<SkyPosition>& p) {
      if (!p) return std::nan("");
      const double d = family.longitude ? std::remainder(p->lon_deg - value, 360.0) : p->lat_deg - value;
      return std::abs(d) > 90 ? std::nan("") : d;
    };
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>(difference(mesh.nodes[i]));
    const RefineCrossing refine = [&](int x0, int y0, int x1, int y1, double guess) {
      double a = 0, b = 1, fa = difference(mesh.at(y0, x0)), fb = difference(mesh.at(y1, x1)), t = guess;
      // Regula falsi, the end that stays weakened (Illinois): near a pole longitude is far from linear.
      for (int round = 0; round < 12; ++round) {
        const double f = difference(sky_at(sky, canvas, mesh.point(x0 + t * (x1 - x0), y0 + t * (y1 - y0))));
        if (!std::isfinite(f) || f == 0) break;
        const bool like_first = (f < 0) == (fa < 0);
        (like_first ? a : b) = t;
        (like_first ? fa : fb) = f;
        (like_first ? fb : fa) *= round > 0 ? 0.5 : 1;
        const double next = a - fa * (b - a) / (fb - fa);
        if (!std::isfinite(next)) break;
        const bool there = std::abs(next - t) * size < kCloseEnough;
        t = next;
        if (there) break;
      }
      return t;
    };
    std::vector<std::vector<ScreenPoint>> pieces;
    for (const Polyline& line : trace_level(field.data(), mesh.ny, mesh.nx, 0, refine)) {
      std::vector<ScreenPoint> piece;
      for (const PixelPosition& p : line.points) piece.push_back(mesh.point(p.x, p.y));
      if (line.closed && !piece.empty()) piece.push_back(piece.front());
      if (piece.size() >= 2) pieces.push_back(std::move(piece));
    }
    if (!pieces.empty()) family.lines.emplace_back(value, std::move(pieces));
  }
}

std::optional<CanvasEdge> edge_of(ScreenPoint p, const ScreenRect& area) {
  constexpr double kNear = 0.01;
  if (std::abs(p.y - area.y - area.height) < kNear) return CanvasEdge::bottom;
  if (std::abs(p.x - area.x) < kNear) return CanvasEdge::left;
  if (std::abs(p.y - area.y) < kNear) return CanvasEdge::top;
  if (std::abs(p.x - area.x - area.width) < kNear) return CanvasEdge::right;
  return std::nullopt;
}

int ends_on(const Family& family, const ScreenRect& area, CanvasEdge edge) {
  int count = 0;
  for (const auto& [value, pieces] : family.lines) {
    for (const auto& piece : pieces)
      count += (edge_of(piece.front(), area) == edge) + (edge_of(piece.back(), area) == edge);
  }
  return count;
}

/// One label per line: at the wished edge, else where it ends at all.
void add_labels(const Family& family, const ScreenRect& area, CanvasEdge wished, bool hours, bool sexagesimal,
                std::vector<GridLabel>& labels) {
  for (const auto& [value, pieces] : family.lines) {
    std::optional<GridLabel> found;
    for (const auto& piece : pieces) {
      for (const ScreenPoint& end : {piece.front(), piece.back()}) {
        const auto edge = edge_of(end, area);
        if (!edge || (found && found->edge == wished)) continue;
        if (!found || *edge == wished) found = GridLabel{end, *edge, {}};
      }
    }
    if (!found) {
      // A parallel of an all-sky map, or a circle about a pole: in the middle of its longest piece.
      const auto longest =
          std::ranges::max_element(pieces, {}, [](const std::vector<ScreenPoint>& piece) { return piece.size(); });
      found = GridLabel{(*longest)[longest->size() / 2], CanvasEdge::none, {}};
    }
    found->text = label_text(family.longitude, value, family.step, hours, sexagesimal);
    labels.push_back(*found);
  }
}

}  // namespace

SkyGrid sky_grid(const SkyView& sky, const CanvasTransform& canvas, bool sexagesimal, double spacing, double size) {
  SkyGrid grid;
  const ScreenRect area = canvas.canvas();
  if (!sky.celestial() || !(area.width > 1) || !(area.height > 1)) return grid;
  const Mesh mesh = make_mesh(sky, canvas, size);
  const auto middle = middle_node(mesh);
  if (!middle) return grid;
  const SkyPosition centre = *mesh.at(middle->first, middle->second);
  const double scale = separation_deg(centre, *mesh.at(middle->first, middle->second + 1)) / mesh.dx;
  if (!(scale > 0)) return grid;
  const bool hours = sky.shown() && sky.shown()->equatorial() && sexagesimal;
  const double lat_wanted = std::min(45.0, spacing * scale),
               lon_wanted = std::min(45.0, spacing * scale / std::max(1e-3, std::cos(centre.lat_deg * kDegree)));
  Family lon{true, sexagesimal ? round_sky_step(lon_wanted, hours) : round_decimal(lon_wanted), {}};
  Family lat{false, sexagesimal ? round_sky_step(lat_wanted, false) : round_decimal(lat_wanted), {}};
  lon.step = std::min(lon.step, hours ? 45.0 : 60.0);
  trace_family(sky, canvas, mesh, centre.lon_deg, lon);
  trace_family(sky, canvas, mesh, centre.lon_deg, lat);
  // Each family has the edge that more of its lines reach.
  const int lon_bottom = ends_on(lon, area, CanvasEdge::bottom) + ends_on(lat, area, CanvasEdge::left),
            lon_left = ends_on(lon, area, CanvasEdge::left) + ends_on(lat, area, CanvasEdge::bottom);
  const bool turned = lon_left > lon_bottom;
  for (const Family* family : {&lon, &lat}) {
    for (const auto& [value, pieces] : family->lines) grid.lines.insert(grid.lines.end(), pieces.begin(), pieces.end());
    const bool bottom = family->longitude != turned;
    add_labels(*family, area, bottom ? CanvasEdge::bottom : CanvasEdge::left, hours, sexagesimal, grid.labels);
  }
  grid.lon_step_deg = lon.step;
  grid.lat_step_deg = lat.step;
  return grid;
}

}  // namespace reber::gui
