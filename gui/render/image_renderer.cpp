// SPDX-License-Identifier: BSD-3-Clause
// Draws the tiles in view, each as one quad whose corners are computed in double.
#include "gui/render/image_renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/image/colour_maps.hpp"
#include "gui/render/image_shader.hpp"

namespace reber::gui {
namespace {

/// Limits that leave every value dark.
constexpr double kBeyondAll = 1e30;

GlTexture flat_texture() {
  GlTexture texture = make_texture();
  glBindTexture(GL_TEXTURE_2D, texture.get());
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_LINEAR);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  return texture;
}

}  // namespace

GLint ImageProgram::place(std::string_view name) {
  for (const auto& [known, at] : places_)
    if (known == name) return at;
  places_.emplace_back(name, glGetUniformLocation(program_.get(), std::string(name).c_str()));
  return places_.back().second;
}

int drawn_level(int first, int levels, double zoom) {
  const int level = zoom >= 1 ? 0 : static_cast<int>(std::ceil(-std::log2(zoom) - 1e-9));
  return std::clamp(level, first, levels - 1);
}

namespace {

/// The shader, with or without what takes several texels together.
std::string image_fragment(bool fine) {
  std::string text = kImageFragment;
  if (fine) text.insert(text.find('\n') + 1, "#define FINE\n");
  return text;
}

}  // namespace

bool has_finer_level(const ImageScene& scene) {
  if (scene.outline || (scene.blend != Blend::rgb && (scene.blend != Blend::first || scene.settings.categorical)))
    return false;
  const int level = drawn_level(scene.pixels->first_level(), scene.pixels->levels(), scene.transform.zoom());
  // A texel a little larger than a screen pixel does.
  constexpr double kLarger = 1.08;
  return scene.fine && level > scene.pixels->first_level() &&
         scene.transform.zoom() * static_cast<double>(std::int64_t{1} << level) > kLarger;
}

ImageRenderer::ImageRenderer(std::int64_t texture_bytes, bool software)
    : tiles_(texture_bytes, !software),
      plain_(make_program(kImageVertex, image_fragment(false).c_str())),
      fine_(make_program(kImageVertex, image_fragment(true).c_str())),
      three_colours_(make_program(kWholeTarget, kThreeColours)),
      vertices_(make_vertex_array()) {
  const auto& maps = colour_maps();
  std::vector<unsigned char> rows;
  for (const ColourMap& map : maps)
    for (const auto& entry : map.entries) rows.insert(rows.end(), entry.begin(), entry.end());
  maps_ = flat_texture();
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 256, static_cast<GLsizei>(maps.size()), 0, GL_RGB, GL_UNSIGNED_BYTE,
               rows.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  cumulative_ = flat_texture();
}

void ImageRenderer::set_look(const ImageScene& scene) {
  const RenderSettings& s = scene.settings;
  glUniform1i(program_->place("pixels"), 0);
  glUniform1i(program_->place("other_pixels"), 1);
  glUniform1i(program_->place("maps"), 2);
  glUniform1i(program_->place("cumulative"), 3);
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, maps_.get());
  glActiveTexture(GL_TEXTURE3);
  glBindTexture(GL_TEXTURE_2D, cumulative_.get());
  if (s.stretch == Stretch::histogram && !scene.cumulative.empty())
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, 256, 1, 0, GL_RED, GL_FLOAT, scene.cumulative.data());
  glUniform1i(program_->place("combine"), static_cast<GLint>(scene.blend));
  glUniform2f(program_->place("limits"), static_cast<float>(s.low),
              static_cast<float>(s.high > s.low ? s.high : s.low + 1e-30));
  glUniform1i(program_->place("stretch"), static_cast<GLint>(s.stretch));
  const double softness = std::max(1e-3, s.softness);
  glUniform1f(program_->place("softness"), static_cast<float>(softness));
  glUniform1f(program_->place("unstretched"),
              static_cast<float>(1 / (s.stretch == Stretch::log ? std::log1p(softness) : std::asinh(softness))));
  glUniform1f(program_->place("power"), static_cast<float>(s.power));
  glUniform1f(program_->place("map_row"),
              (static_cast<float>(colour_map_index(s.colour_map)) + 0.5f) / static_cast<float>(colour_maps().size()));
  glUniform1i(program_->place("invert"), s.invert ? 1 : 0);
  glUniform2f(program_->place("bias_contrast"), static_cast<float>(s.bias), static_cast<float>(s.contrast));
  glUniform4f(program_->place("blank"), s.blank.red, s.blank.green, s.blank.blue, s.blank.alpha);
  glUniform1i(program_->place("categorical"), s.categorical ? 1 : 0);
  glUniform1i(program_->place("proportional"), scene.proportional ? 1 : 0);
  glUniform1i(program_->place("outline"), scene.outline ? 1 : 0);
  const float plain = bright_at_noise_edge(s) ? 0.0f : 1.0f;
  const Rgba ink = scene.outline_ink.value_or(Rgba{plain, plain, plain, 1});
  glUniform4f(program_->place("outline_ink"), ink.red, ink.green, ink.blue, 1.0f);
  glUniform1f(program_->place("outline_width"), static_cast<float>(scene.outline_width));
  // The grid comes in between 8 and 16 screen pixels per image pixel.
  const double zoom = scene.transform.zoom();
  glUniform1f(program_->place("grid"),
              scene.pixel_grid ? static_cast<float>(0.35 * std::clamp((zoom - 8) / 8, 0.0, 1.0)) : 0.0f);
}

