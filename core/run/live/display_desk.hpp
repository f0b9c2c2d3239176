// SPDX-License-Identifier: BSD-3-Clause
// Levels of a live run's maps and those who look at them: the part of the live run's thread that serves tiles.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "core/run/live/display_tiles.hpp"
#include "core/run/live/live_run.hpp"
#include "core/show/display/display_levels.hpp"

namespace reber {

/// Number of MapKinds. `image` is the plane that sources are looked for in: convolved where asked for.
inline constexpr int kMapKinds = 4;

/// Used by the live run's thread alone, but for use_device() and what DisplayTiles allows.
class DisplayDesk {
 public:
  /// poke: wakes the live run's thread; called from any thread as long as this lives.
  explicit DisplayDesk(std::function<void()> poke);
  ~DisplayDesk();
  DisplayDesk(const DisplayDesk&) = delete;
  DisplayDesk& operator=(const DisplayDesk&) = delete;

  /// What is shown of a map: kept where it was made before and nothing that it is made of changed. Null where whole
  /// maps are to be rendered.
  ///   throws Cancelled, DeviceError, std::bad_alloc
  [[nodiscard]] std::shared_ptr<DisplayTiles> tiles(MapKind map, Backend& backend,
                                                    const std::shared_ptr<const Plane>& plane,
                                                    const BackgroundModel* background, ShowMaps by,
                                                    const Progress& progress);
  /// A whole map, and the means and peaks of its levels, must fit in three quarters of what is free.
  ///   map: its shape   throws InputError where they do not
  static void check_room(Shape map);
  /// Stages from `first` on run again: levels made of their results go.
  void drop(StageId first);
  /// Makes the tiles that are asked for.   returns whether there were any
  bool serve();
  /// A part of whole maps that are wanted.   returns whether one became whole
  bool fetch_part();
  [[nodiscard]] bool tiles_wanted() const;
  [[nodiscard]] bool pixels_wanted() const;
  void use_device(bool on);

 private:
  struct Entry {
    std::shared_ptr<DisplayTiles> tiles;
    std::unique_ptr<DisplayLevels> levels;
  };
  struct Poke {
    std::mutex mutex;
    std::function<void()> call;
  };
  /// A map that fails is looked at no more; it is made again with the next result.
  void close(Entry& entry);

  std::shared_ptr<Poke> poke_;
  mutable std::mutex mutex_;  ///< of tiles in entries_, which use_device() reads
  std::array<Entry, kMapKinds> entries_;
  std::atomic<bool> device_{false};
};

}  // namespace reber
