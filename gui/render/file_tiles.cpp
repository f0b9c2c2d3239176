// SPDX-License-Identifier: BSD-3-Clause
// The reader's thread.
#include "gui/render/file_tiles.hpp"

#include <algorithm>

#include "core/base/threads.hpp"

namespace reber::gui {
namespace {

/// Of a view that was left, or that is larger than the screen, the oldest are forgotten.
constexpr std::size_t kMostWishes = 32, kMostReady = 64;
/// A level with so few pixels is in memory.
constexpr std::int64_t kHeld = 1 << 20;

bool is_same(const std::pair<std::uint64_t, TileKey>& a, const std::pair<std::uint64_t, TileKey>& b) {
  return !(a < b) && !(b < a);
}

}  // namespace

FileTiles::~FileTiles() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool FileTiles::take(const Pyramid& pyramid, const TileKey& key, std::vector<float>& out) {
  std::unique_lock lock(mutex_);
  if (wake_ && !thread_.joinable()) thread_ = start_thread([this] { loop(); });
  if (!thread_.joinable() || pyramid.level_shape(key.level).count() <= kHeld) {
    lock.unlock();
    out.resize(static_cast<std::size_t>(key.where.ny * key.where.nx));
    pyramid.read(key.level, key.reduction, key.where, out.data());
    return true;
  }
  const Key wanted{pyramid.id(), key};
  if (const auto found = ready_.find(wanted); found != ready_.end()) {
    out = std::move(found->second);
    ready_.erase(found);
    std::erase_if(ready_order_, [&](const Key& each) { return is_same(each, wanted); });
    return true;
  }
  std::erase_if(wishes_, [&](const Wish& each) { return is_same(each.key, wanted); });
  wishes_.push_front({&pyramid, wanted});
  if (wishes_.size() > kMostWishes) wishes_.pop_back();
  changed_.notify_all();
  return false;
}

void FileTiles::forget(std::uint64_t pyramid) {
  std::unique_lock lock(mutex_);
  std::erase_if(wishes_, [=](const Wish& each) { return each.key.first == pyramid; });
  changed_.wait(lock, [&] { return reading_ != pyramid; });
  std::erase_if(ready_, [=](const auto& each) { return each.first.first == pyramid; });
  std::erase_if(ready_order_, [=](const Key& each) { return each.first == pyramid; });
}

void FileTiles::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return quit_ || !wishes_.empty(); });
    if (quit_) return;
    read_one(lock);
  }
}

void FileTiles::read_one(std::unique_lock<std::mutex>& lock) {
  const Wish wish = wishes_.front();
  wishes_.pop_front();
  const auto& [id, key] = wish.key;
  reading_ = id;
  lock.unlock();
  std::vector<float> pixels(static_cast<std::size_t>(key.where.ny * key.where.nx));
  wish.pyramid->read(key.level, key.reduction, key.where, pixels.data());
  lock.lock();
  reading_ = 0;
  if (ready_.emplace(wish.key, std::move(pixels)).second) ready_order_.push_back(wish.key);
  if (ready_order_.size() > kMostReady) {
    ready_.erase(ready_order_.front());
    ready_order_.pop_front();
  }
  changed_.notify_all();
  lock.unlock();
  wake_();
  lock.lock();
}

}  // namespace reber::gui
