// SPDX-License-Identifier: BSD-3-Clause
// Regions and the line of the profile on the image: drawing them, making and changing them with the mouse.
#include <algorithm>
#include <cmath>

#include "gui/ui/ink.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kRegionColour = IM_COL32(90, 230, 255, 255);
constexpr unsigned kChosenColour = IM_COL32(255, 225, 90, 255);
constexpr unsigned kExcludedColour = IM_COL32(255, 120, 105, 255);
constexpr double kReach = 7;     // screen units from a handle or an outline
constexpr double kTurnArm = 22;  // screen units of the turning handle beyond the region

/// What the left button has hold of while it is down.
struct Grip {
  enum class What { nothing, handle, whole, making, line } what = What::nothing;
  std::size_t handle = 0;
  PixelPosition start, last;
  std::int64_t document = -1;
};

class RegionsOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
  bool input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) override;

 private:
  bool take_hold(const CanvasInput& mouse, const CanvasView& canvas);
  void follow(const CanvasInput& mouse, const CanvasView& canvas);
  bool click_polygon(const CanvasInput& mouse, const CanvasView& canvas);
  bool make_region(const CanvasInput& mouse, const CanvasView& canvas, Region::Kind tool);
  bool profile_input(const CanvasInput& mouse, const CanvasView& canvas);

  Grip grip_;
  std::vector<PixelPosition> corners_;  ///< of the polygon that is being clicked together
};

double turn_reach(const CanvasView& canvas) { return kTurnArm * canvas.scale / canvas.transform.zoom(); }

std::vector<ImVec2> screen_path(const CanvasView& canvas, const std::vector<PixelPosition>& points) {
  std::vector<ImVec2> path;
  for (const PixelPosition& p : points) path.push_back(vec(canvas.transform.to_screen(p)));
  return path;
}

bool selected_one(const DocumentInspect& d) {
  return d.selected >= 0 && d.selected < static_cast<int>(d.regions.size());
}

void add_region(DocumentInspect& d, Region region) {
  region.name = region.name.empty() ? "Region " + std::to_string(d.regions.size() + 1) : region.name;
  d.regions.push_back(std::move(region));
  d.selected = static_cast<int>(d.regions.size()) - 1;
  ++d.version;
}

/// Takes hold of a handle of the chosen region, or of a region under the mouse.
bool RegionsOverlay::take_hold(const CanvasInput& mouse, const CanvasView& canvas) {
  DocumentInspect& d = canvas.document.inspect;
  const double reach = kReach * canvas.scale;
  if (selected_one(d)) {
    const Region& region = d.regions[static_cast<std::size_t>(d.selected)];
    const auto handles = handles_of(region, turn_reach(canvas));
    for (std::size_t i = 0; i < handles.size(); ++i) {
      const ScreenPoint p = canvas.transform.to_screen(handles[i]);
      if (std::hypot(p.x - mouse.at.x, p.y - mouse.at.y) > reach) continue;
      grip_ = {Grip::What::handle, i, mouse.image_at, mouse.image_at, canvas.document.id};
      return true;
    }
  }
  // The smallest of those under the mouse would be found by area; the newest is what people expect on top.
  for (int i = static_cast<int>(d.regions.size()) - 1; i >= 0; --i) {
    const Region& region = d.regions[static_cast<std::size_t>(i)];
    const bool near = distance_to_outline(region, mouse.image_at) * canvas.transform.zoom() <= reach;
    if (!near && !(d.selected == i && contains(region, mouse.image_at))) continue;
    d.selected = i;
    grip_ = {Grip::What::whole, 0, mouse.image_at, mouse.image_at, canvas.document.id};
    return true;
  }
  return false;
}

void RegionsOverlay::follow(const CanvasInput& mouse, const CanvasView& canvas) {
  DocumentInspect& d = canvas.document.inspect;
  if (!selected_one(d)) return;
  Region& region = d.regions[static_cast<std::size_t>(d.selected)];
  if (grip_.what == Grip::What::handle) {
    region = pull_handle(region, grip_.handle, mouse.image_at, mouse.shift);
  } else {
    region = moved(region, mouse.image_at.x - grip_.last.x, mouse.image_at.y - grip_.last.y);
  }
  grip_.last = mouse.image_at;
  ++d.version;
}

bool RegionsOverlay::click_polygon(const CanvasInput& mouse, const CanvasView& canvas) {
  if (mouse.double_clicked && corners_.size() >= 3) {
    Region region;
    region.kind = Region::Kind::polygon;
    region.points = corners_;
    corners_.clear();
    add_region(canvas.document.inspect, region);
  } else if (mouse.clicked) {
    const bool again =
        !corners_.empty() && std::hypot(corners_.back().x - mouse.image_at.x, corners_.back().y - mouse.image_at.y) *
                                     canvas.transform.zoom() <
                                 3 * canvas.scale;
    if (!again) corners_.push_back(mouse.image_at);
  }
  return true;
}

