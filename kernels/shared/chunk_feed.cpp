// SPDX-License-Identifier: BSD-3-Clause
// Pieces by a loop of the pool; chunks open before their first piece and are sent after their last.
#include "kernels/shared/chunk_feed.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace reber {
namespace {

std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

class Feed {
 public:
  Feed(const FeedShape& shape, const FeedSteps& steps)
      : shape_(shape),
        steps_(steps),
        pieces_a_chunk_(parts(shape.chunk_rows, shape.piece_rows)),
        chunks_(static_cast<std::size_t>(parts(shape.rows, shape.chunk_rows))) {
    for (std::int64_t c = 0; c < chunks(); ++c) chunk(c).missing = parts(rows_of(c), shape.piece_rows);
  }

  [[nodiscard]] std::int64_t pieces() {
    return chunks_.empty() ? 0 : (chunks() - 1) * pieces_a_chunk_ + chunks_.back().missing;
  }

  void do_piece(std::int64_t index) {
    const std::int64_t c = index / pieces_a_chunk_, before = index % pieces_a_chunk_ * shape_.piece_rows;
    try {
      std::byte* const memory = memory_of(c);
      if (memory == nullptr) return;
      steps_.fill(c * shape_.chunk_rows + before, std::min(shape_.piece_rows, rows_of(c) - before),
                  memory + before * shape_.row_bytes);
      if (is_full(c)) send(c);
      // Others would sleep while the first of them opens it.
      if (index % pieces_a_chunk_ == pieces_a_chunk_ / 2) open_if_free(c + 1);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

 private:
  enum class State { closed, opening, open, sent };
  struct Chunk {
    State state = State::closed;
    std::byte* memory = nullptr;
    std::int64_t missing = 0;  ///< pieces
  };

  [[nodiscard]] std::int64_t chunks() const { return static_cast<std::int64_t>(chunks_.size()); }
  [[nodiscard]] Chunk& chunk(std::int64_t c) { return chunks_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] std::int64_t rows_of(std::int64_t c) const {
    return std::min(shape_.chunk_rows, shape_.rows - c * shape_.chunk_rows);
  }

  [[nodiscard]] bool has_room(std::int64_t c) {
    return c < shape_.rooms || chunk(c - shape_.rooms).state == State::sent;
  }

  /// Null where another thread has failed. The loop hands pieces out in ascending order: all of the chunks that this
  /// one may wait for are in other threads' hands.
  std::byte* memory_of(std::int64_t c) {
    Chunk& mine = chunk(c);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || mine.state != State::closed || has_room(c); });
    if (!failed_ && mine.state == State::closed) open(c, lock);
    changed_.wait(lock, [&] { return failed_ || mine.state == State::open; });
    return failed_ ? nullptr : mine.memory;
  }

  void open_if_free(std::int64_t c) {
    std::unique_lock lock(mutex_);
    if (c < chunks() && !failed_ && chunk(c).state == State::closed && has_room(c)) open(c, lock);
  }

  void open(std::int64_t c, std::unique_lock<std::mutex>& lock) {
    chunk(c).state = State::opening;
    lock.unlock();
    std::byte* const memory = steps_.open(c);
    lock.lock();
    chunk(c).memory = memory;
    chunk(c).state = State::open;
    changed_.notify_all();
  }

  /// Whether the caller's piece was the last one of the chunk.
  bool is_full(std::int64_t c) {
    const std::lock_guard lock(mutex_);
    return --chunk(c).missing == 0;
  }

  void send(std::int64_t c) {
    {
      const std::lock_guard one_at_a_time(sending_);
      steps_.send(c);
    }
    const std::lock_guard lock(mutex_);
    chunk(c).state = State::sent;
    changed_.notify_all();
  }

  const FeedShape& shape_;
  const FeedSteps& steps_;
  std::int64_t pieces_a_chunk_;
  std::vector<Chunk> chunks_;
  std::mutex mutex_, sending_;
  std::condition_variable changed_;
  bool failed_ = false;
};

}  // namespace

void feed_chunks(ThreadPool& pool, const FeedShape& shape, const FeedSteps& steps) {
  Feed feed(shape, steps);
  pool.for_each(feed.pieces(), [&](std::int64_t index) { feed.do_piece(index); });
}

}  // namespace reber