void ImageRenderer::draw(const ImageScene& scene) {
  if (scene.pixels == nullptr) return;
  if (scene.blend != Blend::rgb || scene.outline) {
    draw_plain(scene);
    return;
  }
  GLint target = 0;
  std::array<GLint, 4> window{};
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
  glGetIntegerv(GL_VIEWPORT, window.data());
  places_.resize(static_cast<int>(scene.transform.canvas().width), static_cast<int>(scene.transform.canvas().height));
  places_.bind();
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  for (std::size_t i = 0; i < scene.channels.size(); ++i) {
    const ColourChannel& channel = scene.channels[i];
    ImageScene one = scene;
    one.blend = Blend::first;
    one.proportional = true;
    one.settings = channel.pixels == nullptr ? RenderSettings() : channel.settings;
    one.settings.categorical = false;
    one.settings.blank = {0, 0, 0, 1};
    if (channel.pixels == nullptr)
      one.settings.low = one.settings.high = kBeyondAll;
    else
      one.pixels = channel.pixels;
    glColorMask(i == 0, i == 1, i == 2, GL_TRUE);
    draw_plain(one);
  }
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(target));
  glViewport(window[0], window[1], window[2], window[3]);
  put_three_colours(scene.settings.softness);
}

void ImageRenderer::put_three_colours(double softness) {
  glUseProgram(three_colours_.get());
  glBindVertexArray(vertices_.get());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, places_.texture());
  glUniform1i(three_colours_.place("places"), 0);
  glUniform1f(three_colours_.place("softness"), static_cast<float>(std::max(1e-3, softness)));
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void ImageRenderer::draw_plain(const ImageScene& scene) {
  const Rect seen = scene.transform.visible(scene.pixels->shape());
  if (seen.ny == 0 || seen.nx == 0) return;
  program_ = has_finer_level(scene) ? &fine_ : &plain_;
  glUseProgram(program_->get());
  glBindVertexArray(vertices_.get());
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
  set_look(scene);
  int level = drawn_level(scene.pixels->first_level(), scene.pixels->levels(), scene.transform.zoom());
  if (has_finer_level(scene)) --level;
  if (scene.other != nullptr) level = std::max(level, scene.other->first_level());
  const std::int64_t side = TileCache::kSide << level;
  // From the middle outwards: what the eye rests on comes first.
  struct Spot {
    std::int64_t row, column;
    double distance;
  };
  std::vector<Spot> spots;
  const PixelPosition centre = scene.transform.view().centre;
  for (std::int64_t row = seen.y0 / side; row * side < seen.y0 + seen.ny; ++row)
    for (std::int64_t column = seen.x0 / side; column * side < seen.x0 + seen.nx; ++column) {
      const double dy = (static_cast<double>(row) + 0.5) * static_cast<double>(side) - centre.y;
      const double dx = (static_cast<double>(column) + 0.5) * static_cast<double>(side) - centre.x;
      spots.push_back({row, column, dx * dx + dy * dy});
    }
  std::ranges::sort(spots, {}, &Spot::distance);
  for (const Spot& spot : spots) draw_tile(scene, level, spot.row, spot.column);
  glActiveTexture(GL_TEXTURE0);
}

bool ImageRenderer::locate(const Pyramid& pixels, Reduction reduction, int level, std::int64_t row, std::int64_t column,
                           TileCache::Place& place, int& found_level) {
  // Level 0 is the same for both reductions.
  const auto key = [&](int at) {
    return TileCache::Key{pixels.id(), at, at == 0 ? Reduction::mean : reduction, row >> (at - level),
                          column >> (at - level)};
  };
  found_level = level;
  if (tiles_.find(pixels, key(level), place)) return true;
  for (int up = level + 1; up < pixels.levels(); ++up) {
    found_level = up;
    if (tiles_.peek(key(up), place)) return true;
  }
  // Nothing at all is there: the whole image in one tile.
  int top = level;
  while (top + 1 < pixels.levels() &&
         std::max(pixels.level_shape(top).nx, pixels.level_shape(top).ny) > TileCache::kSide)
    ++top;
  found_level = top;
  return tiles_.find(pixels, key(top), place);
}

