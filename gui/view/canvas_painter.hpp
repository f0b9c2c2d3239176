// SPDX-License-Identifier: BSD-3-Clause
// The image on the screen: one picture, or several that are compared, with what is drawn on them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gui/model/viewer_options.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/view/off_screen.hpp"

namespace reber::gui {

/// All that a canvas's picture is drawn from: the same again needs no drawing.
struct PictureKey {
  std::int64_t document = -1;
  std::uint64_t pixels = 0, other = 0;                             ///< Pyramid::id()
  std::vector<std::pair<std::uint64_t, RenderSettings>> channels;  ///< of Blend::rgb
  Blend blend = Blend::first;
  ViewTransform view;
  RenderSettings settings;
  bool pixel_grid = false, light_theme = false, fine = true;
  int width = 0, height = 0;
  std::vector<PaintKey> paintings;  ///< of the overlays, in the table's order

  bool operator==(const PictureKey&) const = default;
};

/// Draws documents onto parts of the window, and pictures off it. OpenGL's context is current as long as it lives.
class CanvasPainter {
 public:
  /// software: OpenGL renders on the processor.
  CanvasPainter(std::int64_t texture_bytes, bool software);

  /// Begins a frame: nothing is drawn yet.
  void begin_frame();
  /// The active document, or those that are compared, on that part of the window; the mouse on them is taken.
  ///   scale: of lines and text.   returns the part that the first image has
  ScreenRect draw(Context& context, const ScreenRect& area, double scale);
  /// Of this frame: all tiles were there, and no picture off the screen is left to draw.
  [[nodiscard]] bool complete() const { return complete_; }
  /// Part of the window that an opaque picture fills in this frame.
  [[nodiscard]] const ScreenRect& covered() const { return covered_; }
  /// The next frame is drawn afresh even where nothing changed.
  void forget_pictures();

  /// Goes on with the pictures off the screen; once a frame, behind draw().
  void step_off_screen(Context& context);
  void order(Context& context, Document& document, const PictureOrder& order) {
    off_screen_.order(context, document, order);
  }
  std::uintptr_t small_picture(const ViewerState& state, const Document& document, const ViewTransform& view, int width,
                               int height);

  [[nodiscard]] TileCache& tiles() { return image_.tiles(); }
  /// Of this frame's parts on the card, for measurements.
  [[nodiscard]] PassClock& passes() { return passes_; }

 private:
  struct Picture {
    Target target;
    std::optional<PictureKey> drawn;
    bool complete = false;
  };
  [[nodiscard]] PictureKey key_of(const Context& context, const CanvasView& canvas, const ImageScene& scene) const;
  bool draw_picture(Context& context, Picture& picture, const CanvasView& canvas);
  /// place: 0 for the primary canvas, from 1 on for those beside it
  /// hand: whose view the mouse moves, on whose grid `document` was laid; null: document
  void draw_canvas(Context& context, const ScreenRect& area, Document& document, LayerKind layer, std::size_t place,
                   Document* hand = nullptr);
  void fit(const Context& context, Document& document, const ScreenRect& area, bool primary);
  void draw_over(Context& context, Picture& picture, const CanvasView& canvas);
  void draw_blinking(Context& context, const ScreenRect& area, Document& document, Document& other);
  /// A document and the layer of it that stands in a tile.
  struct Tile {
    Document* document;
    LayerKind layer;
  };
  /// Row by row; the tile `primary` is of the shown document, and the views of the others follow its.
  ScreenRect draw_tiles(Context& context, const ScreenRect& area, const std::vector<Tile>& tiles, std::size_t columns,
                        std::size_t primary);
  ScreenRect draw_beside(Context& context, const ScreenRect& area, Document& document, Document& other);
  ScreenRect draw_grid(Context& context, const ScreenRect& area);
  void draw_split(Context& context, const ScreenRect& area, Document& document, Document& other);
  [[nodiscard]] bool all_tiles_here() { return !image_.tiles().pending() && !image_.tiles().awaited(); }

  bool software_;
  ImageRenderer image_;
  EllipseRenderer ellipses_;
  PassClock passes_;
  OffScreen off_screen_{image_, ellipses_, passes_};
  std::deque<Picture> pictures_{2};  ///< by place
  CanvasMenu menu_;
  double scale_ = 1;
  ScreenRect fitted_in_;    ///< the first image's part of the window in the last frame
  double fitted_room_ = 0;  ///< and what the colour bar took of it
  ScreenRect covered_;
  bool complete_ = true;
};

}  // namespace reber::gui