bool RegionsOverlay::make_region(const CanvasInput& mouse, const CanvasView& canvas, Region::Kind tool) {
  if (tool == Region::Kind::polygon) return click_polygon(mouse, canvas);
  if (tool == Region::Kind::point) {
    if (!mouse.clicked) return true;
    Region region;
    region.kind = tool;
    region.centre = mouse.image_at;
    add_region(canvas.document.inspect, region);
    return true;
  }
  if (mouse.pressed) grip_ = {Grip::What::making, 0, mouse.image_at, mouse.image_at, canvas.document.id};
  if (grip_.what != Grip::What::making) return false;
  grip_.last = mouse.image_at;
  if (!mouse.released) return true;
  grip_.what = Grip::What::nothing;
  const double size = std::hypot(mouse.image_at.x - grip_.start.x, mouse.image_at.y - grip_.start.y);
  if (size * canvas.transform.zoom() < 4 * canvas.scale) {
    canvas.document.inspect.selected = -1;
    return true;
  }
  if (tool == Region::Kind::line) {
    Region region;
    region.kind = tool;
    region.points = {grip_.start, mouse.image_at};
    add_region(canvas.document.inspect, region);
  } else {
    add_region(canvas.document.inspect, region_between(tool, grip_.start, mouse.image_at));
  }
  return true;
}

bool RegionsOverlay::profile_input(const CanvasInput& mouse, const CanvasView& canvas) {
  if (mouse.pressed) grip_ = {Grip::What::line, 0, mouse.image_at, mouse.image_at, canvas.document.id};
  if (grip_.what != Grip::What::line || grip_.document != canvas.document.id) return false;
  canvas.document.inspect.line = std::pair(grip_.start, mouse.image_at);
  if (mouse.released) grip_.what = Grip::What::nothing;
  return true;
}

void draw_region(const CanvasView& canvas, const Region& region, bool chosen, ImDrawList& list) {
  const unsigned colour = chosen ? kChosenColour : region.excluded ? kExcludedColour : kRegionColour;
  const auto width = static_cast<float>((chosen ? 1.8 : 1.4) * canvas.scale);
  const auto path = screen_path(canvas, outline_of(region));
  if (path.empty()) return;
  if (region.kind == Region::Kind::point) {
    const auto r = static_cast<float>(5 * canvas.scale);
    const ImVec2 p = path[0];
    halo_line(list, {{p.x - r, p.y}, {p.x + r, p.y}}, colour, width, false);
    halo_line(list, {{p.x, p.y - r}, {p.x, p.y + r}}, colour, width, false);
  } else {
    halo_line(list, path, colour, width, region.kind != Region::Kind::line);
    if (const auto hole = hole_of(region); hole && !region.is_sector())
      halo_line(list, screen_path(canvas, outline_of(*hole)), colour, width, true);
  }
  if (region.excluded && region.has_area()) {  // a stroke through it, as in DS9
    const auto [left, right] = std::ranges::minmax(path, {}, [](const ImVec2& p) { return p.x - p.y; });
    halo_line(list, {left, right}, kExcludedColour, width, false);
  }
  if (!region.name.empty()) {
    ImVec2 top = path[0];
    for (const ImVec2& p : path) {
      if (p.y < top.y) top = p;
    }
    const ImVec2 size = ImGui::CalcTextSize(region.name.c_str());
    halo_text(list, {top.x - 0.5f * size.x, top.y - size.y - 3}, colour, region.name);
  }
  if (!chosen) return;
  const auto half = static_cast<float>(3.5 * canvas.scale);
  for (const PixelPosition& handle : handles_of(region, turn_reach(canvas))) {
    const ImVec2 p = vec(canvas.transform.to_screen(handle));
    list.AddRectFilled({p.x - half - 1, p.y - half - 1}, {p.x + half + 1, p.y + half + 1}, palette().halo);
    list.AddRectFilled({p.x - half, p.y - half}, {p.x + half, p.y + half}, colour);
  }
}

}  // namespace

void RegionsOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const DocumentInspect& d = canvas.document.inspect;
  for (std::size_t i = 0; i < d.regions.size(); ++i) {
    draw_region(canvas, d.regions[i], static_cast<int>(i) == d.selected && !canvas.for_file, list);
  }
  const auto width = static_cast<float>(1.5 * canvas.scale);
  if (d.line) {
    const auto path = screen_path(canvas, {d.line->first, d.line->second});
    halo_line(list, path, kChosenColour, width, false);
  }
  if (grip_.what == Grip::What::making && grip_.document == canvas.document.id) {
    const Region::Kind tool = context.state.inspect.tool;
    const auto shape = tool == Region::Kind::line ? std::vector{grip_.start, grip_.last}
                                                  : outline_of(region_between(tool, grip_.start, grip_.last));
    halo_line(list, screen_path(canvas, shape), kChosenColour, width, tool != Region::Kind::line);
  }
  if (!corners_.empty() && context.state.mode == Mode::region) {
    halo_line(list, screen_path(canvas, corners_), kChosenColour, width, false);
    for (const ImVec2& p : screen_path(canvas, corners_)) list.AddCircleFilled(p, 3, kChosenColour);
  }
}

bool RegionsOverlay::input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  if (mouse.control) return false;
  if (context.state.mode == Mode::profile) return profile_input(mouse, canvas);
  if (grip_.what == Grip::What::handle || grip_.what == Grip::What::whole) {
    if (grip_.document == canvas.document.id && (mouse.down || mouse.released)) follow(mouse, canvas);
    if (!mouse.down) grip_.what = Grip::What::nothing;
    return true;
  }
  if (grip_.what == Grip::What::nothing && corners_.empty() && mouse.pressed && take_hold(mouse, canvas)) return true;
  if (context.state.mode == Mode::region) {
    const std::size_t before = canvas.document.inspect.regions.size();
    const bool taken = make_region(mouse, canvas, context.state.inspect.tool);
    if (canvas.document.inspect.regions.size() > before) context.state.raised_panel = "regions";
    return taken;
  }
  corners_.clear();
  return false;
}

std::unique_ptr<Overlay> make_regions_overlay() { return std::make_unique<RegionsOverlay>(); }

}  // namespace reber::gui
