// SPDX-License-Identifier: BSD-3-Clause
// Residency of tiles.
#include "gui/render/tile_cache.hpp"

#include <algorithm>

namespace reber::gui {

void TileCache::begin_frame(double upload_ms) {
  ++frame_;
  pending_ = uploaded_ = awaited_ = false;
  until_ = std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(upload_ms * 1000));
}

TileCache::Place TileCache::place_of(int slot) const {
  return {arrays_[static_cast<std::size_t>(slot / kLayers)].get(), slot % kLayers};
}

bool TileCache::peek(const Key& key, Place& place) {
  const auto found = tiles_.find(key);
  if (found == tiles_.end()) return false;
  found->second.used = frame_;
  place = place_of(found->second.slot);
  return true;
}

bool TileCache::find(const Pyramid& pyramid, const Key& key, Place& place) {
  if (peek(key, place)) return true;
  if (pyramid.tiles() && sharing_.is_open() && bring(pyramid, key) && peek(key, place)) return true;
  const Rect rect = rect_of(pyramid.level_shape(key.level), key.row, key.column);
  // A new array comes first in its frame, so that its time does not add to that of other tiles.
  if (uploaded_ && (needs_array() || std::chrono::steady_clock::now() >= until_)) {
    if (pyramid.tiles()) (void)pyramid.tiles()->want({key.level, key.reduction, rect});
    pending_ = true;
    return false;
  }
  DisplayTile tile;
  if (pyramid.tiles() && !fetch(*pyramid.tiles(), key, rect, tile)) return false;
  if (pyramid.in_file() && !files_.take(pyramid, {key.level, key.reduction, rect}, tile.values)) {
    awaited_ = true;
    return false;
  }
  const int slot = take_slot();
  if (slot < 0) return false;  // all are in this very frame: the coarse tile below serves
  upload(pyramid, key, rect, tile, slot);
  tiles_[key] = {slot, frame_};
  place = place_of(slot);
  uploaded_ = true;
  ++uploads_;
  return true;
}

bool TileCache::bring(const Pyramid& pyramid, const Key& like) {
  const auto taken = pyramid.tiles()->take_device(SharedTiles::kMost);
  if (taken.empty()) return false;
  std::vector<SharedTiles::Upload> uploads;
  std::vector<std::pair<Key, int>> slots;
  for (const auto& [tile, pixels] : taken) {
    const Key key{like.pyramid, tile.level, tile.reduction, tile.where.y0 / kSide, tile.where.x0 / kSide};
    const int slot = tiles_.contains(key) ? -1 : take_slot();
    if (slot < 0) continue;
    const Place place = place_of(slot);
    uploads.push_back(
        {pixels, static_cast<GLsizei>(tile.where.nx), static_cast<GLsizei>(tile.where.ny), place.texture, place.layer});
    slots.emplace_back(key, slot);
    tiles_[key] = {slot, frame_};  // this frame's: it makes no room for the next
  }
  const bool shared = uploads.empty() || sharing_.upload(uploads);
  if (!shared) pyramid.tiles()->use_device(false);
  for (const auto& [key, slot] : slots) {
    if (shared) continue;
    tiles_.erase(key);
    free_.push_back(slot);
  }
  uploads_ += shared ? static_cast<std::int64_t>(slots.size()) : 0;
  return shared;
}

bool TileCache::fetch(DisplayTiles& tiles, const Key& key, const Rect& rect, DisplayTile& tile) {
  const DisplayTiles::Answer answer = tiles.take({key.level, key.reduction, rect}, tile);
  if (answer == DisplayTiles::Answer::here && tile.device) {
    // Made on the device between two looks, or before sharing ended: it comes by bring(), or from host memory.
    if (!sharing_.is_open()) tiles.use_device(false);
    (void)tiles.want({key.level, key.reduction, rect});
    awaited_ = true;
    return false;
  }
  if (answer == DisplayTiles::Answer::awaited) awaited_ = true;
  return answer == DisplayTiles::Answer::here;
}

int TileCache::take_slot() {
  if (needs_array()) {
    GlTexture array = make_texture();
    glBindTexture(GL_TEXTURE_2D_ARRAY, array.get());
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R32F, kSide, kSide, kLayers, 0, GL_RED, GL_FLOAT, nullptr);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    for (int layer = kLayers - 1; layer >= 0; --layer)
      free_.push_back(static_cast<int>(arrays_.size()) * kLayers + layer);
    arrays_.push_back(std::move(array));
  }
  if (free_.empty()) {
    const auto oldest = std::ranges::min_element(tiles_, {}, [](const auto& entry) { return entry.second.used; });
    if (oldest == tiles_.end() || oldest->second.used == frame_) return -1;
    free_.push_back(oldest->second.slot);
    tiles_.erase(oldest);
  }
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

Rect TileCache::rect_of(Shape level, std::int64_t row, std::int64_t column) {
  return {row * kSide, column * kSide, std::min(kSide, level.ny - row * kSide),
          std::min(kSide, level.nx - column * kSide)};
}

void TileCache::upload(const Pyramid& pyramid, const Key& key, const Rect& rect, const DisplayTile& tile, int slot) {
  const Place place = place_of(slot);
  const float* pixels = tile.values.data();
  if (tile.values.empty()) {
    scratch_.resize(kSide * kSide);
    pyramid.read(key.level, key.reduction, rect, scratch_.data());
    pixels = scratch_.data();
  }
  glBindTexture(GL_TEXTURE_2D_ARRAY, place.texture);
  const void* from = staging_ ? staging_->put(pixels, rect.nx * rect.ny * 4) : pixels;
  glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, place.layer, static_cast<GLsizei>(rect.nx),
                  static_cast<GLsizei>(rect.ny), 1, GL_RED, GL_FLOAT, from);
  if (staging_) staging_->sent();
}

void TileCache::drop(std::uint64_t pyramid) {
  files_.forget(pyramid);
  for (auto entry = tiles_.begin(); entry != tiles_.end();) {
    if (entry->first.pyramid == pyramid) {
      free_.push_back(entry->second.slot);
      entry = tiles_.erase(entry);
    } else {
      ++entry;
    }
  }
}

}  // namespace reber::gui
