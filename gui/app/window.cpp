// SPDX-License-Identifier: BSD-3-Clause
// The window: GLFW, the OpenGL context and ImGui.
#include "gui/app/window.hpp"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

Window* window_of(GLFWwindow* window) { return static_cast<Window*>(glfwGetWindowUserPointer(window)); }

std::atomic<bool> woken{false};

std::string& last_error() {
  static std::string text;
  return text;
}

}  // namespace

Window::Window(int width, int height, double scale, bool visible) : fixed_scale_(scale) {
  glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
  if (glfwInit() == GLFW_FALSE) {
    const char* display = std::getenv("DISPLAY");
    throw DeviceError(
        fmt::format("the viewer needs a display and found none ({}; DISPLAY is {}). On a remote machine use ssh -X; "
                    "without a screen "
                    "xvfb-run reber view; reber run needs no display.",
                    last_error(), display == nullptr ? "not set" : display));
  }
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
        "the viewer needs OpenGL 3.3 and this display does not give it ({}). LIBGL_ALWAYS_SOFTWARE=1 draws on the "
        "processor (package libgl1-mesa-dri).",
        why));
  }
  glfwMakeContextCurrent(window_);
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  glfwSwapInterval(software() ? 0 : 1);
  glfwSetWindowUserPointer(window_, this);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  install_callbacks();
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  screen_scale_ = fixed_scale_ > 0 ? fixed_scale_ : static_cast<double>(x);
}

Window::~Window() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  Window* self = window_of(window);
  self->activity_ = true;
  ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, mods);
  if (action != GLFW_RELEASE) self->keys_.push_back({key, mods});
}

void Window::install_callbacks() {
  glfwSetKeyCallback(window_, on_key);
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned code) {
    window_of(w)->activity_ = true;
    ImGui_ImplGlfw_CharCallback(w, code);
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
    window_of(w)->activity_ = true;
    if (!window_of(w)->scripted_mouse_) ImGui_ImplGlfw_MouseButtonCallback(w, button, action, mods);
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double dx, double dy) {
    window_of(w)->activity_ = true;
    ImGui_ImplGlfw_ScrollCallback(w, dx, dy);
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, [[maybe_unused]] double x, [[maybe_unused]] double y) {
    window_of(w)->activity_ = true;
#if IMGUI_VERSION_NUM >= 18700
    if (!window_of(w)->scripted_mouse_) ImGui_ImplGlfw_CursorPosCallback(w, x, y);
#endif
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
    self->fonts_wanted_ = true;
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
  glfwPostEmptyEvent();
}

bool Window::take_wake() { return woken.exchange(false); }

void Window::build_fonts() {
  fonts_wanted_ = false;
  apply_theme(light_, scale());
  add_fonts(scale());
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Window::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  if (fonts_wanted_) build_fonts();
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  if (scripted_mouse_) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {static_cast<float>(mouse_x_), static_cast<float>(mouse_y_)};
    for (std::size_t i = 0; i < script_buttons_.size(); ++i) io.MouseDown[i] = script_buttons_[i];
    io.KeyCtrl = (script_mods_ & GLFW_MOD_CONTROL) != 0;
    io.KeyShift = (script_mods_ & GLFW_MOD_SHIFT) != 0;
  }
#else
  if (scripted_mouse_) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, (script_mods_ & GLFW_MOD_CONTROL) != 0);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, (script_mods_ & GLFW_MOD_SHIFT) != 0);
  }
#endif
}

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

bool Window::close_wanted() const { return glfwWindowShouldClose(window_) != 0; }
bool Window::minimised() const { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0; }
std::vector<KeyPress> Window::take_keys() { return std::exchange(keys_, {}); }
std::vector<std::string> Window::take_drops() { return std::exchange(drops_, {}); }
bool Window::take_activity() { return std::exchange(activity_, false); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

void Window::set_user_scale(double scale, bool light_theme) {
  if (scale == user_scale_ && light_theme == light_) return;
  user_scale_ = scale;
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
  ImGui_ImplGlfw_CursorPosCallback(window_, x, y);
#endif
  scripted_mouse_ = activity_ = true;
  mouse_x_ = x;
  mouse_y_ = y;
}

void Window::feed_mouse_button(int button, bool down, [[maybe_unused]] int mods) {
  activity_ = true;
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_MouseButtonCallback(window_, button, down ? GLFW_PRESS : GLFW_RELEASE, mods);
#else
  script_buttons_.at(static_cast<std::size_t>(button)) = down;
#endif
}

void Window::feed_modifier(int mod, bool down) {
  activity_ = true;
  script_mods_ = down ? script_mods_ | mod : script_mods_ & ~mod;
}

void Window::feed_wheel(double dy) {
  activity_ = true;
  ImGui_ImplGlfw_ScrollCallback(window_, 0, dy);
}

void Window::feed_key(int key, bool down, int mods) { on_key(window_, key, 0, down ? GLFW_PRESS : GLFW_RELEASE, mods); }

void Window::feed_character(unsigned code) {
  activity_ = true;
  ImGui_ImplGlfw_CharCallback(window_, code);
}

void Window::feed_drop(const std::string& path) {
  activity_ = true;
  drops_.push_back(path);
}

}  // namespace reber::gui