struct ImageRenderer::Part {
  int level, from, other_from;  ///< of the grid of tiles; of the tiles that are drawn there
  std::int64_t row, column;     ///< of the tile, at `level`
  double x0, y0, x1, y1;        ///< edges in image pixels: pixel i covers [i, i + 1)

  /// Place in the tile of level `at` under a place in the image.
  [[nodiscard]] double texel(double v, int at, std::int64_t index) const {
    const std::int64_t first = (index >> (at - level)) * TileCache::kSide;
    return v / static_cast<double>(std::int64_t{1} << at) - static_cast<double>(first);
  }
};

void ImageRenderer::draw_tile(const ImageScene& scene, int level, std::int64_t row, std::int64_t column) {
  TileCache::Place place, other_place;
  int from = level, other_from = level;
  // Labels have no mean; a difference of peaks is not the difference's peak.
  const Reduction reduction = scene.outline || scene.settings.categorical ? Reduction::peak
                              : scene.blend == Blend::first               ? scene.settings.reduction
                                                                          : Reduction::mean;
  if (!locate(*scene.pixels, reduction, level, row, column, place, from)) return;
  // The level above tells which of the texels stand out of the noise.
  const bool fine = has_finer_level(scene) && from == level &&
                    locate(*scene.pixels, reduction, level + 1, row >> 1, column >> 1, other_place, other_from) &&
                    other_from == level + 1;
  const bool two = scene.blend != Blend::first && scene.other != nullptr;
  if (two && !locate(*scene.other, reduction, level, row, column, other_place, other_from)) return;

  // Rounding at the far edge must not reach a texel that another tile left there.
  const auto last = [&](const char* name, int at) {
    const Shape whole = scene.pixels->level_shape(at);
    const auto least = [&](std::int64_t n, std::int64_t index) {
      return static_cast<GLint>(std::min(TileCache::kSide, n - (index >> (at - level)) * TileCache::kSide) - 1);
    };
    glUniform2i(program_->place(name), least(whole.nx, column), least(whole.ny, row));
  };
  last("last", from);
  last("other_last", other_from);
  const double pixel_size = scene.transform.zoom() * static_cast<double>(std::int64_t{1} << from);
  glUniform1f(program_->place("footprint"), fine ? static_cast<float>(1 / pixel_size) : 0.0f);
  glUniform1i(program_->place("reduction"), static_cast<GLint>(reduction));
  glUniform1i(program_->place("layer"), place.layer);
  glUniform1i(program_->place("other_layer"), other_place.layer);
  glUniform1f(program_->place("pixel_size"), static_cast<float>(pixel_size));
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D_ARRAY, two || fine ? other_place.texture : place.texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D_ARRAY, place.texture);
  const Shape shape = scene.pixels->shape();
  const std::int64_t side = TileCache::kSide << level;
  const Part part{level,
                  from,
                  other_from,
                  row,
                  column,
                  static_cast<double>(column * side),
                  static_cast<double>(row * side),
                  static_cast<double>(std::min(shape.nx, (column + 1) * side)),
                  static_cast<double>(std::min(shape.ny, (row + 1) * side))};
  draw_quad(scene, part);
}

void ImageRenderer::draw_quad(const ImageScene& scene, const Part& part) {
  std::array<float, 16> corner;
  std::array<float, 8> other;
  const ScreenRect& canvas = scene.transform.canvas();
  // An image of a few columns or rows is drawn at least as wide as a screen pixel, or nothing of it would be seen.
  const double least = 1 / scene.transform.zoom();
  const auto wider = [least](std::int64_t n) { return std::max(0.0, 0.5 * (least - static_cast<double>(n))); };
  const double more_x = wider(scene.pixels->shape().nx), more_y = wider(scene.pixels->shape().ny);
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = i % 2 == 0 ? part.x0 : part.x1, y = i < 2 ? part.y0 : part.y1;
    const ScreenPoint at =
        scene.transform.to_screen({x - 0.5 + (i % 2 == 0 ? -more_x : more_x), y - 0.5 + (i < 2 ? -more_y : more_y)});
    corner[4 * i] = static_cast<float>(2 * (at.x - canvas.x) / canvas.width - 1);
    corner[4 * i + 1] = static_cast<float>(1 - 2 * (at.y - canvas.y) / canvas.height);
    corner[4 * i + 2] = static_cast<float>(part.texel(x, part.from, part.column));
    corner[4 * i + 3] = static_cast<float>(part.texel(y, part.from, part.row));
    other[2 * i] = static_cast<float>(part.texel(x, part.other_from, part.column));
    other[2 * i + 1] = static_cast<float>(part.texel(y, part.other_from, part.row));
  }
  glUniform4fv(program_->place("corner"), 4, corner.data());
  glUniform2fv(program_->place("other"), 4, other.data());
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace reber::gui
