// SPDX-License-Identifier: BSD-3-Clause
// Numbers beside the parameters of a run: their table, and the request that holds those of a call.
#include "core/run/request/bounds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/run/request/parameter_rules.hpp"

namespace reber {
namespace {

TEST(Bounds, of_a_call_are_held_in_the_request) {
  const auto taken = [](auto set) {
    Request request;
    set(request);
    return check(request).empty();
  };
  for (const auto& [threads, right] : {std::pair{-1, false}, {0, true}, {1024, true}, {1025, false}})
    EXPECT_EQ(taken([&](Request& r) { r.fit.threads = threads; }), right) << threads;
  for (const auto& [plane, right] : {std::pair{-1, false}, {0, true}}) {
    EXPECT_EQ(taken([&](Request& r) { r.open.plane = plane; }), right) << plane;
    EXPECT_EQ(taken([&](Request& r) { r.open.hdu = plane; }), right) << plane;
    EXPECT_EQ(taken([&](Request& r) { r.device_memory_bytes = r.host_memory_bytes = plane; }), right) << plane;
  }
  const double nan = std::nan("");
  for (const Beam& wrong : {Beam{-1, 2, 3}, Beam{3, 4, 0}, Beam{0, 0, 0}, Beam{nan, 1, 0}, Beam{1, nan, 0},
                            Beam{1, 1, nan}, Beam{1e300, 1, 0}, Beam{1, 1, 1e300}, Beam{180.1, 1, 0}, Beam{1, 1, 361}})
    EXPECT_FALSE(taken([&](Request& r) { r.beam = wrong; })) << wrong.major_deg << ' ' << wrong.minor_deg;
  for (const Beam& right : {Beam{1, 1, 0}, Beam{180, 1, 360}, Beam{1e-9, 1e-9, -360}})
    EXPECT_TRUE(taken([&](Request& r) { r.beam = right; })) << right.major_deg;
}

TEST(Bounds, hold_numbers_and_texts) {
  for (const Bound& row : bounds()) {
    SCOPED_TRACE(std::string(row.name));
    EXPECT_TRUE(row.name.find('.') != row.name.npos && row.option.starts_with("--"));
    for (const double value : {std::nan(""), 1e300, -1e300, row.range.low - 1, row.range.high * 1.01 + 1})
      EXPECT_THROW(hold(row, value), InputError) << value;
    EXPECT_EQ(why_not(row, row.range.high), "");
    EXPECT_EQ(why_not(row, row.range.low).empty(), !row.range.above);
    if (row.whole) {
      EXPECT_THROW(hold(row, row.range.low + 0.5), InputError);
    }
    EXPECT_THROW((void)held_number(row, "five"), InputError);
    EXPECT_EQ(held_number(row, fmt::format("{}", row.range.high)), row.range.high);
  }
}

}  // namespace
}  // namespace reber
