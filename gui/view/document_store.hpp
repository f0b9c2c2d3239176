// SPDX-License-Identifier: BSD-3-Clause
// The open documents: files read, planes changed, files watched.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gui/model/state.hpp"
#include "gui/model/viewer_options.hpp"
#include "gui/render/tile_cache.hpp"
#include "gui/view/loader.hpp"

namespace reber::gui {

class LiveRuns;

/// Makes, fills and closes ViewerState::documents. All calls return at once; pixels arrive in take_loaded().
class DocumentStore {
 public:
  /// options: the request that documents begin with, program, memory and folder of large images. wake: from any thread,
  /// for a frame soon. All references outlive the store.
  DocumentStore(ViewerState& state, TileCache& tiles, LiveRuns& runs, const ViewerOptions& options,
                std::function<void()> wake);

  struct Loading;
  /// Begins to read a file that `open` will be asked for, before there is a store: its header and a first look.
  static std::unique_ptr<Loading> begin(const std::string& path, const ViewerOptions& options,
                                        std::function<void()> wake);
  /// A new document, which becomes the active one; its path leads the list of recent ones.
  ///   begun: by begin() with the same path and options; null where the file is not being read yet
  void open(const std::string& path, const OpenOptions& options, std::unique_ptr<Loading> begun = nullptr);
  /// A document without a file; the active one stays.
  Document& add(const ImageHeader& header, const std::string& name);
  /// The same document with another HDU or plane.
  void show_plane(Document& document, const OpenOptions& options);
  /// Reads the file again, and runs again what had been run.
  void reload(Document& document);
  void close(std::int64_t id);
  /// Stops reading.
  void cancel(Document& document);

  /// Takes what the loaders brought; once a frame.
  void take_loaded();
  /// Reads again the files that changed and have stood still since.   returns whether one did. seconds: the real clock
  bool watch(double seconds);
  /// Shows the next plane of the active cube where its time has come.
  void animate();

 private:
  [[nodiscard]] Loading& loading_of(const Document& document) { return *loadings_.at(document.id); }
  Document& add_empty(std::unique_ptr<Loading> begun = nullptr);
  void start_loading(Document& document);
  void prepare_loading(Document& document);
  /// Returns whether the file is none of images but a catalogue, which is open by then.
  bool take_loaded(Document& document);
  bool watch_file(Document& document, double now);
  void count_played();

  ViewerState& state_;
  TileCache& tiles_;
  LiveRuns& runs_;
  const ViewerOptions& options_;
  std::function<void()> wake_;
  std::map<std::int64_t, std::unique_ptr<Loading>> loadings_;  ///< by document
  double last_plane_at_ = 0;                                   ///< ViewerState::now
  std::deque<std::chrono::steady_clock::time_point> played_;   ///< planes, of the last second
};

/// A document's loader, and its file as it was opened.
struct DocumentStore::Loading {
  explicit Loading(std::function<void()> wake) : loader(std::move(wake)) {}
  void start(const std::string& path, const OpenOptions& options, LinearPolarisation linear, const LoadMemory& memory,
             bool hold = false);

  Loader loader;
  std::int64_t shown_before = -1;  ///< the document that was shown when this one was opened
  std::int64_t file_time = 0, file_size = 0;
  double checked_at = 0, unchanged_since = 0;
  std::int64_t pending_time = -1, pending_size = -1;  ///< of a file that is being written
};

}  // namespace reber::gui
