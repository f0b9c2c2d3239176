// SPDX-License-Identifier: BSD-3-Clause
// Values that are kept until what they were made of changes.
#include "gui/ui/memo.hpp"

#include <gtest/gtest.h>

namespace reber::gui {
namespace {

struct Key {
  int width = 0;
  double zoom = 0;
  bool operator==(const Key&) const = default;
};

TEST(Memo, MakesAValueOncePerKey) {
  Memo<Key, int> memo;
  int made = 0;
  const auto make = [&made] { return ++made; };
  EXPECT_EQ(memo.of({10, 1}, make), 1);
  EXPECT_EQ(memo.of({10, 1}, make), 1);
  EXPECT_TRUE(memo.knows({10, 1}));
  EXPECT_EQ(memo.of({10, 2}, make), 2);
  EXPECT_FALSE(memo.knows({10, 1}));
  memo.forget();
  EXPECT_EQ(memo.of({10, 2}, make), 3);
}

TEST(Memo, KeepsNothingWhereMakingFails) {
  Memo<Key, int> memo;
  (void)memo.of({1, 1}, [] { return 1; });
  EXPECT_THROW((void)memo.of({2, 1}, []() -> int { throw 0; }), int);
  EXPECT_FALSE(memo.knows({1, 1}));
  EXPECT_EQ(memo.of({2, 1}, [] { return 7; }), 7);
}

TEST(Asked, IsAnewAtTheFirstCallAndAtEachOtherKey) {
  Asked<Key> asked;
  EXPECT_TRUE(asked.anew({}));
  EXPECT_FALSE(asked.anew({}));
  EXPECT_TRUE(asked.anew({1, 0}));
  EXPECT_TRUE(asked.anew({}));
  asked.forget();
  EXPECT_TRUE(asked.anew({}));
}

}  // namespace
}  // namespace reber::gui
