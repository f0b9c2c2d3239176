// SPDX-License-Identifier: BSD-3-Clause
// Pictures made off the window: for files, and small ones for panels.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gui/ui/overlay.hpp"

namespace reber::gui {

/// Draws pictures into targets of its own. A picture for a file takes as many frames as its tiles need to come; it is
/// read in the frame after it was drawn, when the card is done with it. No call waits.
class OffScreen {
 public:
  /// The renderers outlive it.
  OffScreen(ImageRenderer& image, EllipseRenderer& ellipses, PassClock& passes)
      : image_(image), ellipses_(ellipses), passes_(passes) {}

  /// Shell::make_picture(). Where there is nothing to draw, the order is done at once, with an empty raster.
  void order(Context& context, Document& document, const PictureOrder& order);
  /// Goes on with the oldest picture that is not done; once a frame, behind the window's own pictures.
  void step(Context& context);
  [[nodiscard]] bool busy() const { return !jobs_.empty(); }
  /// Drawn at once from the tiles that are there.   returns the texture; 0 where there is nothing
  std::uintptr_t small_picture(const ViewerState& state, const Document& document, const ViewTransform& view, int width,
                               int height);

 private:
  /// A picture under way: what it was ordered of, held fast.
  struct Job {
    PictureOrder order;
    std::int64_t document = -1;
    LayerKind layer = LayerKind::input;
    std::vector<std::shared_ptr<const Pyramid>> held;  ///< what the scene points to
    ImageScene scene;
    std::chrono::steady_clock::time_point since;
    int frames_without_news = 0;
    bool drawn = false;
  };
  bool draw(Context& context, Job& job);  ///< true where nothing more is to come
  [[nodiscard]] Raster read(const Job& job);

  ImageRenderer& image_;
  EllipseRenderer& ellipses_;
  PassClock& passes_;
  std::deque<std::unique_ptr<Job>> jobs_;
  Target file_target_, small_target_;
};

}  // namespace reber::gui
