// SPDX-License-Identifier: BSD-3-Clause
// Owners of OpenGL objects.
#include "gui/render/gl.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

GLuint compile(GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done == 0) {
    std::array<char, 2048> words{};
    glGetShaderInfoLog(shader, static_cast<GLsizei>(words.size()), nullptr, words.data());
    glDeleteShader(shader);
    throw InternalError(fmt::format("the viewer's shader does not compile on this OpenGL: {}", words.data()));
  }
  return shader;
}

}  // namespace

GlTexture make_texture() {
  GLuint name = 0;
  glGenTextures(1, &name);
  return GlTexture(name);
}

GlBuffer make_buffer() {
  GLuint name = 0;
  glGenBuffers(1, &name);
  return GlBuffer(name);
}

GlVertexArray make_vertex_array() {
  GLuint name = 0;
  glGenVertexArrays(1, &name);
  return GlVertexArray(name);
}

GlProgram make_program(const char* vertex, const char* fragment) {
  const GLuint vertex_shader = compile(GL_VERTEX_SHADER, vertex);
  const GLuint fragment_shader = compile(GL_FRAGMENT_SHADER, fragment);
  GlProgram program(glCreateProgram());
  glAttachShader(program.get(), vertex_shader);
  glAttachShader(program.get(), fragment_shader);
  glLinkProgram(program.get());
  glDeleteShader(vertex_shader);
  glDeleteShader(fragment_shader);
  GLint done = 0;
  glGetProgramiv(program.get(), GL_LINK_STATUS, &done);
  if (done == 0) {
    std::array<char, 2048> words{};
    glGetProgramInfoLog(program.get(), static_cast<GLsizei>(words.size()), nullptr, words.data());
    throw InternalError(fmt::format("the viewer's shaders do not link on this OpenGL: {}", words.data()));
  }
  return program;
}

void Target::resize(int width, int height) {
  if (width == width_ && height == height_ && framebuffer_) return;
  if (!texture_) texture_ = make_texture();
  glBindTexture(GL_TEXTURE_2D, texture_.get());
  glTexImage2D(GL_TEXTURE_2D, 0, format_, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  if (!framebuffer_) {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    framebuffer_ = GlFramebuffer(name);
  }
  const PlaceKept kept;
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
  const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    throw DeviceError(fmt::format("OpenGL cannot draw into a picture of {} x {} pixels", width, height));
  width_ = width;
  height_ = height;
}

void Target::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  glViewport(0, 0, width_, height_);
}

}  // namespace reber::gui
