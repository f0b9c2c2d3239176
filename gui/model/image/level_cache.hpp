// SPDX-License-Identifier: BSD-3-Clause
// The folder in which reduced levels of large images are kept between sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace reber::gui {

/// Where the levels of one plane of one file are kept.
struct LevelPlace {
  std::string path;      ///< of the file of levels
  std::string identity;  ///< a line that tells the image: its size, time, HDU, plane and path
};

/// Files of levels. Each begins with the line of its image, so that those of images that changed or are gone can be
/// told and swept.
class LevelCache {
 public:
  /// folder: made when it is first needed; empty: nothing is kept. most_bytes: of all files together
  explicit LevelCache(std::string folder, std::int64_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  LevelCache() = default;

  /// Of an image as it is on the disk at this moment; empty where there is no folder, or no such file.
  [[nodiscard]] std::optional<LevelPlace> place_of(const std::string& image, int hdu, std::int64_t plane) const;
  /// Makes room for a file of so many bytes: removes the levels of images that changed or are gone, then those that
  /// were not used for longest. At most half of what the disk has left is taken.   returns whether there is room
  [[nodiscard]] bool make_room(std::int64_t bytes) const;
  /// Counts a file as used now.
  static void used(const LevelPlace& place);

  static constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;
  static constexpr std::int64_t kHeadBytes = 8192;  ///< a line that is longer is kept nowhere

 private:
  std::string folder_;
  std::int64_t most_bytes_ = 0;
};

/// $XDG_CACHE_HOME/reber, else ~/.cache/reber; empty where neither is known.
[[nodiscard]] std::string default_cache_folder();

}  // namespace reber::gui
