// SPDX-License-Identifier: BSD-3-Clause
// Draws layers of images: tiles, stretch, colours.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/model/image/pyramid.hpp"
#include "gui/model/image/render_settings.hpp"
#include "gui/model/sky/view_transform.hpp"
#include "gui/render/gl.hpp"
#include "gui/render/tile_cache.hpp"

namespace reber::gui {

/// Layers seen as one.
enum class Blend { first, difference, ratio, rgb };

/// One colour of three. Without pixels it is dark.
struct ColourChannel {
  const Pyramid* pixels = nullptr;  ///< of the scene's shape
  RenderSettings settings;          ///< of which the limits and the reduction count
};

/// What to draw of one canvas.
struct ImageScene {
  const Pyramid* pixels = nullptr;
  const Pyramid* other = nullptr;         ///< of the same shape, where combine needs it
  std::array<ColourChannel, 3> channels;  ///< red, green and blue of Blend::rgb
  Blend blend = Blend::first;
  RenderSettings settings;
  std::vector<float> cumulative;  ///< 256 values in 0..1 for Stretch::histogram
  CanvasTransform transform;      ///< on a canvas at (0, 0), in pixels of the target
  bool pixel_grid = false;
  bool fine = true;  ///< zoomed out, between two levels: the finer one's texels are taken together per screen pixel
  bool proportional = false;        ///< places within the limits in place of colours: for a target of floats
  bool outline = false;             ///< edges between different values alone, over what is there
  double outline_width = 1.5;       ///< pixels of the target
  std::optional<Rgba> outline_ink;  ///< empty: black or white, whichever stands out of the colours

  [[nodiscard]] bool uses(const Pyramid* of) const {
    return of == pixels || of == other || std::ranges::find(channels, of, &ColourChannel::pixels) != channels.end();
  }
};

/// A program with its uniforms' places, each asked for once.
class ImageProgram {
 public:
  explicit ImageProgram(GlProgram program) : program_(std::move(program)) {}
  [[nodiscard]] GLuint get() const { return program_.get(); }
  [[nodiscard]] GLint place(std::string_view name);

 private:
  GlProgram program_;
  std::vector<std::pair<std::string, GLint>> places_;
};

/// Of levels [first, levels) the one whose pixels are at least one screen pixel wide: then each of them covers a screen
/// pixel's centre, and no peak is passed over.
[[nodiscard]] int drawn_level(int first, int levels, double zoom);
/// Whether draw() takes the level below drawn_level(): a screen pixel then covers less than 2 x 2 of its texels.
[[nodiscard]] bool has_finer_level(const ImageScene& scene);

class ImageRenderer {
 public:
  /// software: OpenGL draws on the processor.
  ImageRenderer(std::int64_t texture_bytes, bool software);

  void begin_frame(double upload_ms) { tiles_.begin_frame(upload_ms); }
  /// Draws into the target that is bound, which is as large as the scene's canvas. Tiles that are not there yet are
  /// drawn from coarser ones.
  void draw(const ImageScene& scene);
  [[nodiscard]] TileCache& tiles() { return tiles_; }

 private:
  /// A tile's place in a texture, and the pixels of the image that it is drawn on.
  struct Part;
  void draw_plain(const ImageScene& scene);
  void put_three_colours(double softness);
  void set_look(const ImageScene& scene);
  void draw_tile(const ImageScene& scene, int level, std::int64_t row, std::int64_t column);
  void draw_quad(const ImageScene& scene, const Part& part);
  bool locate(const Pyramid& pixels, Reduction reduction, int level, std::int64_t row, std::int64_t column,
              TileCache::Place& place, int& found_level);

  TileCache tiles_;
  ImageProgram plain_, fine_;  ///< a processor runs every branch: the many reads of the fine one stand apart
  ImageProgram three_colours_;
  ImageProgram* program_ = nullptr;  ///< of the scene that is drawn
  GlVertexArray vertices_;
  GlTexture maps_, cumulative_;
  Target places_{GL_RGBA16F};  ///< of three images within their limits, as red, green and blue
};

}  // namespace reber::gui
