// SPDX-License-Identifier: BSD-3-Clause
// Queues between those who look at a map and the thread that has it.
#include "core/run/live/display_tiles.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::size_t kMostReady = 96;                 ///< tiles that wait to be taken
constexpr std::size_t kMostValues = 64;                ///< squares of values that are kept
constexpr std::int64_t kValueSide = 256;               ///< of such a square
constexpr std::int64_t kPart = std::int64_t{1} << 22;  ///< pixels brought at a time, between which tiles are served

bool holds(const std::deque<TileKey>& keys, const TileKey& key) {
  return std::ranges::any_of(keys, [&](const TileKey& k) { return !(k < key) && !(key < k); });
}

/// Adds an entry and drops the oldest beyond `most`.
template <typename Value>
void keep(std::map<TileKey, Value>& kept, std::deque<TileKey>& order, const TileKey& key, Value value,
          std::size_t most) {
  if (kept.insert_or_assign(key, std::move(value)).second) order.push_back(key);
  while (order.size() > most) {
    kept.erase(order.front());
    order.pop_front();
  }
}

std::vector<float> values_of(DisplayLevels& levels, const TileKey& key) {
  std::vector<float> values(static_cast<std::size_t>(key.where.shape().count()));
  levels.read(key.level, key.reduction, key.where, values.data());
  return values;
}

}  // namespace

DisplayTiles::Answer DisplayTiles::take(const TileKey& key, DisplayTile& out) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = ready_.find(key); found != ready_.end()) {
      out = std::move(found->second);
      ready_.erase(found);
      std::erase_if(ready_order_, [&](const TileKey& k) { return !(k < key) && !(key < k); });
      return Answer::here;
    }
    if (closed_) return Answer::never;
    if (holds(asked_, key)) return Answer::awaited;
    asked_.push_back(key);
  }
  ask_();
  return Answer::awaited;
}

std::vector<std::pair<TileKey, std::shared_ptr<const DeviceTile>>> DisplayTiles::take_device(std::size_t most) {
  std::vector<std::pair<TileKey, std::shared_ptr<const DeviceTile>>> taken;
  const std::lock_guard lock(mutex_);
  while (taken.size() < most && !ready_order_.empty()) {
    const auto found = ready_.find(ready_order_.front());
    if (!found->second.device) break;  // all are of one kind
    taken.emplace_back(found->first, std::move(found->second.device));
    ready_.erase(found);
    ready_order_.pop_front();
  }
  return taken;
}

bool DisplayTiles::want(const TileKey& key) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || ready_.contains(key)) return true;
    if (holds(asked_, key)) return false;
    asked_.push_back(key);
  }
  ask_();
  return false;
}

void DisplayTiles::use_device(bool on) {
  const std::lock_guard lock(mutex_);
  if (on == device_) return;
  device_ = on;
  ready_.clear();
  ready_order_.clear();
}

TileKey DisplayTiles::square_of(std::int64_t y, std::int64_t x) const {
  const std::int64_t y0 = y / kValueSide * kValueSide, x0 = x / kValueSide * kValueSide;
  return {0, Reduction::mean, {y0, x0, std::min(kValueSide, shape_.ny - y0), std::min(kValueSide, shape_.nx - x0)}};
}

bool DisplayTiles::knows(std::int64_t y, std::int64_t x) const {
  const std::lock_guard lock(mutex_);
  return pixels_ || values_.contains(square_of(y, x));
}

float DisplayTiles::value(std::int64_t y, std::int64_t x) {
  const TileKey key = square_of(y, x);
  {
    const std::lock_guard lock(mutex_);
    if (pixels_) return pixels_->at(y, x);
    if (const auto found = values_.find(key); found != values_.end())
      return found->second[static_cast<std::size_t>((y - key.where.y0) * key.where.nx + (x - key.where.x0))];
    if (closed_ || holds(values_asked_, key)) return std::numeric_limits<float>::quiet_NaN();
    // Of a pointer that moves fast the newest place counts.
    if (values_asked_.size() >= 4) values_asked_.pop_front();
    values_asked_.push_back(key);
  }
  ask_();
  return std::numeric_limits<float>::quiet_NaN();
}

std::shared_ptr<const Image> DisplayTiles::pixels() const {
  const std::lock_guard lock(mutex_);
  return pixels_;
}

