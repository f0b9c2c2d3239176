// SPDX-License-Identifier: BSD-3-Clause
// What every window does the same: ImGui, its fonts and scale, input, the frame.
#include "gui/app/window.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

std::atomic<bool> woken{false};

/// The window that wake() is for, which is told of by any thread.
struct Wakened {
  std::mutex mutex;
  Window* window = nullptr;
};

Wakened& wakened() {
  static Wakened one;
  return one;
}

}  // namespace

Window::Window(double fixed_scale, double user_scale) : fixed_scale_(fixed_scale), user_scale_(user_scale) {}

Window::~Window() = default;

void Window::set_screen_scale(double scale) { screen_scale_ = fixed_scale_ > 0 ? fixed_scale_ : scale; }

void Window::begin_fonts(PixelSize wanted) {
  fonts_ = std::make_unique<Fonts>(fitting_scale(wanted.width, wanted.height));
}

void Window::open_interface() {
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  ImGui::CreateContext(&fonts_->atlas());
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplOpenGL3_Init("#version 330 core");
  scale_ = fitting_scale(size().width, size().height);
  const std::lock_guard lock(wakened().mutex);
  wakened().window = this;
}

void Window::stop_wakes() {
  const std::lock_guard lock(wakened().mutex);
  wakened().window = nullptr;
}

void Window::close_interface() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
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

void Window::push_key(InputEvent event) {
  event.kind = InputEvent::Kind::key;
  event.modifier = event.code >= GLFW_KEY_LEFT_SHIFT && event.code <= GLFW_KEY_RIGHT_SUPER;
  event.editing = event.code >= GLFW_KEY_ESCAPE || (event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
  push(event, false);
}

void Window::wake() {
  woken = true;
  const std::lock_guard lock(wakened().mutex);
  if (wakened().window != nullptr) wakened().window->post();
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
  begin_system_frame();
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
  const auto [width, height] = drawn_size();
  bind_frame();
  glViewport(0, 0, width, height);
  const ImVec4 ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
  glClearColor(ground.x, ground.y, ground.z, 1);
  glDisable(GL_SCISSOR_TEST);
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const double sx = static_cast<double>(scale.x), sy = static_cast<double>(scale.y);
  clear_around(width, height, {sx * covered.x, sy * covered.y, sx * covered.width, sy * covered.height});
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

std::vector<unsigned char> Window::read_pixels(int& width, int& height) const {
  width = drawn_size().width;
  height = drawn_size().height;
  const std::size_t row = 3 * static_cast<std::size_t>(width);
  std::vector<unsigned char> upside_down(row * static_cast<std::size_t>(height)), pixels(upside_down.size());
  bind_frame();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
    std::memcpy(&pixels[y * row], &upside_down[(static_cast<std::size_t>(height) - 1 - y) * row], row);
  return pixels;
}

bool Window::take_hand() { return std::exchange(hand_, false); }
std::vector<std::string> Window::take_drops() { return std::exchange(drops_, {}); }
bool Window::take_activity() { return std::exchange(activity_, false); }

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
  const double now = fitting_scale(size().width, size().height);
  if (now == scale_ && light_theme == light_) return;
  scale_ = now;
  light_ = light_theme;
  fonts_wanted_ = activity_ = true;
}

bool Window::software() const {
  return renderer_.find("llvmpipe") != std::string::npos || renderer_.find("softpipe") != std::string::npos ||
         renderer_.find("SWR") != std::string::npos;
}

void Window::feed_mouse_position(double x, double y) { push({.kind = InputEvent::Kind::move, .x = x, .y = y}, true); }

void Window::feed_mouse_button(int button, bool down) {
  push({.kind = InputEvent::Kind::button, .code = button, .down = down}, true);
}

void Window::feed_modifier(int mod, bool down) {
  const int key = mod == GLFW_MOD_CONTROL ? GLFW_KEY_LEFT_CONTROL
                  : mod == GLFW_MOD_ALT   ? GLFW_KEY_LEFT_ALT
                                          : GLFW_KEY_LEFT_SHIFT;
  push_key({.code = key, .down = down, .mods = mod});
}

void Window::feed_wheel(double dy) { push({.kind = InputEvent::Kind::wheel, .y = dy}, true); }

void Window::feed_key(int key, bool down, int mods) { push_key({.code = key, .down = down, .mods = mods}); }

void Window::feed_character(unsigned code) {
  push({.kind = InputEvent::Kind::text, .code = static_cast<int>(code)}, true);
}

void Window::feed_drop(const std::string& path) {
  activity_ = true;
  drops_.push_back(path);
}

}  // namespace reber::gui
