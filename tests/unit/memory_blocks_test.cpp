// SPDX-License-Identifier: BSD-3-Clause
// Parts of a card's memory, with a source that has none.
#include "kernels/shared/memory_blocks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace reber {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Numbers that stand for addresses: nothing is behind them.
struct FakeSource {
  std::int64_t most = std::int64_t{1} << 40;
  std::int64_t out = 0, next = 4096;
  int calls = 0;
  std::map<std::int64_t, std::int64_t> pieces;

  MemoryBlocks::Source source() {
    return {[this](std::int64_t bytes) -> void* {
              ++calls;
              if (out + bytes > most) return nullptr;
              const std::int64_t at = next;
              next += bytes;  // pieces touch each other, as a driver's may
              pieces[at] = bytes;
              out += bytes;
              return reinterpret_cast<void*>(at);
            },
            [this](void* piece) {
              const auto found = pieces.find(reinterpret_cast<std::int64_t>(piece));
              ASSERT_NE(found, pieces.end());
              out -= found->second;
              pieces.erase(found);
            }};
  }
};

std::int64_t number(const void* memory) { return reinterpret_cast<std::int64_t>(memory); }
MemoryBlocks::Queue queue(std::int64_t of) { return reinterpret_cast<MemoryBlocks::Queue>(of); }

TEST(MemoryBlocks, lent_parts_never_meet_and_what_a_queue_gave_back_waits_for_its_end) {
  FakeSource from;
  MemoryBlocks blocks(from.source());
  std::mt19937_64 random(7);
  struct Part {
    std::int64_t bytes, queue;
  };
  std::map<std::int64_t, Part> lent;
  std::map<std::int64_t, std::int64_t> given;  // 512 bytes -> the queue that still may use them
  std::int64_t next_queue = 4;
  std::vector<std::int64_t> queues{1, 2, 3};
  for (int step = 0; step < 20000; ++step) {
    const std::int64_t whose = queues[random() % queues.size()];
    if (random() % 500 == 0) {
      const std::size_t ends = random() % queues.size();
      bool in_use = false;
      for (const auto& [at, part] : lent) in_use |= part.queue == queues[ends];
      if (in_use) continue;
      blocks.queue_ended(queue(queues[ends]));
      std::erase_if(given, [&](const auto& one) { return one.second == queues[ends]; });
      queues[ends] = next_queue++;
    } else if (lent.size() < 40 && random() % 2 == 0) {
      const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % (random() % 8 == 0 ? 90 * kMiB : 40000));
      const std::int64_t at = number(blocks.take(queue(whose), bytes));
      ASSERT_NE(at, 0);
      EXPECT_EQ(at % 512, 0);
      const auto after = lent.lower_bound(at);
      if (after != lent.end()) {
        ASSERT_LE(at + bytes, after->first);
      }
      if (after != lent.begin()) {
        ASSERT_LE(std::prev(after)->first + std::prev(after)->second.bytes, at);
      }
      for (auto used = given.lower_bound(at); used != given.end() && used->first < at + bytes; used = given.erase(used))
        ASSERT_EQ(used->second, whose) << "at step " << step;
      lent[at] = {bytes, whose};
    } else if (!lent.empty()) {
      auto part = lent.begin();
      std::advance(part, static_cast<std::int64_t>(random() % lent.size()));
      ASSERT_TRUE(blocks.give(queue(part->second.queue), reinterpret_cast<void*>(part->first)));
      const std::int64_t step_of = part->second.bytes > kMiB ? kMiB / 4 : 512;
      for (std::int64_t at = part->first; at < part->first + part->second.bytes; at += step_of)
        given[at] = part->second.queue;
      lent.erase(part);
    }
    const MemoryBlocks::Totals totals = blocks.totals();
    ASSERT_EQ(totals.lent + totals.idle, from.out);
    ASSERT_GE(totals.most_lent, totals.lent);
  }
  EXPECT_LT(from.calls, 600);
}

