// SPDX-License-Identifier: BSD-3-Clause
// Actions that change what part of the image is seen.
#include <cmath>

#include "gui/app/actions.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

ScreenRect canvas_of(const Context& c) {
  const ScreenRect* area = c.widgets.find("canvas");
  return area == nullptr ? ScreenRect{0, 0, 800, 600} : *area;
}

void zoom_by(Context& c, double factor) {
  const ScreenRect area = canvas_of(c);
  const ViewTransform& view = c.state.document()->view;
  // About the cursor where it is on the image, else about the middle.
  ScreenPoint at{area.x + 0.5 * area.width, area.y + 0.5 * area.height};
  if (c.state.cursor.on_image && !c.state.cursor.frozen) {
    const ScreenPoint cursor = CanvasTransform(view, area).to_screen(c.state.cursor.at);
    if (area.contains(cursor)) at = cursor;
  }
  c.state.document()->view = zoom_at(view, area, at, factor);
}

Action zoom_to(int times) {
  return {"view.zoom_" + std::to_string(times),
          std::to_string(times) + ":1",
          "View/Zoom",
          std::to_string(times),
          "Shows an image pixel as " + std::to_string(times) + " x " + std::to_string(times) + " screen pixels.",
          has_pixels,
          [times](Context& c) { zoom_by(c, times / c.state.document()->view.zoom); },
          {}};
}

/// The crosshair moves by a pixel as it is seen: Left is left, whatever the flips.
void move_crosshair(Context& c, double dx, double dy) {
  Document& document = *c.state.document();
  const ScreenRect area = canvas_of(c);
  const CanvasTransform transform(document.view, area);
  const PixelPosition now =
      c.state.cursor.crosshair.value_or(c.state.cursor.on_image ? c.state.cursor.at : document.view.centre);
  const PixelPosition zero = transform.to_image({area.x, area.y});
  const PixelPosition step = transform.to_image({area.x + dx * document.view.zoom, area.y + dy * document.view.zoom});
  c.state.cursor.crosshair =
      PixelPosition{std::round(now.x) + std::round(step.x - zero.x), std::round(now.y) + std::round(step.y - zero.y)};
}

void pan_part(Context& c, double dx, double dy, double part) {
  const ScreenRect area = canvas_of(c);
  Document& document = *c.state.document();
  document.view = pan_by(document.view, area, -dx * part * area.width, -dy * part * area.height);
}

void add_arrows(std::vector<Action>& rows) {
  struct Arrow {
    const char* key;
    const char* word;
    double dx, dy;
  };
  for (const Arrow& a :
       {Arrow{"Left", "left", -1, 0}, {"Right", "right", 1, 0}, {"Up", "up", 0, -1}, {"Down", "down", 0, 1}}) {
    const std::string key = a.key, word = a.word;
    const double dx = a.dx, dy = a.dy;
    rows.push_back({"crosshair." + word,
                    "Crosshair " + word,
                    "",
                    key,
                    "Moves the crosshair by one image pixel.",
                    has_pixels,
                    [dx, dy](Context& c) { move_crosshair(c, dx, dy); },
                    {}});
    rows.push_back({"view.page_" + word,
                    "Page " + word,
                    "",
                    "Shift+" + key,
                    "Moves the view by its own size.",
                    has_pixels,
                    [dx, dy](Context& c) { pan_part(c, dx, dy, 1); },
                    {}});
    rows.push_back({"view.pan_" + word,
                    "Pan " + word,
                    "",
                    "Ctrl+" + key,
                    "Moves the view by a tenth of its size.",
                    has_pixels,
                    [dx, dy](Context& c) { pan_part(c, dx, dy, 0.1); },
                    {}});
  }
}

}  // namespace

std::vector<Action> view_actions() {
  std::vector<Action> rows{
      {"view.fit",
       "Fit",
       "View/Zoom",
       "Ctrl+0 ` Shift+f",
       "Shows the whole image.",
       has_pixels,
       [](Context& c) {
         Document& document = *c.state.document();
         const ScreenRect area = canvas_of(c);
         document.view = whole_view(document, area, colour_bar_room(c.widgets, area));
       },
       {}},
      {"view.zoom_in",
       "Zoom in",
       "View/Zoom",
       "z KeypadAdd Ctrl+=",
       "Twice as large, about the cursor.",
       has_pixels,
       [](Context& c) { zoom_by(c, 2); },
       {}},
      {"view.zoom_out",
       "Zoom out",
       "View/Zoom",
       "Shift+z KeypadSubtract Ctrl+-",
       "Half as large, about the cursor.",
       has_pixels,
       [](Context& c) { zoom_by(c, 0.5); },
       {}},
      zoom_to(1),
      zoom_to(2),
      zoom_to(4),
      zoom_to(8),
      {"view.flip_x", "Flip left and right", "View/Orientation", "[", "Mirrors the image along x.", has_pixels,
       [](Context& c) { c.state.document()->view.flip_x = !c.state.document()->view.flip_x; },
       [](const ViewerState& s) { return has_document(s) && s.document()->view.flip_x; }},
      {"view.flip_y", "Flip up and down", "View/Orientation", "]", "Mirrors the image along y.", has_pixels,
       [](Context& c) { c.state.document()->view.flip_y = !c.state.document()->view.flip_y; },
       [](const ViewerState& s) { return has_document(s) && s.document()->view.flip_y; }},
      {"view.north_up",
       "North up",
       "View/Orientation",
       "Shift+n",
       "Turns the image so that north is up and east left.",
       [](const ViewerState& s) { return has_pixels(s) && s.document()->header->wcs.celestial(); },
       [](Context& c) {
         Document& document = *c.state.document();
         document.view = north_up(document.view, document.header->wcs);
       },
       {}},
      {"view.upright",
       "As stored",
       "View/Orientation",
       "",
       "Takes flips and rotation away.",
       has_pixels,
       [](Context& c) {
         ViewTransform& view = c.state.document()->view;
         view.flip_x = view.flip_y = false;
         view.rotation_deg = 0;
       },
       {}},
      {"view.centre_here",
       "Centre on the cursor",
       "View",
       "",
       "Moves the position under the cursor to the middle.",
       [](const ViewerState& s) { return has_pixels(s) && s.cursor.on_image; },
       [](Context& c) { c.state.document()->view.centre = c.state.cursor.at; },
       {}},
      panel_action("goto", "View"),
      {"view.pixel_grid", "Pixel grid", "View", "", "Lines between pixels at high zoom.", has_pixels,
       [](Context& c) { c.state.pixel_grid = !c.state.pixel_grid; }, [](const ViewerState& s) { return s.pixel_grid; }},
      {"cursor.freeze", "Freeze the readout", "View", "f", "Readout and profiles stay where the cursor is now.",
       has_pixels, [](Context& c) { c.state.cursor.frozen = !c.state.cursor.frozen; },
       [](const ViewerState& s) { return s.cursor.frozen; }},
  };
  add_arrows(rows);
  return rows;
}

}  // namespace reber::gui
