// SPDX-License-Identifier: BSD-3-Clause
// What one browser has of the picture, and what goes to it next.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "gui/serve/served_picture.hpp"

namespace reber::gui {

/// Frames to one browser. What moves goes as JPEG, as good as the line allows; what rests follows without loss; what
/// is the same does not go. No more than two frames are under way: a slow line sees fewer of them, and never old ones.
class PictureLine {
 public:
  /// A new picture, of which these tiles differ from the one before.
  void changed(const ServedPicture& picture, const TileMarks& tiles);
  /// The message that goes now; empty where nothing is owed, or where the line has enough.   now: seconds, of any clock
  [[nodiscard]] std::optional<std::string> next(const ServedPicture& picture, double now);
  /// The browser has drawn this frame.
  void drawn(std::uint32_t frame, double now);
  /// Seconds until next() may have more without any news; empty where it will not.
  [[nodiscard]] std::optional<double> due(double now) const;
  /// Changes that have not gone yet.
  [[nodiscard]] bool waits() const { return owed_.any(); }
  [[nodiscard]] int quality() const;  ///< of the JPEG files

 private:
  struct UnderWay {
    std::uint32_t frame;
    double since;
  };
  [[nodiscard]] std::string moving(const ServedPicture& picture, double now);
  [[nodiscard]] std::string resting(const ServedPicture& picture, double now);
  [[nodiscard]] std::string begin_message(const ServedPicture& picture, std::size_t parts, double now);

  int width_ = 0, height_ = 0;
  TileMarks owed_, lossy_;
  double moved_at_ = 0;  ///< when a part was last sent with losses
  double least_ = 1e9;   ///< seconds from a frame to its "drawn"
  std::uint32_t frame_ = 0;
  std::deque<UnderWay> under_way_;
  int step_ = 0;  ///< down the list of qualities
};

}  // namespace reber::gui
