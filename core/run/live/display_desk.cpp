// SPDX-License-Identifier: BSD-3-Clause
// Makes levels of maps and serves those who look at them.
#include "core/run/live/display_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"

namespace reber {
namespace {

std::vector<float> sorted_finite(std::vector<float> values) {
  std::erase_if(values, [](float v) { return !std::isfinite(v); });
  std::ranges::sort(values);
  return values;
}

}  // namespace

DisplayDesk::DisplayDesk(std::function<void()> poke) : poke_(std::make_shared<Poke>()) {
  poke_->call = std::move(poke);
}

DisplayDesk::~DisplayDesk() {
  {
    const std::lock_guard lock(poke_->mutex);
    poke_->call = nullptr;
  }
  for (Entry& entry : entries_) close(entry);
}

void DisplayDesk::close(Entry& entry) {
  if (entry.tiles) entry.tiles->close();
  const std::lock_guard lock(mutex_);
  entry.tiles.reset();
  entry.levels.reset();
}

std::shared_ptr<DisplayTiles> DisplayDesk::tiles(MapKind map, Backend& backend,
                                                 const std::shared_ptr<const Plane>& plane,
                                                 const BackgroundModel* background, ShowMaps by,
                                                 const Progress& progress) {
  Entry& entry = entries_[static_cast<std::size_t>(map)];
  if (entry.tiles) return entry.tiles;
  std::unique_ptr<DisplayLevels> levels;
  if (by == ShowMaps::whole) return nullptr;
  if (auto* const display = backend.display()) levels = display->display_levels(map, plane, background, progress);
  if (!levels && by == ShowMaps::tiles) levels = host_display_levels(backend, map, *plane, background, progress);
  if (!levels) return nullptr;
  auto made = std::make_shared<DisplayTiles>(levels->shape(), sorted_finite(levels->sample()), [poke = poke_] {
    const std::lock_guard lock(poke->mutex);
    if (poke->call) poke->call();
  });
  made->use_device(device_);
  const std::lock_guard lock(mutex_);
  entry = {std::move(made), std::move(levels)};
  return entry.tiles;
}

void DisplayDesk::check_room(Shape map) {
  const double wanted = 4.0 * 5 / 3 * static_cast<double>(map.count()), free = static_cast<double>(free_memory_bytes());
  if (wanted <= 0.75 * free) return;  // as much as a run takes
  throw InputError(
      fmt::format("the map takes {:.1f} GB of memory, and three quarters of {:.1f} GB may be used: reber find writes "
                  "it to a file, which can "
                  "be opened here",
                  1e-9 * wanted, 1e-9 * free));
}

void DisplayDesk::drop(StageId first) {
  for (std::size_t map = 0; map < entries_.size(); ++map) {
    const StageId made_by = static_cast<MapKind>(map) == MapKind::image ? StageId::convolve : StageId::background;
    if (first <= made_by) close(entries_[map]);
  }
}

bool DisplayDesk::serve() {
  bool any = false;
  for (Entry& entry : entries_) {
    if (!entry.tiles) continue;
    try {
      any = entry.tiles->serve(*entry.levels) || any;
    } catch (const std::exception&) {
      close(entry);
      any = true;
    }
  }
  return any;
}

bool DisplayDesk::fetch_part() {
  for (Entry& entry : entries_) {
    if (!entry.tiles || !entry.tiles->pixels_wanted()) continue;
    try {
      return entry.tiles->fetch_part(*entry.levels);
    } catch (const std::exception&) {
      close(entry);
      return true;
    }
  }
  return false;
}

bool DisplayDesk::tiles_wanted() const {
  return std::ranges::any_of(entries_, [](const Entry& e) { return e.tiles && e.tiles->tiles_wanted(); });
}

bool DisplayDesk::pixels_wanted() const {
  return std::ranges::any_of(entries_, [](const Entry& e) { return e.tiles && e.tiles->pixels_wanted(); });
}

void DisplayDesk::use_device(bool on) {
  device_ = on;
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.tiles) entry.tiles->use_device(on);
}

}  // namespace reber
