// SPDX-License-Identifier: BSD-3-Clause
// What panels, overlays and actions may ask of the program around them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gui/model/state.hpp"
#include "gui/ui/widgets.hpp"

namespace reber::gui {

class Panels;
class Overlays;

/// A picture made off the screen: 8-bit RGBA, top row first.
struct Raster {
  int width = 0, height = 0;
  std::vector<unsigned char> rgba;
};

/// A picture to be made off the screen, of the shown layer of a document or its difference or ratio to the one it is
/// compared with, as `view` has it on a canvas of width x height points, one pixel each.
struct PictureOrder {
  ViewTransform view;
  int width = 0, height = 0;
  bool overlays = false;  ///< those that paint into pictures and are on; else the image alone
  /// Called in a later frame, once all tiles were drawn, or after five seconds of waiting for a run to make them.
  std::function<void(Raster)> done;
};

/// The running program. All calls return at once; what they start reports through the state.
class Shell {
 public:
  virtual ~Shell() = default;

  /// Opens a file in a new document, which becomes the active one. A cube without a chosen plane shows its first.
  virtual void open(const std::string& path, const OpenOptions& options) = 0;
  /// The same document with another HDU or plane; view and settings stay.
  virtual void show_plane(Document& document, const OpenOptions& options) = 0;
  /// Reads the file again, and runs again what had been run.
  virtual void reload(Document& document) = 0;
  virtual void close(std::int64_t document) = 0;
  /// A document without a file; its layers' pixels are put in by the caller. The active document stays.
  virtual Document& add_document(const ImageHeader& header, const std::string& name) = 0;

  /// Submits document.request to its live run.
  virtual void run(Document& document) = 0;
  /// Stops the live run's and the loader's work.
  virtual void cancel(Document& document) = 0;
  /// Shows a layer and asks for its pixels where they are missing or old. False where it cannot be had (no result yet).
  virtual bool show_layer(Document& document, LayerKind kind) = 0;

  /// Begins a picture: transparent off the image. It is made over the coming frames, and nothing waits for it.
  virtual void make_picture(Document& document, const PictureOrder& order) = 0;

  /// The active document's image as a texture for ImGui::Image, upside down (uv from (0, 1) to (1, 0)), in the given
  /// size; 0 where there is nothing. One a frame.
  virtual std::uintptr_t small_picture(const Document& document, const ViewTransform& view, int width, int height) = 0;

  /// A field to try things on; empty where it is not there.
  [[nodiscard]] virtual std::string sample() const = 0;
  virtual void copy_text(const std::string& text) = 0;
  [[nodiscard]] virtual std::string paste_text() = 0;
  virtual void toggle_full_screen() = 0;
  /// Of a viewer that is served: the driving browser gets the file, or is asked for one, which is opened when it has
  /// come.   throws InputError as FileExchange::offer
  virtual void give_to_browser(const std::string& path) = 0;
  virtual void ask_browser() = 0;
  /// Where files from browsers go; empty where they go nowhere.
  [[nodiscard]] virtual std::string browser_folder() const = 0;
  /// Callable from any thread: the interface draws a frame soon. Give it to JobSlot.
  [[nodiscard]] virtual std::function<void()> wake() = 0;
  /// Names of the compute backends of this build and the one in use ("auto" before the first run).
  [[nodiscard]] virtual std::vector<std::string> backends() const = 0;
  [[nodiscard]] virtual std::string backend() const = 0;
  /// Takes effect with the next run of each document.
  virtual void use_backend(const std::string& name) = 0;
  /// After ViewerState::card_failure: opens the card again where it is whole; else the viewer ends and begins anew in
  /// this process' place, with what is open, since a card that failed is of no more use to a process.
  virtual void take_card_back() = 0;
  /// A backend of its own for work outside the live runs (proof, device panel); call it on the job's thread.
  ///   throws InputError, DeviceError
  [[nodiscard]] virtual std::unique_ptr<Backend> make_backend(const std::string& name) = 0;
};

/// What every panel, overlay and action is given.
struct Context {
  ViewerState& state;
  Shell& shell;
  Widgets& widgets;
  Panels& panels;
  Overlays& overlays;
};

}  // namespace reber::gui
