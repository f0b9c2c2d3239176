// SPDX-License-Identifier: BSD-3-Clause
// The window: GLFW, the OpenGL context and ImGui.
#include "gui/app/window.hpp"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

Window* window_of(GLFWwindow* window) { return static_cast<Window*>(glfwGetWindowUserPointer(window)); }

std::atomic<bool> woken{false}, can_wake{false};

std::string& last_error() {
  static std::string text;
  return text;
}

}  // namespace

Window::Window(int width, int height, double scale, double user_scale, bool visible)
    : fixed_scale_(scale), user_scale_(user_scale) {
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
  screen_scale_ = fixed_scale_ > 0 ? fixed_scale_ : static_cast<double>(x);
  fonts_ = std::make_unique<Fonts>(fitting_scale(width, height));
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
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  glfwSwapInterval(software() ? 0 : 1);
  glfwSetWindowUserPointer(window_, this);
  ImGui::CreateContext(&fonts_->atlas());
  ImGui::GetIO().IniFilename = nullptr;
  install_callbacks();
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  glfwGetWindowContentScale(window_, &x, &y);
  screen_scale_ = fixed_scale_ > 0 ? fixed_scale_ : static_cast<double>(x);
  glfwGetWindowSize(window_, &width, &height);
  scale_ = fitting_scale(width, height);
  can_wake = true;
}

Window::~Window() {
  can_wake = false;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::push(InputEvent event, bool scripted) {
  activity_ = true;
  const bool mouse = event.kind == InputEvent::Kind::move || event.kind == InputEvent::Kind::button;
  if (mouse && scripted) scripted_mouse_ = true;
  if (mouse && scripted_mouse_ && !scripted) {
    hand_ = hand_ || (event.kind == InputEvent::Kind::button && event.down);
    return;
  }
  input_.push(event);
}

void Window::on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  InputEvent event;
  event.kind = InputEvent::Kind::key;
  event.code = key;
  event.down = action != GLFW_RELEASE;
  event.repeat = action == GLFW_REPEAT;
  event.modifier = key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
  event.editing = key >= GLFW_KEY_ESCAPE || (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
  event.mods = mods;
  event.scancode = scancode;
  window_of(window)->push(event, false);
}

void Window::install_callbacks() {
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
    window_of(w)->activity_ = true;
    if (!window_of(w)->scripted_mouse_) ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
    window_of(w)->activity_ = true;
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { window_of(w)->activity_ = true; });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { window_of(w)->activity_ = true; });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float x, float) {
    Window* self = window_of(w);
    self->activity_ = true;
    if (self->fixed_scale_ > 0) return;
    self->screen_scale_ = static_cast<double>(x);
  });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    window_of(w)->activity_ = true;
    for (int i = 0; i < count; ++i) window_of(w)->drops_.emplace_back(paths[i]);
  });
}

void Window::wait(double seconds) {
  if (seconds > 0)
    glfwWaitEventsTimeout(seconds);
  else
    glfwPollEvents();
}

void Window::wake() {
  woken = true;
  if (can_wake) glfwPostEmptyEvent();
}

bool Window::take_wake() { return woken.exchange(false); }

