// SPDX-License-Identifier: BSD-3-Clause
// Brings the pixels of a document to the screen: header, first look, everything.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/cube/cube_view.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/model/job_slot.hpp"

namespace reber::gui {

struct LoadedPixels {
  std::shared_ptr<const Pyramid> pixels;
  std::vector<float> sample;  ///< sorted_sample() of them
  bool whole = false;         ///< else a first look
};

/// What of an image stays in memory, and where the levels of larger ones are kept.
struct LoadMemory {
  std::int64_t most_bytes = 0;  ///< of level 0; larger ones stay in their file
  LevelCache cache;
};

/// Loads one file at a time on a thread of its own; a new load stops the one before.
class Loader {
 public:
  explicit Loader(std::function<void()> changed);

  /// linear: whether the polarised intensity at that plane's coordinates is loaded in its place
  /// hold: a large image rests after its first look until release(), so that reading it takes no processor from what
  /// its user waits for.
  void start(const std::string& path, const OpenOptions& open, LinearPolarisation linear, const LoadMemory& memory,
             bool hold = false);
  void release() { early_->held = false; }
  void cancel();
  [[nodiscard]] bool busy() const { return slot_.busy(); }
  [[nodiscard]] double fraction() const { return slot_.fraction(); }
  [[nodiscard]] std::string error() const { return slot_.error(); }

  /// Next piece of news; false where there is none.
  bool take(std::shared_ptr<const ImageHeader>& header, LoadedPixels& pixels);

 private:
  /// The cube that was opened last: its other planes need no second opening, inflating and checking. The job's alone.
  struct OpenCube {
    std::string path;
    OpenOptions options;  ///< without a plane
    LinearPolarisation linear = LinearPolarisation::off;
    std::filesystem::file_time_type time;
    std::shared_ptr<const ImageFile> file;  ///< null where there is none
  };
  static std::shared_ptr<const ImageFile> open(OpenCube& cube, const std::string& path, OpenOptions options,
                                               LinearPolarisation linear, const Progress& progress);
  struct Early {
    std::mutex mutex;
    std::uint64_t load = 0;
    std::atomic<bool> held{false};
    std::shared_ptr<const ImageHeader> header;
    LoadedPixels preview;
  };
  std::function<void()> changed_;
  std::shared_ptr<Early> early_;
  std::shared_ptr<OpenCube> cube_;
  JobSlot<LoadedPixels> slot_;
};

}  // namespace reber::gui
