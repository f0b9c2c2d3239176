// SPDX-License-Identifier: BSD-3-Clause
// Tiles of images on the graphics card: only what is in view is there, whatever the size of the image.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/run/live/display_tiles.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/render/file_tiles.hpp"
#include "gui/render/gl.hpp"
#include "gui/render/shared_tiles.hpp"
#include "gui/render/tile_staging.hpp"

namespace reber::gui {

/// Tiles of kSide x kSide float pixels in the layers of a few texture arrays; the least recently drawn one makes room.
class TileCache {
 public:
  static constexpr std::int64_t kSide = 512;

  struct Key {
    std::uint64_t pyramid = 0;
    int level = 0;
    Reduction reduction = Reduction::peak;
    std::int64_t row = 0, column = 0;  ///< in tiles of that level
    auto operator<=>(const Key&) const = default;
  };
  struct Place {
    GLuint texture = 0;
    int layer = 0;
  };

  /// most_bytes: of texture memory.
  /// staged: tiles go to the card by a buffer that its copy engine reads.
  TileCache(std::int64_t most_bytes, bool staged) : most_tiles_(most_bytes / (kSide * kSide * 4)) {
    if (staged) staging_ = TileStaging::make(kSide * kSide * 4);
  }

  /// Pixels of a tile of a level of that shape.
  [[nodiscard]] static Rect rect_of(Shape level, std::int64_t row, std::int64_t column);

  /// Begins a frame: uploads may take this long (one is always made); older tiles may be dropped.
  void begin_frame(double upload_ms);
  /// The tile, uploaded now where the frame's time allows it. False where it is not there: pending() is true then, or,
  /// where a live run's backend has yet to make it or it is still being read, awaited().
  bool find(const Pyramid& pyramid, const Key& key, Place& place);
  /// The same without upload.
  bool peek(const Key& key, Place& place);
  /// Something asked for in this frame was not uploaded: draw again.
  [[nodiscard]] bool pending() const { return pending_; }
  /// Something asked for in this frame comes from a live run or a file, which wake the interface then.
  [[nodiscard]] bool awaited() const { return awaited_; }
  /// Tiles of images in files are read beside the frames from here on; wake: for a frame, from any thread.
  void read_beside(std::function<void()> wake) { files_.read_beside(std::move(wake)); }
  /// Tiles that a backend makes on OpenGL's own card come without the host while its sharing().is_open().
  [[nodiscard]] SharedTiles& sharing() { return sharing_; }
  /// Forgets the tiles of a pyramid that is no more.
  void drop(std::uint64_t pyramid);
  [[nodiscard]] std::int64_t resident_bytes() const {
    return static_cast<std::int64_t>(tiles_.size()) * kSide * kSide * 4;
  }
  [[nodiscard]] std::int64_t uploads() const { return uploads_; }

 private:
  struct Tile {
    int slot = 0;
    std::uint64_t used = 0;
  };
  static constexpr int kLayers = 8;  ///< of one array: a card takes some 0.4 ms each when the first tile comes to it

  /// The next tile takes a new array.
  [[nodiscard]] bool needs_array() const {
    return free_.empty() && static_cast<std::int64_t>(arrays_.size()) * kLayers < most_tiles_;
  }

  [[nodiscard]] Place place_of(int slot) const;
  int take_slot();
  /// Of a live run's map. False where it is not here yet.
  bool fetch(DisplayTiles& tiles, const Key& key, const Rect& rect, DisplayTile& tile);
  /// Takes all tiles of a live run's map that are here on the device, as one upload.   returns whether there were any
  /// and they are here now
  bool bring(const Pyramid& pyramid, const Key& like);
  void upload(const Pyramid& pyramid, const Key& key, const Rect& rect, const DisplayTile& tile, int slot);

  std::int64_t most_tiles_;
  std::vector<GlTexture> arrays_;
  std::vector<int> free_;
  std::map<Key, Tile> tiles_;
  std::vector<float> scratch_;
  std::unique_ptr<TileStaging> staging_;
  std::uint64_t frame_ = 0;
  std::chrono::steady_clock::time_point until_;
  bool pending_ = false, uploaded_ = false, awaited_ = false;
  SharedTiles sharing_{kSide * kSide * 4};
  std::int64_t uploads_ = 0;
  FileTiles files_;
};

}  // namespace reber::gui
