// SPDX-License-Identifier: BSD-3-Clause
// The window that has no screen: drawn off it, shown and driven by browsers.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "gui/app/window.hpp"
#include "gui/render/egl_context.hpp"
#include "gui/serve/server.hpp"

namespace reber::gui {

struct ServedOptions {
  int width = 1280, height = 800;  ///< until a browser tells its own
  double scale = 0;                ///< 0: the browser's
  int port = 0;                    ///< as in ServerOptions
  std::vector<std::string> hosts;
  std::string folder;  ///< for files from browsers
};

class ServedWindow final : public Window {
 public:
  /// user_scale: as in DesktopWindow.   throws DeviceError, InputError
  ServedWindow(const ServedOptions& options, double user_scale);
  ~ServedWindow() override;

  [[nodiscard]] std::string address() const { return server_.address(); }

  void wait(double seconds) override;
  void show_frame() override;
  [[nodiscard]] bool close_wanted() const override { return false; }
  [[nodiscard]] bool minimised() const override { return !server_.watched(); }
  void set_title(const std::string& title) override { server_.set_title(title); }
  void toggle_full_screen() override { server_.full_screen(); }
  void give_to_browser(const std::string& path) override { server_.give(path); }
  void ask_browser() override { server_.ask_for_file(); }
  void set_clipboard(const std::string& text) override;
  [[nodiscard]] std::string clipboard() const override { return clipboard_; }
  void draw_at_once() override {}

 private:
  using Clock = std::chrono::steady_clock;
  void take_messages();
  void resize(int width, int height, double scale);
  void let_go();
  void connect_interface();
  void give(const InputEvent& event) override;
  void begin_system_frame() override;
  void post() override;
  void bind_frame() const override { target_.bind(); }
  [[nodiscard]] PixelSize size() const override { return {target_.width(), target_.height()}; }
  [[nodiscard]] PixelSize drawn_size() const override { return size(); }

  EglContext context_;
  Target target_;
  std::mutex mutex_;
  std::condition_variable change_;
  bool news_ = false;
  std::string clipboard_, cursor_;
  double mouse_x_ = 0, mouse_y_ = 0;
  std::array<bool, 3> buttons_{};
  std::array<bool, 512> keys_{};  ///< GLFW's, that are down
  Clock::time_point frame_at_, shown_at_;
  Server server_;  ///< last: its thread ends first
};

}  // namespace reber::gui
