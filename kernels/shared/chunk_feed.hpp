// SPDX-License-Identifier: BSD-3-Clause
// Rows on their way to a card, in chunks that many threads fill and whoever fills one last sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/base/thread_pool.hpp"

namespace reber {

/// How rows are divided. Chunk c has rows from c * chunk_rows on and lies in room c % rooms; each number is at least 1.
struct FeedShape {
  std::int64_t rows = 0, row_bytes = 1;
  std::int64_t chunk_rows = 1;  ///< that are sent at once
  std::int64_t piece_rows = 1;  ///< that a thread fills at once
  std::int64_t rooms = 1;       ///< chunks that have memory at a time
};

/// What a feed calls.
struct FeedSteps {
  /// Memory for a chunk, row after row. Once a chunk, after the chunk before in its room was sent; waits until that one
  /// is on the card. Several threads may open chunks at once.
  std::function<std::byte*(std::int64_t chunk)> open;
  /// Makes rows [first, first + rows); from several threads.
  std::function<void(std::int64_t first, std::int64_t rows, std::byte* out)> fill;
  /// Queues the work on a full chunk, on the thread that filled it last. One chunk at a time, in no certain order.
  std::function<void(std::int64_t chunk)> send;
};

/// Feeds all rows. A thread that is done with a piece takes the next one, of whichever chunk, so that none waits for
/// the slowest of a chunk. The first exception out of a step is thrown again here, after all threads have left theirs.
void feed_chunks(ThreadPool& pool, const FeedShape& shape, const FeedSteps& steps);

}  // namespace reber
