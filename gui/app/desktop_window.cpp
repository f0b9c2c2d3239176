// SPDX-License-Identifier: BSD-3-Clause
// The window of a desktop, by GLFW.
#include "gui/app/desktop_window.hpp"

#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <cfloat>
#include <cstdlib>
#include <utility>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

DesktopWindow* window_of(GLFWwindow* window) { return static_cast<DesktopWindow*>(glfwGetWindowUserPointer(window)); }

std::string& last_error() {
  static std::string text;
  return text;
}

}  // namespace

DesktopWindow::DesktopWindow(int width, int height, double scale, double user_scale, bool visible)
    : Window(scale, user_scale) {
  glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
  if (glfwInit() == GLFW_FALSE) {
    const char* display = std::getenv("DISPLAY");
    throw DeviceError(
        fmt::format("the viewer needs a display and found none ({}; DISPLAY is {}); use ssh -X on a remote machine, "
                    "xvfb-run reber view without a screen; reber run needs no display",
                    last_error(), display == nullptr ? "not set" : display));
  }
  // The monitor's scale is the window's, but for one on another monitor, whose fonts are made again.
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  set_screen_scale(static_cast<double>(x));
  begin_fonts({width, height});
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  // 4.4 has buffers that stay mapped; 3.3 is enough.
  for (const auto& [major, minor] : {std::pair{4, 5}, std::pair{3, 3}}) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, minor);
    if (window_ == nullptr) window_ = glfwCreateWindow(width, height, "Reber", nullptr, nullptr);
  }
  if (window_ == nullptr) {
    const std::string why = last_error();
    glfwTerminate();
    throw DeviceError(fmt::format(
        "the viewer needs OpenGL 3.3 and this display does not give it ({}); LIBGL_ALWAYS_SOFTWARE=1 draws on the "
        "processor (package libgl1-mesa-dri)",
        why));
  }
  glfwMakeContextCurrent(window_);
  glfwSetWindowUserPointer(window_, this);
  glfwGetWindowContentScale(window_, &x, &y);
  set_screen_scale(static_cast<double>(x));
  open_interface();
  glfwSwapInterval(software() ? 0 : 1);
  install_callbacks();
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
}

DesktopWindow::~DesktopWindow() {
  stop_wakes();
  ImGui_ImplGlfw_Shutdown();
  close_interface();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void DesktopWindow::on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  window_of(window)->push_key({.code = key,
                               .down = action != GLFW_RELEASE,
                               .repeat = action == GLFW_REPEAT,
                               .mods = mods,
                               .scancode = scancode});
}

void DesktopWindow::install_callbacks() {
  using Kind = InputEvent::Kind;
  glfwSetKeyCallback(window_, on_key);
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned code) {
    window_of(w)->push({.kind = Kind::text, .code = static_cast<int>(code)}, false);
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
    window_of(w)->push({.kind = Kind::button, .code = button, .down = action == GLFW_PRESS, .mods = mods}, false);
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double dx, double dy) {
    window_of(w)->push({.kind = Kind::wheel, .x = dx, .y = dy}, false);
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
    window_of(w)->push({.kind = Kind::move, .x = x, .y = y}, false);
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
    window_of(w)->note_activity();
    if (!window_of(w)->scripted_mouse()) ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
    window_of(w)->note_activity();
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { window_of(w)->note_activity(); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { window_of(w)->note_activity(); });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float x, float) {
    window_of(w)->note_activity();
    window_of(w)->set_screen_scale(static_cast<double>(x));
  });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    for (int i = 0; i < count; ++i) window_of(w)->feed_drop(paths[i]);
  });
}

void DesktopWindow::wait(double seconds) {
  if (seconds > 0)
    glfwWaitEventsTimeout(seconds);
  else
    glfwPollEvents();
}

void DesktopWindow::post() { glfwPostEmptyEvent(); }

void DesktopWindow::give(const InputEvent& event) {
  using Kind = InputEvent::Kind;
  switch (event.kind) {
    case Kind::move:
      mouse_known_ = true;
      mouse_x_ = event.x;
      mouse_y_ = event.y;
#if IMGUI_VERSION_NUM >= 18700
      if (scripted_mouse()) ImGui_ImplGlfw_CursorEnterCallback(window_, 1);
      ImGui_ImplGlfw_CursorPosCallback(window_, event.x, event.y);
#endif
      break;
    case Kind::button:
      if (event.code < static_cast<int>(buttons_.size()))
        buttons_.at(static_cast<std::size_t>(event.code)) = event.down;
#if IMGUI_VERSION_NUM >= 18700
      ImGui_ImplGlfw_MouseButtonCallback(window_, event.code, event.down ? GLFW_PRESS : GLFW_RELEASE, event.mods);
#endif
      break;
    case Kind::wheel:
      ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
      break;
    case Kind::text:
      ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned>(event.code));
      break;
    case Kind::key:
      ImGui_ImplGlfw_KeyCallback(window_, event.code, event.scancode,
                                 !event.down    ? GLFW_RELEASE
                                 : event.repeat ? GLFW_REPEAT
                                                : GLFW_PRESS,
                                 event.mods);
      break;
  }
}

void DesktopWindow::begin_system_frame() {
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  // The backend asks the system, which may be ahead of the events given out.
  ImGuiIO& io = ImGui::GetIO();
  const bool pointed = io.MousePos.x > -FLT_MAX;  // the pointer is over the window
  if (scripted_mouse() || (pointed && mouse_known_))
    io.MousePos = {static_cast<float>(mouse_x_), static_cast<float>(mouse_y_)};
  for (std::size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i];
#endif
}

void DesktopWindow::show_frame() { glfwSwapBuffers(window_); }

PixelSize DesktopWindow::size() const {
  PixelSize made;
  glfwGetWindowSize(window_, &made.width, &made.height);
  return made;
}

PixelSize DesktopWindow::drawn_size() const {
  PixelSize made;
  glfwGetFramebufferSize(window_, &made.width, &made.height);
  return made;
}

bool DesktopWindow::close_wanted() const { return glfwWindowShouldClose(window_) != 0; }
bool DesktopWindow::minimised() const { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0; }
void DesktopWindow::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }
void DesktopWindow::draw_at_once() { glfwSwapInterval(0); }

void DesktopWindow::toggle_full_screen() {
  if (glfwGetWindowMonitor(window_) != nullptr) {
    glfwSetWindowMonitor(window_, nullptr, windowed_[0], windowed_[1], windowed_[2], windowed_[3], GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return;
  glfwGetWindowPos(window_, &windowed_[0], &windowed_[1]);
  glfwGetWindowSize(window_, &windowed_[2], &windowed_[3]);
  const GLFWvidmode* mode = glfwGetVideoMode(monitor);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void DesktopWindow::set_clipboard(const std::string& text) { glfwSetClipboardString(window_, text.c_str()); }

std::string DesktopWindow::clipboard() const {
  const char* text = glfwGetClipboardString(window_);
  return text == nullptr ? "" : text;
}

}  // namespace reber::gui
