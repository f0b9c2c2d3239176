// SPDX-License-Identifier: BSD-3-Clause
// Residency of tiles.
#include "gui/render/tile_cache.hpp"

#include <algorithm>

namespace reber::gui {

void TileCache::begin_frame(double upload_ms) {
  ++frame_;
  pending_ = uploaded_ = false;
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
  if (uploaded_ && std::chrono::steady_clock::now() >= until_) {
    pending_ = true;
    return false;
  }
  const int slot = take_slot();
  if (slot < 0) return false;  // all are in this very frame: the coarse tile below serves
  upload(pyramid, key, slot);
  tiles_[key] = {slot, frame_};
  place = place_of(slot);
  uploaded_ = true;
  ++uploads_;
  return true;
}

int TileCache::take_slot() {
  if (free_.empty() && static_cast<std::int64_t>(arrays_.size()) * kLayers < most_tiles_) {
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

void TileCache::upload(const Pyramid& pyramid, const Key& key, int slot) {
  const Shape shape = pyramid.level_shape(key.level);
  const Rect rect{key.row * kSide, key.column * kSide, std::min(kSide, shape.ny - key.row * kSide),
                  std::min(kSide, shape.nx - key.column * kSide)};
  scratch_.resize(kSide * kSide);
  pyramid.read(key.level, key.reduction, rect, scratch_.data());
  const Place place = place_of(slot);
  glBindTexture(GL_TEXTURE_2D_ARRAY, place.texture);
  const void* from = staging_ ? staging_->put(scratch_.data(), rect.nx * rect.ny * 4) : scratch_.data();
  glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, place.layer, static_cast<GLsizei>(rect.nx),
                  static_cast<GLsizei>(rect.ny), 1, GL_RED, GL_FLOAT, from);
  if (staging_) staging_->sent();
}

void TileCache::drop(std::uint64_t pyramid) {
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
