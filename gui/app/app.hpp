// SPDX-License-Identifier: BSD-3-Clause
// The running viewer: documents and their jobs, one frame after the other.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/window.hpp"
#include "gui/model/early_backend.hpp"
#include "gui/render/ellipse_renderer.hpp"
#include "gui/render/image_renderer.hpp"
#include "gui/render/pass_clock.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/shell.hpp"
#include "gui/view/loader.hpp"
#include "gui/viewer.hpp"

namespace reber::gui {

/// A document's sources on the card, and what they were made of.
struct DrawnSources {
  EllipseSet ellipses;
  std::shared_ptr<const LiveResult> result;
  std::size_t count = 0;
  std::uint64_t selection = 0;  ///< Selection::version
};

/// Work that belongs to one document, and what it keeps on the card.
struct DocumentJobs {
  explicit DocumentJobs(const std::function<void()>& changed);
  Loader loader;
  /// Levels of the maps that the session brought; made one at a time.
  struct MadeLayer {
    LayerKind kind;
    std::uint64_t generation;
    std::shared_ptr<const Pyramid> pixels;
  };
  JobSlot<MadeLayer> layer_slot;
  std::array<bool, kLayerKinds> wanted{};           ///< layers asked for and not there yet
  std::array<std::uint64_t, kLayerKinds> asked{};   ///< generation for which a map was asked of the session
  std::map<LayerKind, std::vector<float>> samples;  ///< sorted values, for histograms
  DrawnSources drawn_sources;
  std::shared_ptr<const LabelRuns> drawn_labels;  ///< what the layer of islands was made of
  const LiveRun* told_session = nullptr;          ///< which was told of told_shared
  bool told_shared = false;
  std::uint64_t seen_result = 0;
  std::uint64_t refining = 0;                 ///< generation of the run that fits what is shown
  std::optional<Request> refined;             ///< what is run, with fits, once the sources by moments are there
  std::int64_t file_time = 0, file_size = 0;  ///< as opened
  double checked_at = 0, unchanged_since = 0;
  std::int64_t pending_time = -1, pending_size = -1;  ///< of a file that is being written
};

/// What a canvas's picture was drawn from: the same again needs no drawing.
struct CanvasPicture {
  Target target;
  std::string drawn;  ///< fingerprint
  bool complete = false;
};

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
  /// Shows the frame, then sleeps as long as nothing happens.
  void rest();
  [[nodiscard]] bool settled() const;  ///< no work under way and the last frame drew all there is

  [[nodiscard]] ViewerState& state() { return state_; }
  [[nodiscard]] Window& window() { return *window_; }
  [[nodiscard]] Widgets& widgets() { return widgets_; }
  /// Of this frame's parts on the card, for measurements.
  [[nodiscard]] PassClock& passes() { return passes_; }
  [[nodiscard]] ImageRenderer& renderer() { return *renderer_; }
  [[nodiscard]] const ScreenRect& canvas() const { return canvas_; }
  [[nodiscard]] Context context() { return {state_, *this, widgets_}; }
  [[nodiscard]] double frame_ms() const { return frame_ms_; }
  /// Of the last frame: until the lists of what to draw were made.
  [[nodiscard]] double interface_ms() const { return interface_ms_; }
  /// Scripts hold the clock: frames are 1/60 s apart, but for what they skip.
  void use_fixed_clock() { fixed_clock_ = true; }
  void skip_time(double seconds) { skip_ = seconds; }
  /// The next frame is drawn afresh even where nothing changed.
  void forget_pictures();
  /// Fraction of the work under way and its name; empty where there is none.
  [[nodiscard]] std::string activity(double& fraction) const;

  void open(const std::string& path, const OpenOptions& options) override;
  void show_plane(Document& document, const OpenOptions& options) override;
  void reload(Document& document) override;
  void close(std::int64_t document) override;
  Document& add_document(const ImageHeader& header, const std::string& name) override;
  void run(Document& document) override;
  void cancel(Document& document) override;
  bool show_layer(Document& document, LayerKind kind) override;
  Raster render(const Document& document, const ViewTransform& view, int width, int height, bool outlines) override;
  std::uintptr_t small_picture(const Document& document, const ViewTransform& view, int width, int height) override;
  void copy_text(const std::string& text) override;
  [[nodiscard]] std::string paste_text() override;
  void toggle_full_screen() override;
  [[nodiscard]] std::function<void()> wake() override;
  [[nodiscard]] std::vector<std::string> backends() const override { return options_.backends; }
  [[nodiscard]] std::string backend() const override { return backend_; }
  void use_backend(const std::string& name) override;
  [[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name) override;

 private:
  void start_autosave();
  void take_input();
  void take_news();
  void take_loaded(Document& document, DocumentJobs& jobs);
  void take_result(Document& document, DocumentJobs& jobs);
  void take_layers(Document& document, DocumentJobs& jobs);
  void take_map(Document& document, DocumentJobs& jobs, LayerKind kind);
  [[nodiscard]] std::vector<TileKey> tiles_in_view(const Document& document, LayerKind kind) const;
  void take_link(Document& document, DocumentJobs& jobs);
  [[nodiscard]] bool outlines_wanted(const Document& document) const;
  [[nodiscard]] const Pyramid* outlines_over(const Document& document, LayerKind layer) const;
  void draw_outlines(const ImageScene& scene, const Pyramid& islands);
  bool watch_files();  ///< true where one changed
  bool watch_file(Document& document, DocumentJobs& jobs);
  [[nodiscard]] double seconds() const;
  void animate();
  void layer_arrived(Document& document, LayerKind kind, std::shared_ptr<const Pyramid> pixels,
                     std::uint64_t generation);
  [[nodiscard]] DocumentJobs& jobs_of(const Document& document);
  void start_loading(Document& document);
  void draw_interface();
  void draw_document(Document& document);
  void draw_canvas(const ScreenRect& area, Document& document, LayerKind layer, bool primary);
  bool draw_picture(CanvasPicture& picture, const CanvasView& canvas);  ///< false where there is nothing to draw
  void compare_with_other(ImageScene& scene, const Document& document);
  void draw_split(Document& other);
  void draw_message(const Document& document, const ScreenRect& area);
  void draw_welcome(const ScreenRect& area);
  [[nodiscard]] ImageScene scene_of(const Document& document, LayerKind layer, const CanvasTransform& transform,
                                    double pixel_ratio);

  ViewerOptions options_;
  ViewerState state_;
  Widgets widgets_;
  std::shared_ptr<EarlyBackend> early_;  ///< outlives the window: nobody looks on while it waits
  std::unique_ptr<Window> window_;
  std::unique_ptr<ImageRenderer> renderer_;
  std::unique_ptr<EllipseRenderer> ellipses_;
  PassClock passes_;
  std::map<std::int64_t, std::unique_ptr<DocumentJobs>> jobs_;
  std::array<CanvasPicture, 2> pictures_;
  Target export_target_, small_target_;
  ScreenRect canvas_, fitted_in_;  ///< the image's part of the window, now and in the last frame
  ScreenRect covered_;             ///< part of the window that an opaque picture fills in this frame
  std::string backend_;
  std::chrono::steady_clock::time_point started_;
  bool fixed_clock_ = false, pictures_complete_ = true;
  bool link_tried_ = false;
  std::string link_why_;  ///< why tiles go through host memory
  int frames_wanted_ = 3;
  double skip_ = 0, frame_ms_ = 0, interface_ms_ = 0, last_plane_at_ = 0;
  std::string title_;
};

}  // namespace reber::gui
