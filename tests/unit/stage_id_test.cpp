// SPDX-License-Identifier: BSD-3-Clause
// Words of stages and the token that stops them.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string_view>

#include "core/base/progress.hpp"
#include "core/base/stop_token.hpp"
#include "core/run/request/stage_id.hpp"

namespace reber {
namespace {

TEST(StageId, every_stage_has_a_word_of_its_own) {
  std::set<std::string_view> words;
  for (const auto& [stage, word] : kStageWords) {
    EXPECT_EQ(to_string(stage), word);
    EXPECT_TRUE(words.insert(word).second) << word;
  }
}

TEST(StageId, a_stage_of_the_negative_image_has_a_name_of_its_own_in_reports) {
  EXPECT_EQ(stage_name(StageId::fit, Sign::positive), "fit");
  EXPECT_EQ(stage_name(StageId::fit, Sign::negative), "fit-neg");
}

TEST(StopToken, throws_once_its_flag_is_up_and_never_without_one) {
  std::atomic<bool> flag{false};
  const StopToken token(&flag), never;
  const Progress progress({}, token);
  EXPECT_NO_THROW(progress.check());
  flag = true;
  EXPECT_TRUE(token.requested());
  EXPECT_THROW(token.check(), Cancelled);
  EXPECT_THROW(progress.check(), Cancelled);
  EXPECT_NO_THROW(never.check());
}

}  // namespace
}  // namespace reber
