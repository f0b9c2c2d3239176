// SPDX-License-Identifier: BSD-3-Clause
// OpenGL 3.3 as the system's library exports it, and owners of its objects.
#pragma once

#define GL_GLEXT_PROTOTYPES
#define GLFW_INCLUDE_NONE
#include <GL/glcorearb.h>
#include <GLFW/glfw3.h>

#include <string>
#include <utility>

namespace reber::gui {

/// Owns the name of one OpenGL object. Destroy it while its context is current.
template <void (*Delete)(GLuint)>
class GlObject {
 public:
  GlObject() = default;
  explicit GlObject(GLuint name) : name_(name) {}
  ~GlObject() { reset(); }
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  [[nodiscard]] GLuint get() const { return name_; }
  explicit operator bool() const { return name_ != 0; }
  void reset() {
    if (name_ != 0) Delete(std::exchange(name_, 0));
  }

 private:
  GLuint name_ = 0;
};

inline void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void delete_buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void delete_program(GLuint name) { glDeleteProgram(name); }
inline void delete_query(GLuint name) { glDeleteQueries(1, &name); }

using GlQuery = GlObject<delete_query>;
using GlTexture = GlObject<delete_texture>;
using GlBuffer = GlObject<delete_buffer>;
using GlVertexArray = GlObject<delete_vertex_array>;
using GlFramebuffer = GlObject<delete_framebuffer>;
using GlProgram = GlObject<delete_program>;

[[nodiscard]] GlTexture make_texture();
[[nodiscard]] GlBuffer make_buffer();
[[nodiscard]] GlVertexArray make_vertex_array();

/// Compiles and links.   throws InternalError with the compiler's words
[[nodiscard]] GlProgram make_program(const char* vertex, const char* fragment);
/// What is drawn into when it is made is drawn into again when it ends.
class PlaceKept {
 public:
  PlaceKept() { glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before_); }
  ~PlaceKept() { glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before_)); }
  PlaceKept(const PlaceKept&) = delete;
  PlaceKept& operator=(const PlaceKept&) = delete;

 private:
  GLint before_ = 0;
};

/// A picture that is drawn into: RGBA of `format` with a framebuffer.
class Target {
 public:
  explicit Target(GLint format = GL_RGBA8) : format_(format) {}
  /// Makes it that large; its contents are lost where the size changes.   throws DeviceError
  void resize(int width, int height);
  void bind() const;  ///< as the place of drawing, with its viewport
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] GLuint texture() const { return texture_.get(); }

 private:
  GLint format_;
  GlTexture texture_;
  GlFramebuffer framebuffer_;
  int width_ = 0, height_ = 0;
};

}  // namespace reber::gui