TEST(MemoryBlocks, what_was_given_back_serves_again_without_the_source) {
  FakeSource from;
  MemoryBlocks blocks(from.source());
  for (int i = 0; i < 100; ++i) {
    void* const plane = blocks.take(queue(1), 1000 * kMiB);
    std::vector<void*> tables;
    for (int k = 1; k < 200; ++k) tables.push_back(blocks.take(queue(1), 1000 * k));
    void* const half = blocks.take(queue(1), 500 * kMiB);
    for (void* const table : tables) EXPECT_TRUE(blocks.give(queue(1), table));
    EXPECT_TRUE(blocks.give(queue(1), plane));
    EXPECT_TRUE(blocks.give(queue(1), half));
  }
  EXPECT_EQ(from.calls, 3);
  EXPECT_EQ(blocks.totals().lent, 0);
  EXPECT_EQ(blocks.totals().idle, 1564 * kMiB);
}

TEST(MemoryBlocks, a_source_that_has_no_more_gets_idle_pieces_back_of_whichever_queue) {
  FakeSource from;
  from.most = 100 * kMiB;
  MemoryBlocks blocks(from.source());
  void* const first = blocks.take(queue(1), 80 * kMiB);
  EXPECT_EQ(blocks.take(queue(2), 60 * kMiB), nullptr);
  void* const small = blocks.take(queue(2), 1000);  // a piece of 64 MiB is not to be had, a page is
  ASSERT_NE(small, nullptr);
  blocks.give(queue(1), first);
  EXPECT_FALSE(blocks.keeps_for(queue(2)));
  EXPECT_TRUE(blocks.keeps_for(queue(1)));
  EXPECT_NE(blocks.take(queue(2), 60 * kMiB), nullptr);
  EXPECT_FALSE(blocks.keeps_for(queue(1)));
  EXPECT_EQ(from.out, 62 * kMiB);
}

TEST(MemoryBlocks, before_the_limit_is_passed_idle_pieces_go_back) {
  FakeSource from;
  MemoryBlocks blocks(from.source());
  blocks.set_limit(200 * kMiB);
  for (const std::int64_t size : {100, 60, 110, 40, 150}) {
    void* const part = blocks.take(queue(1), size * kMiB);
    ASSERT_NE(part, nullptr);
    EXPECT_LE(from.out, 200 * kMiB);
    blocks.give(queue(1), part);
  }
  void* const large = blocks.take(queue(1), 190 * kMiB);
  void* const small = blocks.take(queue(1), 1000);  // out of a small piece, where a usual one would pass the limit
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(from.out, 192 * kMiB);
  void* const more = blocks.take(queue(1), 50 * kMiB);  // what is lent is for the caller to bound
  ASSERT_NE(more, nullptr);
  EXPECT_EQ(from.out, 242 * kMiB);
  for (void* const part : {large, small, more}) EXPECT_TRUE(blocks.give(queue(1), part));
}

TEST(MemoryBlocks, apart_each_part_is_a_piece_of_its_own_bytes_and_goes_back_at_once) {
  FakeSource from;
  MemoryBlocks blocks(from.source(), true);
  void* const odd = blocks.take(queue(1), 1001);
  void* const large = blocks.take(queue(1), 40 * kMiB + 1);
  EXPECT_EQ(from.pieces[number(odd)], 1001);
  EXPECT_EQ(from.out, 40 * kMiB + 1002);
  blocks.give(queue(1), odd);
  EXPECT_EQ(from.out, 40 * kMiB + 1);
  EXPECT_EQ(blocks.totals().lent, 40 * kMiB + 1);
  blocks.give(queue(1), large);
  EXPECT_EQ(from.out, 0);
}

TEST(MemoryBlocks, memory_of_elsewhere_is_not_taken_and_the_most_is_forgotten) {
  FakeSource from;
  MemoryBlocks blocks(from.source());
  void* const part = blocks.take(queue(1), 100);
  EXPECT_FALSE(blocks.give(queue(1), static_cast<std::byte*>(part) + 512));
  blocks.give(queue(1), part);
  EXPECT_EQ(blocks.totals().most_lent, 512);
  blocks.forget_most_lent();
  EXPECT_EQ(blocks.totals().most_lent, 0);
}

}  // namespace
}  // namespace reber
