// SPDX-License-Identifier: BSD-3-Clause
// Each ellipse is two triangles, whose corners look their shape up; the fragment's distance from the outline decides
// its colour.
#include "gui/render/ellipse_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reber::gui {
namespace {

// A float holds a place of 16384 pixels to 1/1024, which is seen at 256:1. Whole pixels and the rest are each exact.
struct Instance {
  float whole_x, whole_y, part_x, part_y;
  float major, minor;    ///< semi-axes, image pixels
  float turn_x, turn_y;  ///< direction of the major axis
};

constexpr const char* kVertex = R"(#version 330 core
uniform samplerBuffer shapes;  // two texels each, as Instance
uniform usamplerBuffer kinds;
uniform usamplerBuffer marks;  // a radius and a colour each
uniform bool marked;
uniform float mark_scale;
uniform vec2 centre_whole;
uniform vec2 centre_part;
uniform mat2 to_screen;
uniform float zoom;
uniform float least;
uniform vec2 size;
uniform float line;
uniform float halo;
uniform vec4 inks[3];
out vec2 place;
flat out vec2 half_axes;
flat out vec4 ink;
flat out vec2 lines;  // width of the line, and of the dark one on each side of it
void main() {
  int shape = gl_VertexID / 6, at_corner = gl_VertexID % 6;
  vec4 place_of = texelFetch(shapes, 2 * shape), form = texelFetch(shapes, 2 * shape + 1);
  vec2 whole = place_of.xy, part = place_of.zw, axes = form.xy, turn = form.zw;
  uint kind = texelFetch(kinds, shape).r;
  if (kind > 2u) {  // hidden: no area
    gl_Position = vec4(2.0, 2.0, 0, 1);
    return;
  }
  vec2 corner = vec2((at_corner & 1) == 0 ? -1.0 : 1.0, at_corner % 5 < 2 ? -1.0 : 1.0);
  half_axes = max(axes * zoom, vec2(least));
  uvec2 mark = marked ? texelFetch(marks, shape).rg : uvec2(0u);
  float radius = uintBitsToFloat(mark.r);
  if (radius > 0.0) half_axes = vec2(radius * mark_scale);
  // The selected ones have to be seen on any ground: broader, between dark lines.
  lines = kind == 2u ? vec2(1.6 * line, 1.5 * line) : vec2(line, halo);
  place = corner * (half_axes + 0.5 * lines.x + lines.y + 0.5);
  ink = inks[kind];
  if (mark.g != 0u && kind != 2u) ink.rgb = vec3(mark.g & 255u, mark.g >> 8 & 255u, mark.g >> 16 & 255u) / 255.0;
  vec2 along = normalize(to_screen * turn);
  vec2 at = 0.5 * size + to_screen * ((whole - centre_whole) + (part - centre_part));
  at += place.x * along + place.y * vec2(-along.y, along.x);
  gl_Position = vec4(2.0 * at.x / size.x - 1.0, 1.0 - 2.0 * at.y / size.y, 0, 1);
}
)";

// Distance to the outline, to first order: f / |grad f| with f = |p / axes| - 1.
constexpr const char* kFragment = R"(#version 330 core
in vec2 place;
flat in vec2 half_axes;
flat in vec4 ink;
flat in vec2 lines;
out vec4 colour;
void main() {
  vec2 scaled = place / half_axes;
  float radius = length(scaled);
  vec2 slope = scaled / half_axes / max(radius, 1e-4);
  float away = abs((radius - 1.0) / max(length(slope), 1e-6));
  if (radius < 1e-3) away = min(half_axes.x, half_axes.y);
  float core = clamp(0.5 * lines.x + 0.5 - away, 0.0, 1.0);
  float halo = (lines.y > 1.0 ? 0.85 : 0.55) * clamp(0.5 * lines.x + lines.y + 0.5 - away, 0.0, 1.0);
  float alpha = max(core, halo) * ink.a;
  if (alpha <= 0.0) discard;
  colour = vec4(ink.rgb * core / max(core, halo), alpha);
}
)";

/// Whole pixels, and what is left of them.
std::array<float, 2> split(double value) {
  const double whole = std::floor(value);
  return {static_cast<float>(whole), static_cast<float>(value - whole)};
}

}  // namespace