void DisplayTiles::want_pixels() {
  {
    const std::lock_guard lock(mutex_);
    if (pixels_ || closed_ || pixels_asked_) return;
    pixels_asked_ = true;
  }
  ask_();
}

std::shared_ptr<const Image> DisplayTiles::wait_for_pixels() {
  want_pixels();
  std::unique_lock lock(mutex_);
  pixels_here_.wait(lock, [&] { return pixels_ || closed_; });
  if (!pixels_) throw Cancelled();
  return pixels_;
}

void DisplayTiles::read(int level, Reduction reduction, const Rect& where, float* out) {
  if (level == 0) {
    const auto all = wait_for_pixels();
    for (std::int64_t y = 0; y < where.ny; ++y)
      std::memcpy(out + y * where.nx, &all->view().row(where.y0 + y)[where.x0],
                  static_cast<std::size_t>(where.nx) * sizeof(float));
    return;
  }
  std::future<std::vector<float>> answer;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) throw Cancelled();
    reads_.push_back({{level, reduction, where}, {}});
    answer = reads_.back().answer.get_future();
  }
  ask_();
  const std::vector<float> values = answer.get();
  std::ranges::copy(values, out);
}

bool DisplayTiles::serve_tile(DisplayLevels& levels) {
  TileKey key;
  bool on_device = false;
  {
    const std::lock_guard lock(mutex_);
    if (asked_.empty()) return false;
    key = asked_.front();
    on_device = device_;
  }
  DisplayTile tile;
  if (on_device) tile.device = levels.draw(key.level, key.reduction, key.where);
  if (!tile.device) tile.values = values_of(levels, key);
  const std::lock_guard lock(mutex_);
  asked_.pop_front();
  if (on_device == device_) keep(ready_, ready_order_, key, std::move(tile), kMostReady);
  return true;
}

bool DisplayTiles::serve_value(DisplayLevels& levels) {
  TileKey key;
  {
    const std::lock_guard lock(mutex_);
    if (values_asked_.empty()) return false;
    key = values_asked_.back();
    values_asked_.pop_back();
  }
  std::vector<float> values = values_of(levels, key);
  const std::lock_guard lock(mutex_);
  keep(values_, values_order_, key, std::move(values), kMostValues);
  return true;
}

bool DisplayTiles::serve_read(DisplayLevels& levels) {
  Read read;
  {
    const std::lock_guard lock(mutex_);
    if (reads_.empty()) return false;
    read = std::move(reads_.front());
    reads_.pop_front();
  }
  try {
    read.answer.set_value(values_of(levels, read.key));
  } catch (...) {
    read.answer.set_exception(std::current_exception());
    throw;
  }
  return true;
}

bool DisplayTiles::serve(DisplayLevels& levels) {
  bool any = false;
  while (serve_tile(levels) || serve_value(levels) || serve_read(levels)) any = true;
  return any;
}

bool DisplayTiles::fetch_part(DisplayLevels& levels) {
  if (!coming_) {
    coming_ = std::make_shared<Image>(shape_);
    rows_here_ = 0;
  }
  const std::int64_t rows = std::clamp<std::int64_t>(kPart / std::max<std::int64_t>(1, shape_.nx), 1, shape_.ny);
  const std::int64_t ny = std::min(rows, shape_.ny - rows_here_);
  levels.read(0, Reduction::mean, {rows_here_, 0, ny, shape_.nx}, coming_->data() + rows_here_ * shape_.nx);
  rows_here_ += ny;
  if (rows_here_ < shape_.ny) return false;
  {
    const std::lock_guard lock(mutex_);
    pixels_ = std::move(coming_);
    coming_.reset();
    pixels_asked_ = false;
  }
  pixels_here_.notify_all();
  return true;
}

bool DisplayTiles::tiles_wanted() const {
  const std::lock_guard lock(mutex_);
  return !asked_.empty() || !values_asked_.empty() || !reads_.empty();
}

bool DisplayTiles::pixels_wanted() const {
  const std::lock_guard lock(mutex_);
  return pixels_asked_ && !pixels_;
}

void DisplayTiles::close() {
  std::deque<Read> reads;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    asked_.clear();
    values_asked_.clear();
    pixels_asked_ = false;
    reads.swap(reads_);
  }
  coming_.reset();
  pixels_here_.notify_all();
  for (Read& read : reads) read.answer.set_exception(std::make_exception_ptr(Cancelled()));
}

}  // namespace reber
