// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a card's memory are lent, and which are kept for later. Knows no driver.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace reber {

/// Lends parts of pieces of memory that it asks of a source, and keeps what is given back. Whoever lends and gives back
/// names a queue of work (a stream): what was given back in a queue's order may still be in use by work that was queued
/// before, so it is lent again to that queue alone, until the queue has ended. Of the parts that would do, the smallest
/// is lent; what is left over stays. Parts of up to 32 MiB come out of pieces of 64 MiB, so that many small ones cost
/// one call of the driver; larger ones out of pieces of their own. All functions may be called by any thread; the
/// source is called without a lock held. Giving back needs no memory of the host.
class MemoryBlocks {
 public:
  using Queue = const void*;  ///< null: none, whose work is done

  struct Source {
    std::function<void*(std::int64_t bytes)> get;  ///< null where it has no more
    std::function<void(void*)> put;                ///< waits for all work that may use it; throws nothing
  };
  /// apart: every part is a piece of its own of just its bytes and goes back at once, for checkers of memory.
  explicit MemoryBlocks(Source source, bool apart = false) : source_(std::move(source)), apart_(apart) {}

  /// At least so many bytes (above 0), at a multiple of 512 bytes. Null where the source has none, even after all idle
  /// pieces went back to it.   throws std::bad_alloc, and what the source throws
  [[nodiscard]] void* take(Queue queue, std::int64_t bytes);
  /// False where the memory is not lent from here.
  bool give(Queue queue, void* memory) noexcept;
  /// Whether parts are kept for the queue alone.
  [[nodiscard]] bool keeps_for(Queue queue) const noexcept;
  /// The queue's work is done and no more will come: what was kept for it is for all.
  void queue_ended(Queue queue) noexcept;
  /// Before its pieces come to more than so many bytes, idle ones go back to the source; what is lent is not bounded
  /// by it. 0: no limit.
  void set_limit(std::int64_t bytes) noexcept;

  struct Totals {
    std::int64_t lent = 0;  ///< bytes
    std::int64_t most_lent = 0;
    std::int64_t idle = 0;  ///< of pieces, not lent
  };
  [[nodiscard]] Totals totals() const;
  void forget_most_lent();

 private:
  struct Idle {
    bool large = false;
    Queue queue = nullptr;
    std::int64_t bytes = 0;
    std::byte* at = nullptr;
    std::strong_ordering operator<=>(const Idle&) const = default;
  };
  using IdleSet = std::set<Idle>;
  struct Block {
    std::int64_t bytes = 0;
    std::byte* piece = nullptr;  ///< its first byte
    bool large = false;          ///< of a piece for large parts
    Queue queue = nullptr;       ///< of an idle one
    IdleSet::node_type place;    ///< of a lent one: its place in the set, for when it comes back
    [[nodiscard]] bool lent() const { return !place.empty(); }
  };
  using Blocks = std::map<std::byte*, Block>;

  void* take_idle(Queue queue, bool large, std::int64_t bytes);
  void* take_new(bool large, std::int64_t piece_bytes, std::int64_t bytes);
  void* lend(Blocks::iterator block, std::int64_t bytes);
  [[nodiscard]] IdleSet::node_type take_place(Blocks::iterator block) noexcept;
  void keep(Blocks::iterator block, Queue queue, IdleSet::node_type place) noexcept;
  Blocks::iterator join(Blocks::iterator first, Blocks::iterator second) noexcept;
  [[nodiscard]] bool beyond_limit(std::int64_t more) const noexcept;
  [[nodiscard]] std::byte* forget_idle_piece() noexcept;
  void return_idle_pieces() noexcept;

  const Source source_;
  const bool apart_;
  mutable std::mutex mutex_;
  Blocks blocks_;  // by address: those of a piece follow each other
  IdleSet idle_;   // the same as the idle ones of blocks_
  Totals totals_;
  std::int64_t limit_ = 0;
};

}  // namespace reber
