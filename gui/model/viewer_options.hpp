// SPDX-License-Identifier: BSD-3-Clause
// What the program gives the viewer to begin with.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/live/live_run.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber::gui {

/// The viewer served to browsers, in place of a window.
struct BrowserOptions {
  int port = 0;                    ///< 0: a free one
  std::vector<std::string> hosts;  ///< names of proxies that requests may come through
  std::string folder;              ///< for files that browsers send
};

struct ViewerOptions {
  std::vector<std::string> files;
  Request request;  ///< open options, beam and stages that new documents begin with
  std::string backend = "auto";
  std::vector<std::string> backends;  ///< names to choose from
  /// Makes a backend by name; called on a job's thread.
  std::function<std::unique_ptr<Backend>(const std::string& name)> make_backend;
  /// Makes what takes the place of a card that failed so; on that thread too.
  std::function<std::unique_ptr<Backend>(const std::string& failure)> take_over;
  std::string program;                    ///< "reber 0.1.0"
  std::optional<BrowserOptions> browser;  ///< empty: a window of the desktop
  int width = 1280, height = 800;
  double scale = 0;                             ///< of the interface; 0: the screen's
  std::string sample;                           ///< a field to try things on; empty: there is none
  bool welcome = false;                         ///< without a file: the sample and a first help
  std::string script;                           ///< steps to play (gui/script/player.hpp)
  std::function<void(const std::string&)> say;  ///< for the outcome of a script
  std::string settings;                         ///< file of settings; empty: none is read or written
  /// The process has begun anew: what it left is taken up, and saved again into this file, or where that is empty into
  /// none yet.
  std::optional<std::string> resume;
  std::string card_failure;  ///< why the process begins without the card; empty where it does not
  /// Has the process begin anew, with `session` for `resume`; called when all of the viewer is gone.   throws DataError
  std::function<void(const std::string& session)> begin_anew;
  const std::atomic<bool>* stop = nullptr;  ///< true: the viewer keeps its state and ends; null: never
  std::int64_t image_memory = 0;            ///< bytes that level 0 of an image may take; 0: a quarter of the machine's
  std::string cache_folder;                 ///< for levels of images larger than that; empty: they are kept nowhere
  std::int64_t texture_memory = 256 << 20;
  std::string bench_part = "all";  ///< of bench_viewer(): all, frames, layers
  /// The backend is opened once the first pixels are shown, beside the interface; else when work is first asked for.
  bool open_early = true;
  bool share = true;  ///< a backend's tiles go to OpenGL without the host where both are on one card
  ShowMaps show_maps = ShowMaps::automatic;
};

}  // namespace reber::gui
