// SPDX-License-Identifier: BSD-3-Clause
// Each ellipse is one quad; the fragment's distance from the outline decides its colour.
#include "gui/render/ellipse_renderer.hpp"

#include <cstddef>

namespace reber::gui {
namespace {

constexpr const char* kVertex = R"(#version 330 core
layout(location = 0) in vec2 centre;
layout(location = 1) in vec2 axes;
layout(location = 2) in float angle;
layout(location = 3) in vec4 tint;
uniform vec2 size;
uniform float line;
out vec2 place;
flat out vec2 half_axes;
flat out vec4 ink;
void main() {
  vec2 corner = vec2(gl_VertexID % 2 == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
  place = corner * (axes + 0.5 * line + 1.5);
  half_axes = axes;
  ink = tint;
  float c = cos(angle), s = sin(angle);
  vec2 at = centre + vec2(c * place.x - s * place.y, s * place.x + c * place.y);
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

}  // namespace

EllipseRenderer::EllipseRenderer()
    : program_(make_program(kVertex, kFragment)), vertices_(make_vertex_array()), instances_(make_buffer()) {
  glBindVertexArray(vertices_.get());
  glBindBuffer(GL_ARRAY_BUFFER, instances_.get());
  const auto attribute = [](GLuint at, int count, GLenum type, bool normalised, std::size_t offset) {
    glEnableVertexAttribArray(at);
    glVertexAttribPointer(at, count, type, normalised ? GL_TRUE : GL_FALSE, sizeof(ScreenEllipse),
                          reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(at, 1);
  };
  attribute(0, 2, GL_FLOAT, false, offsetof(ScreenEllipse, x));
  attribute(1, 2, GL_FLOAT, false, offsetof(ScreenEllipse, major));
  attribute(2, 1, GL_FLOAT, false, offsetof(ScreenEllipse, angle));
  attribute(3, 4, GL_UNSIGNED_BYTE, true, offsetof(ScreenEllipse, colour));
  glBindVertexArray(0);
}

void EllipseRenderer::draw(const std::vector<ScreenEllipse>& ellipses, int width, int height, double line) {
  if (ellipses.empty()) return;
  glUseProgram(program_.get());
  glBindVertexArray(vertices_.get());
  glBindBuffer(GL_ARRAY_BUFFER, instances_.get());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(ellipses.size() * sizeof(ScreenEllipse)), ellipses.data(),
               GL_STREAM_DRAW);
  glUniform2f(glGetUniformLocation(program_.get(), "size"), static_cast<float>(width), static_cast<float>(height));
  glUniform1f(glGetUniformLocation(program_.get(), "line"), static_cast<float>(line));
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(ellipses.size()));
  glDisable(GL_BLEND);
  glBindVertexArray(0);
}

}  // namespace reber::gui
