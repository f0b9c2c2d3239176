// SPDX-License-Identifier: BSD-3-Clause
// OpenGL without a display, by EGL.
#include "gui/render/egl_context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

bool has_word(const char* words, std::string_view word) {
  return words != nullptr && std::string_view(words).find(word) != std::string_view::npos;
}

/// Displays to try: those of cards first, and Mesa's own without a card last.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> made;
  const char* const client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto query_device =
      reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(eglGetProcAddress("eglQueryDeviceStringEXT"));
  std::array<EGLDeviceEXT, 32> devices{};
  EGLint count = 0;
  const char* const software = std::getenv("LIBGL_ALWAYS_SOFTWARE");
  const bool cards = software == nullptr || std::string_view(software) == "0";
  if (cards && has_word(client, "EGL_EXT_platform_device") && query_devices != nullptr && query_device != nullptr &&
      query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) != EGL_FALSE) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (has_word(query_device(devices[i], EGL_EXTENSIONS), "software")) continue;
      made.push_back(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
    }
  }
  if (has_word(client, "EGL_MESA_platform_surfaceless"))
    made.push_back(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  return made;
}

/// Null where this display has no OpenGL 3.3 without a surface.
EGLContext context_of(EGLDisplay display) {
  EGLint major = 0, minor = 0, count = 0;
  if (display == EGL_NO_DISPLAY || eglInitialize(display, &major, &minor) == EGL_FALSE) return EGL_NO_CONTEXT;
  EGLConfig config = nullptr;
  const std::array<EGLint, 5> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
  if (has_word(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context") &&
      eglBindAPI(EGL_OPENGL_API) != EGL_FALSE &&
      eglChooseConfig(display, wanted.data(), &config, 1, &count) != EGL_FALSE && count > 0) {
    for (const auto& [larger, smaller] : {std::pair{4, 5}, std::pair{3, 3}}) {
      const std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION,
                                          larger,
                                          EGL_CONTEXT_MINOR_VERSION,
                                          smaller,
                                          EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                          EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                          EGL_NONE};
      const EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
      if (made == EGL_NO_CONTEXT) continue;
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, made) != EGL_FALSE) return made;
      eglDestroyContext(display, made);
    }
  }
  eglTerminate(display);
  return EGL_NO_CONTEXT;
}

}  // namespace

EglContext::EglContext() {
  for (const EGLDisplay display : displays()) {
    context_ = context_of(display);
    display_ = display;
    if (context_ != EGL_NO_CONTEXT) return;
  }
  throw DeviceError(
      "a viewer for browsers draws off the screen, by EGL, and there is no OpenGL 3.3 for that here: install the "
      "driver's EGL library, or Mesa's (packages libegl1, libegl-mesa0 and libgl1-mesa-dri)");
}

EglContext::~EglContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

}  // namespace reber::gui
