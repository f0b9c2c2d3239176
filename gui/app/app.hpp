// SPDX-License-Identifier: BSD-3-Clause
// The running viewer: window, input and one frame after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/app/layout.hpp"
#include "gui/app/window.hpp"
#include "gui/model/early_backend.hpp"
#include "gui/model/viewer_options.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/shell.hpp"
#include "gui/view/canvas_painter.hpp"
#include "gui/view/document_store.hpp"
#include "gui/view/live_runs.hpp"

namespace reber::gui {

/// Owns the state and the four parts that work on it, and hands them what panels and actions ask of the Shell.
class App final : public Shell {
 public:
  explicit App(const ViewerOptions& options);
  ~App() override;

  /// One frame. Returns false when the window is to close.
  bool frame();
  /// Sleeps until there is something to do, or the time is up.
  void rest_for(double seconds);
  /// Brings the frame to the screen. After the first that holds pixels the backend is opened, in the background.
  void show_frame();
  [[nodiscard]] bool opening_backend() const { return early_->opening(); }
  [[nodiscard]] bool settled() const;  ///< no work under way and the last frame drew all there is

  [[nodiscard]] ViewerState& state() { return state_; }
  [[nodiscard]] Window& window() { return *window_; }
  [[nodiscard]] Widgets& widgets() { return widgets_; }
  [[nodiscard]] PassClock& passes() { return painter_->passes(); }
  [[nodiscard]] const ScreenRect& canvas() const { return canvas_; }
  [[nodiscard]] Context context() { return {state_, *this, widgets_, *panels_, *overlays_}; }
  /// Of the last frame: until the lists of what to draw were made.
  [[nodiscard]] double interface_ms() const { return interface_ms_; }
  /// Scripts hold the clock: frames are 1/60 s apart, but for what they skip.
  void use_fixed_clock() { fixed_clock_ = true; }
  void skip_time(double seconds) { skip_ = seconds; }
  /// The next frame is drawn afresh even where nothing changed.
  void forget_pictures() { painter_->forget_pictures(); }
  /// Fraction of the work under way and its name; empty where there is none.
  [[nodiscard]] std::string activity(double& fraction) const;

  void open(const std::string& path, const OpenOptions& options) override;
  void show_plane(Document& document, const OpenOptions& options) override { store_->show_plane(document, options); }
  void reload(Document& document) override { store_->reload(document); }
  void close(std::int64_t document) override { store_->close(document); }
  Document& add_document(const ImageHeader& header, const std::string& name) override {
    return store_->add(header, name);
  }
  void run(Document& document) override { runs_->run(document); }
  void cancel(Document& document) override;
  bool show_layer(Document& document, LayerKind kind) override;
  void make_picture(Document& document, const PictureOrder& order) override;
  std::uintptr_t small_picture(const Document& document, const ViewTransform& view, int width, int height) override {
    return painter_->small_picture(state_, document, view, width, height);
  }
  [[nodiscard]] std::string sample() const override { return options_.sample; }
  void copy_text(const std::string& text) override;
  [[nodiscard]] std::string paste_text() override { return window_->clipboard(); }
  void toggle_full_screen() override { window_->toggle_full_screen(); }
  void give_to_browser(const std::string& path) override { window_->give_to_browser(path); }
  void ask_browser() override { window_->ask_browser(); }
  [[nodiscard]] std::string browser_folder() const override {
    return options_.browser ? options_.browser->folder : std::string();
  }
  [[nodiscard]] std::function<void()> wake() override;
  [[nodiscard]] std::vector<std::string> backends() const override { return options_.backends; }
  [[nodiscard]] std::string backend() const override { return runs_->backend(); }
  void use_backend(const std::string& name) override { runs_->use_backend(name); }
  void take_card_back() override;
  [[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name) override;

 private:
  void open_window();
  void start_autosave();
  void welcome();
  /// What this process had open before it began anew; false where there is nothing of it.
  [[nodiscard]] bool resume();
  /// A signal asked for the end.
  [[nodiscard]] bool stopped() const;
  void take_input();
  /// The dialog that has the keyboard; null where there is none.
  [[nodiscard]] const PanelRow* open_dialog() const;
  /// What a key does; true where it did something. While a dialog, the palette or a menu is open keys act on that
  /// alone.
  bool press(const std::string& key, bool typing);
  void take_news();
  /// Region files that were opened, once the shown image has a header to place them by.
  void take_regions();
  void draw_interface();
  [[nodiscard]] double seconds() const;

  ViewerOptions options_;
  ViewerState state_;
  std::vector<std::string> waiting_regions_;  ///< paths
  Widgets widgets_;
  std::shared_ptr<EarlyBackend> early_;  ///< outlives the window: nobody looks on while it waits
  std::unique_ptr<Window> window_;       ///< outlives all that follow: they hold OpenGL's objects, and wake it
  std::unique_ptr<Overlays> overlays_;
  std::unique_ptr<CanvasPainter> painter_;
  std::unique_ptr<LiveRuns> runs_;
  std::unique_ptr<DocumentStore> store_;
  std::unique_ptr<Panels> panels_;
  Layout layout_;
  ScreenRect canvas_;  ///< the first image's part of the window
  std::chrono::steady_clock::time_point started_;
  bool fixed_clock_ = false;
  int frames_wanted_ = 3;
  double skip_ = 0, interface_ms_ = 0;
  bool drawn_ = true;    ///< the last frame made a picture
  double drawn_at_ = 0;  ///< seconds()
  std::string title_;
};

}  // namespace reber::gui
