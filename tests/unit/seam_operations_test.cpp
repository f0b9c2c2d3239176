// SPDX-License-Identifier: BSD-3-Clause
// The list of the seam's operations against the class itself, and what a Job carries.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/seam/compute/job.hpp"
#include "core/seam/compute/seam_operations.hpp"
#include "tests/support/source_file.hpp"

namespace reber {
namespace {

struct Declared {
  std::string name;
  bool takes_job;
};

/// Virtual functions of class Backend, destructor apart, in order.
std::vector<Declared> virtuals_of_backend() {
  std::ifstream file(testing::source_file("core/seam/compute/backend.hpp"));
  std::stringstream text;
  text << file.rdbuf();
  const std::string whole = text.str();
  const std::string body = whole.substr(whole.find("\nclass Backend {"));
  const std::regex function(R"(virtual\s+[^~;(]*?(\w+)\(([^;]*?)\)\s*(?:const\s*)?(?:=\s*0;|\{))");
  const std::regex job(R"(const Job& job = \{\}$)");
  std::vector<Declared> found;
  for (std::sregex_iterator at(body.begin(), body.end(), function), end; at != end; ++at)
    found.push_back({(*at)[1], std::regex_search((*at)[2].str(), job)});
  return found;
}

TEST(seam_operations, are_the_virtual_functions_of_backend) {
  const std::vector<Declared> declared = virtuals_of_backend();
  ASSERT_EQ(declared.size(), seam_operations().size());
  for (std::size_t k = 0; k < declared.size(); ++k) {
    EXPECT_EQ(seam_operations()[k].name, declared[k].name);
    EXPECT_EQ(seam_operations()[k].takes_job, declared[k].takes_job) << declared[k].name;
    EXPECT_FALSE(seam_operations()[k].purpose.empty()) << declared[k].name;
  }
}

TEST(seam_operations, stand_in_the_tour_as_they_are) {
  std::ifstream file(testing::source_file("docs/tour.md"));
  std::vector<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line != "## What a backend does" && documented.empty()) continue;
    if (line.starts_with("## ") && !documented.empty()) break;
    documented.push_back(line);
  }
  std::erase_if(documented, [](const std::string& line) { return !line.starts_with("| `"); });
  ASSERT_EQ(documented.size(), seam_operations().size());
  for (std::size_t k = 0; k < documented.size(); ++k)
    EXPECT_EQ(documented[k], "| `" + std::string(seam_operations()[k].name) + "` | " +
                                 std::string(seam_operations()[k].purpose) + " |");
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
