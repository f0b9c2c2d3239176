// SPDX-License-Identifier: BSD-3-Clause
// A map of all blocks by address, and a set of the idle ones by size.
#include "kernels/shared/memory_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

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
  if (void* const made = take_new(large, piece, bytes)) return made;
  return_idle_pieces();
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
  auto* const piece = static_cast<std::byte*>(source_.get(piece_bytes));
  if (piece == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.emplace(piece, Block{piece_bytes, piece, large}).first;
  keep(block, nullptr);
  return lend(block, bytes);
}

/// Lends the block's first bytes; the rest stays idle, for whom it was.
void* MemoryBlocks::lend(Blocks::iterator block, std::int64_t bytes) {
  auto& [at, first] = *block;
  idle_.erase({first.large, first.queue, first.bytes, at});
  totals_.idle -= first.bytes;
  if (first.bytes > bytes) {
    Block rest = first;
    rest.bytes -= bytes;
    first.bytes = bytes;
    keep(blocks_.emplace_hint(std::next(block), at + bytes, rest), rest.queue);
  }
  first.lent = true;
  totals_.lent += bytes;
  totals_.most_lent = std::max(totals_.most_lent, totals_.lent);
  return at;
}

void MemoryBlocks::keep(Blocks::iterator block, Queue queue) {
  block->second.lent = false;
  block->second.queue = queue;
  totals_.idle += block->second.bytes;
  idle_.insert({block->second.large, queue, block->second.bytes, block->first});
}

bool MemoryBlocks::give(Queue queue, void* memory) {
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(static_cast<std::byte*>(memory));
    if (block == blocks_.end() || !block->second.lent) return false;
    totals_.lent -= block->second.bytes;
    keep(block, queue);
    auto joined = block;
    if (block != blocks_.begin()) joined = join(std::prev(block), block);
    join(joined, std::next(joined));
  }
  if (apart_) return_idle_pieces();
  return true;
}

/// One idle block of two that follow each other in a piece and are kept for the same queue; the last of them, or the
/// first where the second is none.
MemoryBlocks::Blocks::iterator MemoryBlocks::join(Blocks::iterator first, Blocks::iterator second) {
  if (second == blocks_.end()) return first;
  Block &one = first->second, &other = second->second;
  if (one.lent || other.lent || one.piece != other.piece || one.queue != other.queue) return second;
  idle_.erase({one.large, one.queue, one.bytes, first->first});
  idle_.erase({other.large, other.queue, other.bytes, second->first});
  one.bytes += other.bytes;
  idle_.insert({one.large, one.queue, one.bytes, first->first});
  blocks_.erase(second);
  return first;
}

bool MemoryBlocks::keeps_for(Queue queue) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(idle_.begin(), idle_.end(), [queue](const Idle& idle) { return idle.queue == queue; });
}

void MemoryBlocks::queue_ended(Queue queue) {
  const std::lock_guard lock(mutex_);
  std::vector<Idle> kept;
  std::copy_if(idle_.begin(), idle_.end(), std::back_inserter(kept),
               [queue](const Idle& idle) { return idle.queue == queue; });
  for (const Idle& idle : kept) {
    idle_.erase(idle);
    totals_.idle -= idle.bytes;
    keep(blocks_.find(idle.at), nullptr);
  }
  for (auto block = blocks_.begin(); block != blocks_.end() && std::next(block) != blocks_.end();)
    block = join(block, std::next(block));
}

void MemoryBlocks::return_idle_pieces() {
  std::vector<std::byte*> pieces;
  {
    const std::lock_guard lock(mutex_);
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      const auto first = block;
      bool lent = false;
      for (; block != blocks_.end() && block->second.piece == first->second.piece; ++block) lent |= block->second.lent;
      if (lent) continue;
      pieces.push_back(first->second.piece);
      for (auto one = first; one != block; one = blocks_.erase(one)) {
        idle_.erase({one->second.large, one->second.queue, one->second.bytes, one->first});
        totals_.idle -= one->second.bytes;
      }
    }
  }
  for (std::byte* const piece : pieces) source_.put(piece);
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
