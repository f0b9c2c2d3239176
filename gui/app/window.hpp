// SPDX-License-Identifier: BSD-3-Clause
// What the interface is drawn into: ImGui on OpenGL, and events as the shell wants them.
#pragma once

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

struct PixelSize {
  int width = 0, height = 0;
};

/// One window per program, of the desktop (desktop_window.hpp) or served to browsers (served_window.hpp). Events come
/// from outside and, through the feed_ functions, from scripts: both take the same way.
class Window {
 public:
  virtual ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Sleeps until an event or a wake-up, for at most `seconds`; 0 does not sleep.
  virtual void wait(double seconds) = 0;
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
  /// Draws ImGui's lists. covered: part of the window, in its units, that the lists fill with opaque pixels; it is not
  /// cleared before.
  void end_frame(const ScreenRect& covered);
  virtual void show_frame() = 0;
  /// The frame as it was drawn: RGB, top row first.
  [[nodiscard]] std::vector<unsigned char> read_pixels(int& width, int& height) const;

  [[nodiscard]] virtual bool close_wanted() const = 0;
  [[nodiscard]] virtual bool minimised() const = 0;
  /// Since the last call.
  [[nodiscard]] std::vector<std::string> take_drops();
  [[nodiscard]] bool take_activity();

  virtual void set_title(const std::string& title) = 0;
  void set_user_scale(double scale, bool light_theme);
  /// The user's times the screen's; less in a window that is too small for it, so that everything stays in reach.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] const std::string& renderer() const { return renderer_; }
  [[nodiscard]] bool software() const;
  virtual void toggle_full_screen() = 0;
  virtual void give_to_browser(const std::string& /*path*/) {}
  virtual void ask_browser() {}
  virtual void set_clipboard(const std::string& text) = 0;
  [[nodiscard]] virtual std::string clipboard() const = 0;
  /// Frames no longer wait for the screen's own rate.
  virtual void draw_at_once() = 0;

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

 protected:
  /// fixed_scale: of the interface, whatever the screen says; 0: the screen's.
  Window(double fixed_scale, double user_scale);
  void set_screen_scale(double scale);
  /// Letters are made on a thread of their own, for a window that will be about that large.
  void begin_fonts(PixelSize wanted);
  /// ImGui and its renderer, on the current context of OpenGL; wake() counts from here on.
  void open_interface();
  void stop_wakes();
  void close_interface();

  void push(InputEvent event, bool scripted);
  /// code, down, repeat, mods and scancode are given, the rest follows.
  void push_key(InputEvent event);
  void note_activity() { activity_ = true; }
  [[nodiscard]] bool scripted_mouse() const { return scripted_mouse_; }

  virtual void give(const InputEvent& event) = 0;  ///< to ImGui
  virtual void begin_system_frame() = 0;           ///< size, time and pointer of ImGui's frame
  virtual void post() = 0;                         ///< ends a wait; from any thread
  virtual void bind_frame() const { glBindFramebuffer(GL_FRAMEBUFFER, 0); }
  [[nodiscard]] virtual PixelSize size() const = 0;        ///< in units of the pointer's places
  [[nodiscard]] virtual PixelSize drawn_size() const = 0;  ///< in pixels

 private:
  void build_fonts();
  [[nodiscard]] double fitting_scale(int width, int height) const;

  double fixed_scale_ = 0, screen_scale_ = 1, user_scale_ = 1, scale_ = 1;
  bool light_ = false, fonts_wanted_ = true;
  std::unique_ptr<Fonts> fonts_;
  std::string renderer_;
  InputQueue input_;
  std::vector<std::string> drops_;
  bool activity_ = true;
  bool scripted_mouse_ = false, hand_ = false;
};

}  // namespace reber::gui