void Window::build_fonts() {
  fonts_wanted_ = false;
  apply_theme(light_, scale());
  if (fonts_->scale() == scale()) return;
  fonts_->make(scale());
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Window::give(const InputEvent& event) {
  using Kind = InputEvent::Kind;
  switch (event.kind) {
    case Kind::move:
      mouse_known_ = true;
      mouse_x_ = event.x;
      mouse_y_ = event.y;
#if IMGUI_VERSION_NUM >= 18700
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

void Window::take_input(const std::function<bool(const KeyPress&)>& press) {
  input_.begin_frame();
  while (const auto event = input_.next()) {
    give(*event);
    if (event->kind == InputEvent::Kind::key && event->down && press({event->code, event->mods})) input_.swallow_text();
  }
}

void Window::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  if (fonts_wanted_) build_fonts();
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  // The backend asks the system, which may be ahead of the events given out.
  ImGuiIO& io = ImGui::GetIO();
  const bool pointed = io.MousePos.x > -FLT_MAX;  // the pointer is over the window
  if (scripted_mouse_ || (pointed && mouse_known_))
    io.MousePos = {static_cast<float>(mouse_x_), static_cast<float>(mouse_y_)};
  for (std::size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i];
#endif
}

void Window::skip_frame() { ImGui::EndFrame(); }

namespace {

/// Clears the window but for the part that is covered.
void clear_around(int width, int height, const ScreenRect& covered) {
  // A pixel of doubt along the edges.
  const int x0 = std::max(0, static_cast<int>(std::ceil(covered.x)) + 1);
  const int x1 = std::min(width, static_cast<int>(std::floor(covered.x + covered.width)) - 1);
  const int top = std::max(0, static_cast<int>(std::ceil(covered.y)) + 1);
  const int bottom = std::min(height, static_cast<int>(std::floor(covered.y + covered.height)) - 1);
  if (x0 >= x1 || top >= bottom) return glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  const auto clear = [](int x, int y, int nx, int ny) {
    glScissor(x, y, nx, ny);
    glClear(GL_COLOR_BUFFER_BIT);
  };
  clear(0, 0, width, height - bottom);
  clear(0, height - top, width, top);
  clear(0, height - bottom, x0, bottom - top);
  clear(x1, height - bottom, width - x1, bottom - top);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

void Window::end_frame(const ScreenRect& covered) {
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
  const ImVec4 ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
  glClearColor(ground.x, ground.y, ground.z, 1);
  glDisable(GL_SCISSOR_TEST);
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const double sx = static_cast<double>(scale.x), sy = static_cast<double>(scale.y);
  clear_around(width, height, {sx * covered.x, sy * covered.y, sx * covered.width, sy * covered.height});
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::show_frame() { glfwSwapBuffers(window_); }

std::vector<unsigned char> Window::read_pixels(int& width, int& height) const {
  glfwGetFramebufferSize(window_, &width, &height);
  const std::size_t row = 3 * static_cast<std::size_t>(width);
  std::vector<unsigned char> upside_down(row * static_cast<std::size_t>(height)), pixels(upside_down.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
    std::memcpy(&pixels[y * row], &upside_down[(static_cast<std::size_t>(height) - 1 - y) * row], row);
  return pixels;
}

bool Window::take_hand() { return std::exchange(hand_, false); }
bool Window::close_wanted() const { return glfwWindowShouldClose(window_) != 0; }
bool Window::minimised() const { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0; }
std::vector<std::string> Window::take_drops() { return std::exchange(drops_, {}); }
bool Window::take_activity() { return std::exchange(activity_, false); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

double Window::fitting_scale(int width, int height) const {
  constexpr double kWidth = 560, kHeight = 400;  // units that the parts of the window need
  constexpr double kLeast = 0.75, kStep = 8;     // fonts are made anew at each step
  const double wanted = screen_scale_ * user_scale_;
  if (width <= 0 || height <= 0) return wanted;
  const double most = std::floor(kStep * std::min(width / kWidth, height / kHeight)) / kStep;
  return std::min(wanted, std::max(kLeast, most));
}

void Window::set_user_scale(double scale, bool light_theme) {
  user_scale_ = scale;
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  const double now = fitting_scale(width, height);
  if (now == scale_ && light_theme == light_) return;
  scale_ = now;
  light_ = light_theme;
  fonts_wanted_ = activity_ = true;
}

bool Window::software() const {
  return renderer_.find("llvmpipe") != std::string::npos || renderer_.find("softpipe") != std::string::npos ||
         renderer_.find("SWR") != std::string::npos;
}

void Window::toggle_full_screen() {
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

void Window::set_clipboard(const std::string& text) { glfwSetClipboardString(window_, text.c_str()); }

std::string Window::clipboard() const {
  const char* text = glfwGetClipboardString(window_);
  return text == nullptr ? "" : text;
}

void Window::feed_mouse_position(double x, double y) {
#if IMGUI_VERSION_NUM >= 18700
  if (!scripted_mouse_) ImGui_ImplGlfw_CursorEnterCallback(window_, 1);
#endif
  push({.kind = InputEvent::Kind::move, .x = x, .y = y}, true);
}

void Window::feed_mouse_button(int button, bool down) {
  push({.kind = InputEvent::Kind::button, .code = button, .down = down}, true);
}

void Window::feed_modifier(int mod, bool down) {
  const int key = mod == GLFW_MOD_CONTROL ? GLFW_KEY_LEFT_CONTROL
                  : mod == GLFW_MOD_ALT   ? GLFW_KEY_LEFT_ALT
                                          : GLFW_KEY_LEFT_SHIFT;
  on_key(window_, key, 0, down ? GLFW_PRESS : GLFW_RELEASE, mod);
}

void Window::feed_wheel(double dy) { push({.kind = InputEvent::Kind::wheel, .y = dy}, true); }

void Window::feed_key(int key, bool down, int mods) { on_key(window_, key, 0, down ? GLFW_PRESS : GLFW_RELEASE, mods); }

void Window::feed_character(unsigned code) {
  push({.kind = InputEvent::Kind::text, .code = static_cast<int>(code)}, true);
}

void Window::feed_drop(const std::string& path) {
  activity_ = true;
  drops_.push_back(path);
}

}  // namespace reber::gui
