// SPDX-License-Identifier: BSD-3-Clause
// What takes a card's place where it fails: the processor, under --backend auto alone, and its words say so.
#include "app/options/backend_choice.hpp"

#include <gtest/gtest.h>

namespace reber::app {
namespace {

CommonOptions options_of(const std::string& backend) {
  CommonOptions options;
  options.backend = backend;
  options.threads = 1;
  options.quiet = true;
  return options;
}

/// How many times the work was called; it fails on all but the last.
int calls_until_done(BackendChoice& choice, int failures) {
  int calls = 0;
  on_backend(choice, [&](const std::shared_ptr<Backend>& backend) {
    EXPECT_NE(backend, nullptr);
    if (calls++ < failures)
      throw CardError(CardError::Kind::broken, "cudaMemcpyAsync failed with cudaErrorEccUncorrectable");
    return 0;
  });
  return calls;
}

TEST(BackendChoice, goes_on_with_the_processor_where_a_card_fails) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  BackendChoice choice(options, terminal);
  EXPECT_EQ(calls_until_done(choice, 1), 2);
  const BackendInfo info = choice.backend()->info();
  EXPECT_EQ(info.name, "cpu");
  EXPECT_NE(info.device.find("in place of the card, which failed: cudaMemcpyAsync"), std::string::npos) << info.device;
}

TEST(BackendChoice, keeps_to_a_backend_that_was_named) {
  const CommonOptions options = options_of("cpu");
  Terminal terminal;
  apply(options, terminal);
  BackendChoice choice(options, terminal);
  EXPECT_THROW(calls_until_done(choice, 1), CardError);
}

TEST(BackendChoice, leaves_other_failures_alone) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  int calls = 0;
  EXPECT_THROW(on_backend(options, terminal,
                          [&](const std::shared_ptr<Backend>&) -> int {
                            ++calls;
                            throw DataError("damaged");
                          }),
               DataError);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace reber::app
