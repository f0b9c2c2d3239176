// SPDX-License-Identifier: BSD-3-Clause
// One map of a live run as a viewer reads it: tiles and values come from the live run's thread when they are asked for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/run/live/tile_key.hpp"
#include "core/show/display/display_levels.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// A tile in host memory, or on the backend's device.
struct DisplayTile {
  std::vector<float> values;
  std::shared_ptr<const DeviceTile> device;
};

/// Safe to use from any thread and to outlive its LiveRun, which then answers no more.
class DisplayTiles {
 public:
  /// sample: finite values of the map, sorted. ask: wakes the thread that serves; called without locks held.
  DisplayTiles(Shape shape, std::vector<float> sample, std::function<void()> ask)
      : shape_(shape), sample_(std::move(sample)), ask_(std::move(ask)) {}

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] const std::vector<float>& sample() const { return sample_; }

  enum class Answer { here, awaited, never };
  /// Hands a tile over, once; asks for it where it is not here. never: the session dropped this map.
  [[nodiscard]] Answer take(const TileKey& key, DisplayTile& out);
  /// Hands over all that are here on the device, at most `most`.
  [[nodiscard]] std::vector<std::pair<TileKey, std::shared_ptr<const DeviceTile>>> take_device(std::size_t most);
  /// Asks for a tile that will be taken later.   returns whether it is here, or will never be
  bool want(const TileKey& key);
  /// Tiles come on the device where that is possible (true), or in host memory, the ones that are here too.
  void use_device(bool on);
  /// A pixel; NaN where it is blank or not here yet: asked for then.
  [[nodiscard]] float value(std::int64_t y, std::int64_t x);
  /// Whether value() knows the pixel.
  [[nodiscard]] bool knows(std::int64_t y, std::int64_t x) const;
  /// All pixels in host memory, or null: want_pixels() has them brought.
  [[nodiscard]] std::shared_ptr<const Image> pixels() const;
  void want_pixels();

  // These wait for the live run's thread: for jobs, never for the interface.   throws Cancelled where it answers no
  // more
  /// Level 0 brings all pixels.
  void read(int level, Reduction reduction, const Rect& where, float* out);
  [[nodiscard]] std::shared_ptr<const Image> wait_for_pixels();

  // Of the thread that serves.
  /// Makes what was asked for.   returns whether there was anything; throws DeviceError
  bool serve(DisplayLevels& levels);
  /// Brings some ten milliseconds' worth of the pixels that are wanted.   returns whether they are all here now
  bool fetch_part(DisplayLevels& levels);
  [[nodiscard]] bool tiles_wanted() const;
  [[nodiscard]] bool pixels_wanted() const;
  /// Answers nothing more; those who wait are told.
  void close();

 private:
  struct Read {
    TileKey key;
    std::promise<std::vector<float>> answer;
  };
  [[nodiscard]] TileKey square_of(std::int64_t y, std::int64_t x) const;
  bool serve_tile(DisplayLevels& levels);
  bool serve_value(DisplayLevels& levels);
  bool serve_read(DisplayLevels& levels);

  const Shape shape_;
  const std::vector<float> sample_;
  const std::function<void()> ask_;
  mutable std::mutex mutex_;
  std::condition_variable pixels_here_;
  bool closed_ = false, device_ = false, pixels_asked_ = false;
  std::deque<TileKey> asked_;
  std::map<TileKey, DisplayTile> ready_;
  std::deque<TileKey> ready_order_;  ///< oldest first
  std::deque<TileKey> values_asked_;
  std::map<TileKey, std::vector<float>> values_;
  std::deque<TileKey> values_order_;
  std::deque<Read> reads_;
  std::shared_ptr<const Image> pixels_;
  // Of the thread that serves.
  std::shared_ptr<Image> coming_;
  std::int64_t rows_here_ = 0;
};

}  // namespace reber
