// SPDX-License-Identifier: BSD-3-Clause
// The window of a desktop, by GLFW.
#pragma once

#include <array>
#include <string>

#include "gui/app/window.hpp"

namespace reber::gui {

class DesktopWindow final : public Window {
 public:
  /// scale: 0 for the screen's own. user_scale: as in set_user_scale, which the fonts are made for at once.   throws
  /// DeviceError that says what is missing: a display, OpenGL 3.3 ...
  DesktopWindow(int width, int height, double scale, double user_scale, bool visible);
  ~DesktopWindow() override;

  void wait(double seconds) override;
  void show_frame() override;
  [[nodiscard]] bool close_wanted() const override;
  [[nodiscard]] bool minimised() const override;
  void set_title(const std::string& title) override;
  void toggle_full_screen() override;
  void set_clipboard(const std::string& text) override;
  [[nodiscard]] std::string clipboard() const override;
  void draw_at_once() override;

 private:
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods);
  void install_callbacks();
  void give(const InputEvent& event) override;
  void begin_system_frame() override;
  void post() override;
  [[nodiscard]] PixelSize size() const override;
  [[nodiscard]] PixelSize drawn_size() const override;

  GLFWwindow* window_ = nullptr;
  // As the frame sees them; the system's own may be ahead.
  bool mouse_known_ = false;
  double mouse_x_ = 0, mouse_y_ = 0;
  std::array<bool, 3> buttons_{};
  int windowed_[4] = {0, 0, 1280, 800};
};

}  // namespace reber::gui
