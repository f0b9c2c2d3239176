// SPDX-License-Identifier: BSD-3-Clause
// A map of all blocks by address, and a set of the idle ones by size.
#include "kernels/shared/memory_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace reber {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kAlignment = 512, kPage = 2 * kMiB, kPiece = 64 * kMiB, kMostSmall = 32 * kMiB;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

void* MemoryBlocks::take(Queue queue, std::int64_t bytes) {
  if (apart_) return take_new(true, bytes, bytes);
  const bool large = bytes > kMostSmall;
  bytes = rounded_up(bytes, large ? kPage : kAlignment);
  if (void* const found = take_idle(queue, large, bytes)) return found;
  const std::int64_t piece = large ? bytes : kPiece;
  if (beyond_limit(piece)) return_idle_pieces();
  if (!beyond_limit(piece) || large)
    if (void* const made = take_new(large, piece, bytes)) return made;
  return_idle_pieces();
  if (!beyond_limit(piece) || large)
    if (void* const made = take_new(large, piece, bytes)) return made;
  return large ? nullptr : take_new(false, rounded_up(bytes, kPage), bytes);
}

void* MemoryBlocks::take_idle(Queue queue, bool large, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  for (const Queue whose : {queue, Queue{nullptr}}) {
    const auto found = idle_.lower_bound({large, whose, bytes, nullptr});
    if (found != idle_.end() && found->large == large && found->queue == whose)
      return lend(blocks_.find(found->at), bytes);
  }
  return nullptr;
}

void* MemoryBlocks::take_new(bool large, std::int64_t piece_bytes, std::int64_t bytes) {
  // What the piece needs of the host, before there is a piece.
  IdleSet place;
  place.insert(Idle{});
  Blocks block;
  block.try_emplace(nullptr);
  auto* const piece = static_cast<std::byte*>(source_.get(piece_bytes));
  if (piece == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  auto node = block.extract(block.begin());
  node.key() = piece;
  node.mapped().bytes = piece_bytes, node.mapped().piece = piece, node.mapped().large = large;
  const auto made = blocks_.insert(std::move(node)).position;
  keep(made, nullptr, place.extract(place.begin()));
  return lend(made, bytes);
}

/// Lends the block's first bytes; the rest stays idle, for whom it was.
void* MemoryBlocks::lend(Blocks::iterator block, std::int64_t bytes) {
  auto& [at, first] = *block;
  if (first.bytes > bytes) {
    IdleSet place;
    place.insert(Idle{});
    const auto rest = blocks_.try_emplace(std::next(block), at + bytes);
    rest->second.bytes = first.bytes - bytes, rest->second.piece = first.piece, rest->second.large = first.large;
    first.place = take_place(block);
    first.bytes = bytes;
    keep(rest, first.queue, place.extract(place.begin()));
  } else {
    first.place = take_place(block);
  }
  totals_.lent += bytes;
  totals_.most_lent = std::max(totals_.most_lent, totals_.lent);
  return at;
}

/// The place of an idle block, which is out of the set then.
MemoryBlocks::IdleSet::node_type MemoryBlocks::take_place(Blocks::iterator block) noexcept {
  const Block& one = block->second;
  totals_.idle -= one.bytes;
  return idle_.extract(Idle{one.large, one.queue, one.bytes, block->first});
}

void MemoryBlocks::keep(Blocks::iterator block, Queue queue, IdleSet::node_type place) noexcept {
  block->second.queue = queue;
  totals_.idle += block->second.bytes;
  place.value() = {block->second.large, queue, block->second.bytes, block->first};
  idle_.insert(std::move(place));
}

bool MemoryBlocks::give(Queue queue, void* memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(static_cast<std::byte*>(memory));
    if (block == blocks_.end() || !block->second.lent()) return false;
    totals_.lent -= block->second.bytes;
    keep(block, queue, std::exchange(block->second.place, {}));
    auto joined = block;
    if (block != blocks_.begin()) joined = join(std::prev(block), block);
    join(joined, std::next(joined));
  }
  if (apart_) return_idle_pieces();
  return true;
}

/// One idle block of two that follow each other in a piece and are kept for the same queue; the last of them, or the
/// first where the second is none.
MemoryBlocks::Blocks::iterator MemoryBlocks::join(Blocks::iterator first, Blocks::iterator second) noexcept {
  if (second == blocks_.end()) return first;
  Block &one = first->second, &other = second->second;
  if (one.lent() || other.lent() || one.piece != other.piece || one.queue != other.queue) return second;
  IdleSet::node_type place = take_place(first);
  (void)take_place(second);
  one.bytes += other.bytes;
  keep(first, one.queue, std::move(place));
  blocks_.erase(second);
  return first;
}

bool MemoryBlocks::keeps_for(Queue queue) const noexcept {
  const std::lock_guard lock(mutex_);
  return std::any_of(idle_.begin(), idle_.end(), [queue](const Idle& idle) { return idle.queue == queue; });
}

void MemoryBlocks::queue_ended(Queue queue) noexcept {
  if (queue == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (const bool large : {false, true})
    for (auto idle = idle_.lower_bound({large, queue, 0, nullptr});
         idle != idle_.end() && idle->large == large && idle->queue == queue;
         idle = idle_.lower_bound({large, queue, 0, nullptr})) {
      const auto block = blocks_.find(idle->at);
      keep(block, nullptr, take_place(block));
    }
  for (auto block = blocks_.begin(); block != blocks_.end() && std::next(block) != blocks_.end();)
    block = join(block, std::next(block));
}

void MemoryBlocks::set_limit(std::int64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

bool MemoryBlocks::beyond_limit(std::int64_t more) const noexcept {
  const std::lock_guard lock(mutex_);
  return limit_ > 0 && totals_.lent + totals_.idle + more > limit_;
}

/// A piece of which nothing is lent, which is no longer known; null where there is none.
std::byte* MemoryBlocks::forget_idle_piece() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto first = block;
    bool lent = false;
    for (; block != blocks_.end() && block->second.piece == first->second.piece; ++block) lent |= block->second.lent();
    if (lent) continue;
    std::byte* const piece = first->second.piece;
    for (auto one = first; one != block; one = blocks_.erase(one)) (void)take_place(one);
    return piece;
  }
  return nullptr;
}

void MemoryBlocks::return_idle_pieces() noexcept {
  while (std::byte* const piece = forget_idle_piece()) source_.put(piece);
}

MemoryBlocks::Totals MemoryBlocks::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

void MemoryBlocks::forget_most_lent() {
  const std::lock_guard lock(mutex_);
  totals_.most_lent = totals_.lent;
}

}  // namespace reber
