// SPDX-License-Identifier: BSD-3-Clause
// What is drawn on the image, and the table of it. A new one is one file under gui/overlays and one row in
// gui/app/overlay_table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gui/model/figure.hpp"
#include "gui/render/ellipse_renderer.hpp"
#include "gui/render/image_renderer.hpp"
#include "gui/render/pass_clock.hpp"
#include "gui/ui/shell.hpp"

struct ImDrawList;

namespace reber::gui {

/// The canvas on which an image is drawn. Side by side there are two.
struct CanvasView {
  Document& document;
  LayerKind layer;
  CanvasTransform transform;
  bool primary = true;    ///< the one that takes the mouse
  double scale = 1;       ///< of lines and text: user's times screen's
  bool framed = false;    ///< axes with their labels and the colour bar stand around it: a figure for a paper
  bool for_file = false;  ///< what is there for the hand is left out: handles, the mark and number of what is selected
};

/// The mouse on the primary canvas, in this frame.
struct CanvasInput {
  bool hovered = false;
  ScreenPoint at;
  PixelPosition image_at;
  bool pressed = false, down = false, released = false;  ///< left button
  bool clicked = false;                                  ///< released where it was pressed (within 3 units)
  bool double_clicked = false;
  bool shift = false, control = false;
};

/// What paints a picture: its target is bound, and as large as the scene's canvas.
struct Brush {
  ImageRenderer& image;
  EllipseRenderer& ellipses;
  const ImageScene& scene;
  double ratio;  ///< pixels of the target per canvas point
  PassClock& passes;
};

/// What a painting depends on beside the scene: another one is painted again. Empty: nothing is painted.
using PaintKey = std::vector<std::uint64_t>;

/// Something over the image, with state of its own: its members. It is made with the window and goes before it.
class Overlay {
 public:
  Overlay() = default;
  virtual ~Overlay() = default;
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// Puts lines into the list, in canvas points, above the image and clipped to the canvas.
  virtual void draw(const CanvasView&, Context&, ImDrawList&) {}
  /// Paints into the picture itself, by OpenGL, below all that draw() puts into lists; pictures are kept while the view
  /// and the keys of all paintings stay.
  virtual void paint(const CanvasView&, Context&, const Brush&) {}
  [[nodiscard]] virtual PaintKey paint_key(const CanvasView&, const ViewerState&) const { return {}; }
  /// True: a figure for a file takes add_lines() in place of paint().
  [[nodiscard]] virtual bool has_lines() const { return false; }
  virtual void add_lines(const CanvasView&, const ViewerState&, std::vector<FigureItem>&) const {}
  /// Whether it needs a layer that may not be shown itself.
  [[nodiscard]] virtual bool needs(LayerKind) const { return false; }
  /// Sees the mouse first, in the table's order, while the overlay is on; true means that it took it and neither those
  /// behind it nor panning see it.
  virtual bool input(const CanvasInput&, const CanvasView&, Context&) { return false; }
};

struct OverlayRow {
  const char* name;   ///< "grid": of settings and the action "overlay.grid"
  const char* title;  ///< "Coordinate grid"
  bool on_by_default;
  const char* key;  ///< that toggles it, as in Action::key; "" for none
  const char* tooltip;
  std::unique_ptr<Overlay> (*make)();
};

/// In drawing order.
[[nodiscard]] std::span<const OverlayRow> overlay_rows();

/// The overlays of one window, one per row.
class Overlays {
 public:
  struct Entry {
    const OverlayRow& row;
    std::unique_ptr<Overlay> overlay;
  };
  Overlays();
  [[nodiscard]] const std::vector<Entry>& all() const { return all_; }

 private:
  std::vector<Entry> all_;
};

[[nodiscard]] bool is_on(const ViewerState& state, const OverlayRow& overlay);

/// The widget that the colour bar of a canvas is for scripts and for what stands beside it.
[[nodiscard]] std::string colour_bar_name(const CanvasView& canvas);
/// What the colour bar of the first canvas took of it at the right in the last frame, in steps of 8 points; 0 without.
[[nodiscard]] double colour_bar_room(const Widgets& widgets, const ScreenRect& canvas);
/// fit_view() of a document with a header. A grid of channel maps leaves out the room of the colour bar, which would
/// cover its last column.
[[nodiscard]] ViewTransform whole_view(const Document& document, const ScreenRect& canvas, double bar_room);

}  // namespace reber::gui
