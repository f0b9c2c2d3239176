// SPDX-License-Identifier: BSD-3-Clause
// What the seam's functions say of themselves, the tour's table of them, and what a Job carries.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include "core/seam/compute/job.hpp"
#include "tests/support/seam_functions.hpp"
#include "tests/support/source_file.hpp"

namespace reber {
namespace {

using testing::SeamFunction;

TEST(seam_functions, say_first_whether_a_backend_must_have_them) {
  ASSERT_GT(testing::seam_functions().size(), 20U);
  for (const SeamFunction& function : testing::seam_functions())
    EXPECT_TRUE(function.comment.starts_with(function.required ? "Required" : "Optional: the default "))
        << function.name << ": " << function.comment;
}

TEST(seam_functions, stand_in_the_tour_as_they_are) {
  std::ifstream file(testing::source_file("docs/tour.md"));
  std::vector<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line != "## What a backend does" && documented.empty()) continue;
    if (line.starts_with("## ") && !documented.empty()) break;
    documented.push_back(line);
  }
  std::erase_if(documented, [](const std::string& line) { return !line.starts_with("| `"); });
  const std::vector<SeamFunction> declared = testing::seam_functions();
  ASSERT_EQ(documented.size(), declared.size());
  for (std::size_t k = 0; k < documented.size(); ++k) {
    const std::string begin =
        "| `" + declared[k].name + "` | " + (declared[k].required ? "required" : "optional") + " | ";
    EXPECT_TRUE(documented[k].starts_with(begin)) << documented[k] << " is not " << begin;
    EXPECT_GT(documented[k].size(), begin.size() + 10) << documented[k];
  }
}

TEST(job, adds_up_what_operations_cost) {
  OpCounters counters;
  const Job job(Progress(), &counters);
  job.count({1.5, 10, 20});
  job.count({0.5, 1, 2});
  EXPECT_EQ(counters.device_ms, 2);
  EXPECT_EQ(counters.bytes_up, 11);
  EXPECT_EQ(counters.bytes_down, 22);
}

TEST(job, of_a_progress_stops_and_reports_as_it_does) {
  std::atomic<bool> stop{false};
  double seen = 0;
  const Job job = Progress([&](const std::string&, double fraction) { seen = fraction; }, &stop);
  job.report("fit", 0.25);
  EXPECT_EQ(seen, 0.25);
  EXPECT_NO_THROW(job.check());
  EXPECT_NO_THROW(job.count({1, 1, 1}));
  stop = true;
  EXPECT_THROW(job.check(), Cancelled);
  EXPECT_THROW(job.report("fit", 0.5), Cancelled);
  EXPECT_NO_THROW(Job().check());
}

}  // namespace
}  // namespace reber
