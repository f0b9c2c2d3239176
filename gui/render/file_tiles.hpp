// SPDX-License-Identifier: BSD-3-Clause
// Tiles of images that stay in their files, read beside the frames.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/run/live/tile_key.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

/// Reads on a thread of its own, so that no frame waits for a disk. What was asked for last comes first.
class FileTiles {
 public:
  FileTiles() = default;
  ~FileTiles();
  FileTiles(const FileTiles&) = delete;
  FileTiles& operator=(const FileTiles&) = delete;

  /// wake: called from the reader's thread after each tile. Before this call take() reads by itself.
  void read_beside(std::function<void()> wake) { wake_ = std::move(wake); }
  /// Hands a tile over, once, or asks for it.   returns whether it is here
  bool take(const Pyramid& pyramid, const TileKey& key, std::vector<float>& out);
  /// Nothing of this pyramid is read from here on.
  void forget(std::uint64_t pyramid);

 private:
  using Key = std::pair<std::uint64_t, TileKey>;
  struct Wish {
    const Pyramid* pyramid;
    Key key;
  };
  void loop();
  void read_one(std::unique_lock<std::mutex>& lock);

  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool quit_ = false;
  std::deque<Wish> wishes_;    ///< newest first
  std::uint64_t reading_ = 0;  ///< Pyramid::id(); 0: none
  std::map<Key, std::vector<float>> ready_;
  std::deque<Key> ready_order_;  ///< oldest first
  std::thread thread_;
};

}  // namespace reber::gui
