// SPDX-License-Identifier: BSD-3-Clause
// Chunks that threads fill: each row once and in its place, rooms used again after they were sent, failures that end
// it.
#include "kernels/shared/chunk_feed.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace reber {
namespace {

struct Sky {
  explicit Sky(const FeedShape& shape) : feed(shape), rooms(static_cast<std::size_t>(shape.rooms)), busy(rooms.size()) {
    for (auto& room : rooms) room.resize(static_cast<std::size_t>(shape.chunk_rows * shape.row_bytes));
    got.resize(static_cast<std::size_t>(shape.rows * shape.row_bytes), 0xff);
  }

  FeedSteps steps() {
    return {[this](std::int64_t chunk) {
              const auto room = static_cast<std::size_t>(chunk % feed.rooms);
              EXPECT_FALSE(busy[room].exchange(true)) << "room of chunk " << chunk << " opened while in use";
              return reinterpret_cast<std::byte*>(rooms[room].data());
            },
            [this](std::int64_t first, std::int64_t rows, std::byte* out) {
              filled += rows;
              for (std::int64_t r = 0; r < rows; ++r)
                std::memset(out + r * feed.row_bytes, static_cast<int>((first + r) % 251),
                            static_cast<std::size_t>(feed.row_bytes));
            },
            [this](std::int64_t chunk) {
              const std::int64_t first = chunk * feed.chunk_rows, rows = std::min(feed.chunk_rows, feed.rows - first);
              const auto room = static_cast<std::size_t>(chunk % feed.rooms);
              std::memcpy(got.data() + first * feed.row_bytes, rooms[room].data(),
                          static_cast<std::size_t>(rows * feed.row_bytes));
              sent += rows;
              EXPECT_TRUE(busy[room].exchange(false));
            }};
  }

  FeedShape feed;
  std::vector<std::vector<unsigned char>> rooms;
  std::vector<std::atomic<bool>> busy;
  std::vector<unsigned char> got;
  std::atomic<std::int64_t> filled{0};
  std::int64_t sent = 0;  ///< one chunk at a time: no atomic
};

TEST(ChunkFeed, EveryRowOnceAndInItsPlace) {
  for (const FeedShape& shape :
       {FeedShape{1000, 3, 64, 5, 4}, FeedShape{1, 7, 1, 1, 1}, FeedShape{129, 16, 128, 200, 2},
        FeedShape{300, 1, 10, 10, 1}, FeedShape{64, 2, 1000, 9, 3}}) {
    for (const int threads : {1, 2, 7}) {
      Sky sky(shape);
      ThreadPool pool(threads);
      feed_chunks(pool, shape, sky.steps());
      EXPECT_EQ(sky.filled, shape.rows);
      EXPECT_EQ(sky.sent, shape.rows);
      for (std::int64_t r = 0; r < shape.rows; ++r)
        ASSERT_EQ(sky.got[static_cast<std::size_t>((r + 1) * shape.row_bytes - 1)], r % 251) << "row " << r;
    }
  }
}

TEST(ChunkFeed, NothingOfNothing) {
  ThreadPool pool(2);
  feed_chunks(pool, {0, 4, 8, 2, 2}, {});
}

TEST(ChunkFeed, ASlowPieceHoldsNoOtherChunk) {
  // The first piece of the first chunk ends after one of the second chunk.
  const FeedShape shape{8, 1, 4, 2, 2};
  Sky sky(shape);
  std::latch second(1);
  FeedSteps steps = sky.steps();
  steps.fill = [&, fill = steps.fill](std::int64_t first, std::int64_t rows, std::byte* out) {
    if (first == 0) second.wait();
    if (first == 4) second.count_down();
    fill(first, rows, out);
  };
  ThreadPool pool(2);
  feed_chunks(pool, shape, steps);
  EXPECT_EQ(sky.sent, shape.rows);
}

TEST(ChunkFeed, ARoomIsOpenedAgainOnlyAfterItsChunkWasSent) {
  const FeedShape shape{12, 1, 4, 2, 1};
  Sky sky(shape);  // whose steps look at it
  FeedSteps steps = sky.steps();
  steps.fill = [&, fill = steps.fill](std::int64_t first, std::int64_t rows, std::byte* out) {
    if (first == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    fill(first, rows, out);
  };
  ThreadPool pool(3);
  feed_chunks(pool, shape, steps);
  EXPECT_EQ(sky.sent, shape.rows);
}

TEST(ChunkFeed, AFailureEndsItWhereverItIs) {
  const FeedShape shape{400, 2, 10, 3, 2};
  for (const int threads : {1, 4})
    for (const int where : {0, 1, 2}) {
      Sky sky(shape);
      FeedSteps steps = sky.steps();
      const auto fail = [](bool now) {
        if (now) throw std::runtime_error("planned");
      };
      if (where == 0) steps.open = [&, open = steps.open](std::int64_t chunk) { return fail(chunk == 7), open(chunk); };
      if (where == 1)
        steps.fill = [&, fill = steps.fill](std::int64_t first, std::int64_t rows, std::byte* out) {
          fail(first == 73), fill(first, rows, out);
        };
      if (where == 2) steps.send = [&, send = steps.send](std::int64_t chunk) { fail(chunk == 7), send(chunk); };
      ThreadPool pool(threads);
      EXPECT_THROW(feed_chunks(pool, shape, steps), std::runtime_error);
      EXPECT_LT(sky.sent, shape.rows);
    }
}

}  // namespace
}  // namespace reber
