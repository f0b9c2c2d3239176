// SPDX-License-Identifier: BSD-3-Clause
// Each ellipse is one quad; the fragment's distance from the outline decides its colour.
#include "gui/render/ellipse_renderer.hpp"

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
layout(location = 0) in vec2 whole;
layout(location = 1) in vec2 part;
layout(location = 2) in vec2 axes;
layout(location = 3) in vec2 turn;
layout(location = 4) in uint kind;
uniform vec2 centre_whole;
uniform vec2 centre_part;
uniform mat2 to_screen;
uniform float zoom;
uniform float least;
uniform vec2 size;
uniform float line;
uniform vec4 inks[3];
out vec2 place;
flat out vec2 half_axes;
flat out vec4 ink;
void main() {
  vec2 corner = vec2(gl_VertexID % 2 == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
  half_axes = max(axes * zoom, vec2(least));
  place = corner * (half_axes + 0.5 * line + 1.5);
  ink = inks[kind];
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
uniform float line;
out vec4 colour;
void main() {
  vec2 scaled = place / half_axes;
  float radius = length(scaled);
  vec2 slope = scaled / half_axes / max(radius, 1e-4);
  float away = abs((radius - 1.0) / max(length(slope), 1e-6));
  if (radius < 1e-3) away = min(half_axes.x, half_axes.y);
  float core = clamp(0.5 * line + 0.5 - away, 0.0, 1.0);
  float halo = 0.55 * clamp(0.5 * line + 1.5 - away, 0.0, 1.0);
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

EllipseSet::EllipseSet() : vertices_(make_vertex_array()), shapes_(make_buffer()), kinds_(make_buffer()) {
  glBindVertexArray(vertices_.get());
  glBindBuffer(GL_ARRAY_BUFFER, shapes_.get());
  for (GLuint at = 0; at < 4; ++at) {
    glEnableVertexAttribArray(at);
    glVertexAttribPointer(at, 2, GL_FLOAT, GL_FALSE, sizeof(Instance),
                          reinterpret_cast<const void*>(at * 2 * sizeof(float)));
    glVertexAttribDivisor(at, 1);
  }
  glBindBuffer(GL_ARRAY_BUFFER, kinds_.get());
  glEnableVertexAttribArray(4);
  glVertexAttribIPointer(4, 1, GL_UNSIGNED_BYTE, 1, nullptr);
  glVertexAttribDivisor(4, 1);
  glBindVertexArray(0);
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
  glBindBuffer(GL_ARRAY_BUFFER, shapes_.get());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(count_ * sizeof(Instance)), instances.data(), GL_STATIC_DRAW);
}

void EllipseSet::set_kinds(const std::vector<std::uint8_t>& kinds) {
  glBindBuffer(GL_ARRAY_BUFFER, kinds_.get());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(kinds.size()), kinds.data(), GL_STATIC_DRAW);
}

EllipseRenderer::EllipseRenderer() : program_(make_program(kVertex, kFragment)) {}

void EllipseRenderer::draw(const EllipseSet& set, const CanvasTransform& transform, const EllipseLook& look) {
  if (set.count_ == 0) return;
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
  glUniform2f(place("size"), static_cast<float>(transform.canvas().width),
              static_cast<float>(transform.canvas().height));
  glUniform1f(place("line"), static_cast<float>(look.line));
  std::array<float, 12> inks{};
  for (std::size_t i = 0; i < inks.size(); ++i)
    inks[i] = static_cast<float>(look.colours[i / 4] >> (8 * (i % 4)) & 255u) / 255.0f;
  glUniform4fv(place("inks"), 3, inks.data());
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glBindVertexArray(set.vertices_.get());
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(set.count_));
  glDisable(GL_BLEND);
  glBindVertexArray(0);
}

}  // namespace reber::gui
