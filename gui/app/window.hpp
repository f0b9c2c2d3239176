// SPDX-License-Identifier: BSD-3-Clause
// The window: GLFW, the OpenGL context and ImGui; events as the shell wants them.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/input_queue.hpp"
#include "gui/model/sky/view_transform.hpp"
#include "gui/render/gl.hpp"
#include "gui/ui/fonts.hpp"

namespace reber::gui {

struct KeyPress {
  int key = 0, mods = 0;  ///< GLFW's
};

/// One window per program. Events come from the system and, through the feed_ functions, from scripts: both take the
/// same way.
class Window {
 public:
  /// scale: 0 for the screen's own. user_scale: as in set_user_scale, which the fonts are made for at once.   throws
  /// DeviceError that says what is missing: a display, OpenGL 3.3 ...
  Window(int width, int height, double scale, double user_scale, bool visible);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Sleeps until an event or a wake-up, for at most `seconds`; 0 does not sleep.
  void wait(double seconds);
  /// From any thread.
  static void wake();
  /// Whether wake() was called since the last call.
  [[nodiscard]] static bool take_wake();

  /// Gives the events of this frame to ImGui, and each press of a key to `press` before that; a press that says true
  /// has acted: its character goes nowhere else. Before begin_frame.
  void take_input(const std::function<bool(const KeyPress&)>& press);
  /// Events wait for the next frames: a frame would show more than one of them.
  [[nodiscard]] bool input_waits() const { return !input_.empty(); }
  /// Events wait until `frames` more have begun: a field that was asked for gets the keyboard.
  void hold_input(int frames) { input_.hold(frames); }
  void begin_frame();
  /// Ends a frame that only takes input: nothing is drawn.
  void skip_frame();
  /// Draws ImGui's lists; the back buffer then holds the frame. covered: part of the window, in its units, that the
  /// lists fill with opaque pixels; it is not cleared before.
  void end_frame(const ScreenRect& covered);
  void show_frame();
  /// The back buffer: RGB, top row first.
  [[nodiscard]] std::vector<unsigned char> read_pixels(int& width, int& height) const;

  [[nodiscard]] bool close_wanted() const;
  [[nodiscard]] bool minimised() const;
  /// Since the last call.
  [[nodiscard]] std::vector<std::string> take_drops();
  [[nodiscard]] bool take_activity();

  void set_title(const std::string& title);
  void set_user_scale(double scale, bool light_theme);
  /// The user's times the screen's; less in a window that is too small for it, so that everything stays in reach.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] const std::string& renderer() const { return renderer_; }
  [[nodiscard]] bool software() const;
  void toggle_full_screen();
  void set_clipboard(const std::string& text);
  [[nodiscard]] std::string clipboard() const;

  // Input made by a script, in screen units.
  void feed_mouse_position(double x, double y);
  void feed_mouse_button(int button, bool down);  ///< 0 left, 1 right, 2 middle
  /// GLFW_MOD_CONTROL or GLFW_MOD_SHIFT, held until let go.
  void feed_modifier(int mod, bool down);
  void feed_wheel(double dy);
  void feed_key(int key, bool down, int mods);
  void feed_character(unsigned code);
  void feed_drop(const std::string& path);
  /// The hand's mouse counts again, after a script's.
  void release_mouse() { scripted_mouse_ = false; }
  /// A button of the hand's mouse was pressed while a script held the pointer, since the last call.
  [[nodiscard]] bool take_hand();

 private:
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods);
  void install_callbacks();
  void push(InputEvent event, bool scripted);
  void give(const InputEvent& event);
  void build_fonts();
  [[nodiscard]] double fitting_scale(int width, int height) const;

  GLFWwindow* window_ = nullptr;
  double fixed_scale_ = 0, screen_scale_ = 1, user_scale_ = 1, scale_ = 1;
  bool light_ = false, fonts_wanted_ = true;
  std::unique_ptr<Fonts> fonts_;
  std::string renderer_;
  InputQueue input_;
  std::vector<std::string> drops_;
  bool activity_ = true;
  bool scripted_mouse_ = false, hand_ = false;
  // As the frame sees them; the system's own may be ahead.
  bool mouse_known_ = false;
  double mouse_x_ = 0, mouse_y_ = 0;
  std::array<bool, 3> buttons_{};
  int windowed_[4] = {0, 0, 1280, 800};
};

}  // namespace reber::gui