EllipseSet::EllipseSet()
    : vertices_(make_vertex_array()),
      shapes_(make_buffer()),
      kinds_(make_buffer()),
      marks_(make_buffer()),
      shape_texels_(make_texture()),
      kind_texels_(make_texture()),
      mark_texels_(make_texture()) {
  const auto view = [](const GlBuffer& buffer, const GlTexture& texels, GLenum format) {
    glBindBuffer(GL_TEXTURE_BUFFER, buffer.get());
    glBindTexture(GL_TEXTURE_BUFFER, texels.get());
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer.get());
  };
  view(shapes_, shape_texels_, GL_RGBA32F);
  view(kinds_, kind_texels_, GL_R8UI);
  view(marks_, mark_texels_, GL_RG32UI);
}

void EllipseSet::set_shapes(const std::vector<SourceShape>& shapes) {
  std::vector<Instance> instances;
  instances.reserve(shapes.size());
  for (const SourceShape& shape : shapes) {
    const EllipseAxes axes = axes_of(shape.fwhm2);
    const auto x = split(shape.x), y = split(shape.y);
    instances.push_back({x[0], y[0], x[1], y[1], static_cast<float>(0.5 * axes.major),
                         static_cast<float>(0.5 * axes.minor), static_cast<float>(std::cos(axes.angle)),
                         static_cast<float>(std::sin(axes.angle))});
  }
  count_ = shapes.size();
  glBindBuffer(GL_TEXTURE_BUFFER, shapes_.get());
  glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(count_ * sizeof(Instance)), instances.data(), GL_STATIC_DRAW);
}

void EllipseSet::set_kinds(const std::vector<std::uint8_t>& kinds) {
  kind_count_ = kinds.size();
  glBindBuffer(GL_TEXTURE_BUFFER, kinds_.get());
  glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(kinds.size()), kinds.data(), GL_STATIC_DRAW);
}

void EllipseSet::set_marks(const std::vector<EllipseMark>& marks) {
  static_assert(sizeof(EllipseMark) == 8);
  mark_count_ = marks.size();
  if (marks.empty()) return;
  glBindBuffer(GL_TEXTURE_BUFFER, marks_.get());
  glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(marks.size() * sizeof(EllipseMark)), marks.data(),
               GL_STATIC_DRAW);
}

EllipseRenderer::EllipseRenderer() : program_(make_program(kVertex, kFragment)) {
  GLint texels = 0;
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &texels);
  most_ = static_cast<std::size_t>(texels) / 2;
}

void EllipseRenderer::draw(const EllipseSet& set, const CanvasTransform& transform, const EllipseLook& look) {
  // Kinds come after shapes: between the two there may be fewer of them. Texels of a buffer have a limit.
  const std::size_t drawn = std::min({set.count_, set.kind_count_, most_});
  if (drawn == 0) return;
  glUseProgram(program_.get());
  const auto place = [this](const char* name) { return glGetUniformLocation(program_.get(), name); };
  const ViewTransform& view = transform.view();
  const auto x = split(view.centre.x), y = split(view.centre.y);
  glUniform2f(place("centre_whole"), x[0], y[0]);
  glUniform2f(place("centre_part"), x[1], y[1]);
  const ScreenPoint right = transform.direction(1, 0), up = transform.direction(0, 1);
  const std::array columns{static_cast<float>(right.x), static_cast<float>(right.y), static_cast<float>(up.x),
                           static_cast<float>(up.y)};
  glUniformMatrix2fv(place("to_screen"), 1, GL_FALSE, columns.data());
  glUniform1f(place("zoom"), static_cast<float>(view.zoom));
  glUniform1f(place("least"), static_cast<float>(look.least));
  glUniform1f(place("halo"), static_cast<float>(look.halo));
  glUniform2f(place("size"), static_cast<float>(transform.canvas().width),
              static_cast<float>(transform.canvas().height));
  glUniform1f(place("line"), static_cast<float>(look.line));
  std::array<float, 12> inks{};
  for (std::size_t i = 0; i < inks.size(); ++i)
    inks[i] = static_cast<float>(look.colours[i / 4] >> (8 * (i % 4)) & 255u) / 255.0f;
  glUniform4fv(place("inks"), 3, inks.data());
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glUniform1i(place("shapes"), 0);
  glUniform1i(place("kinds"), 1);
  glUniform1i(place("marks"), 2);
  glUniform1i(place("marked"), set.mark_count_ >= drawn ? 1 : 0);
  glUniform1f(place("mark_scale"), static_cast<float>(look.mark_scale));
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_BUFFER, set.mark_texels_.get());
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_BUFFER, set.kind_texels_.get());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_BUFFER, set.shape_texels_.get());
  glBindVertexArray(set.vertices_.get());
  glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(6 * drawn));
  glDisable(GL_BLEND);
  glBindVertexArray(0);
}

}  // namespace reber::gui
