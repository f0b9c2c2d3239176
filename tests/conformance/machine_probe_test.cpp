// SPDX-License-Identifier: BSD-3-Clause
// The probes behind the benchmark's floors, on every backend that runs here. They check their own results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/backends.hpp"

namespace reber {
namespace {

constexpr std::int64_t kBytes = 16 << 20;

TEST(MachineProbe, RatesOfEveryBackendAreNumbersAboveZero) {
  for (const BackendEntry& entry : backend_table()) {
    if (!entry.unavailable({}).empty()) continue;
    SCOPED_TRACE(entry.name);
    const auto probe = entry.probe({});
    const MachineLimits limits = probe->measure(kBytes);
    for (const double rate : {limits.read_bytes_per_ms, limits.copy_bytes_per_ms, limits.fma_per_ms, limits.launch_ms})
      EXPECT_TRUE(std::isfinite(rate) && rate > 0) << rate;
    EXPECT_EQ(limits.up_bytes_per_ms > 0, limits.down_bytes_per_ms > 0);
    EXPECT_EQ(limits.up_bytes_per_ms > 0, std::string(entry.name) == "cuda");
    // No machine that runs this reads less than 0.1 GB/s or more than 100 TB/s.
    EXPECT_TRUE(limits.read_bytes_per_ms > 1e5 && limits.read_bytes_per_ms < 1e11) << limits.read_bytes_per_ms;
    EXPECT_NO_THROW(probe->flush_cache());
  }
}

TEST(MachineProbe, CopiesAreTimedAsOftenAsAskedAndALargerOneTakesLonger) {
  for (const BackendEntry& entry : backend_table()) {
    if (!entry.unavailable({}).empty()) continue;
    SCOPED_TRACE(entry.name);
    const auto probe = entry.probe({});
    const auto fastest = [&](std::int64_t bytes) {
      const std::vector<double> ms = probe->time_copy(bytes, 3);
      EXPECT_EQ(ms.size(), 3u);
      return ms.empty() ? 0 : *std::min_element(ms.begin(), ms.end());
    };
    const double small = fastest(4), large = fastest(16 * kBytes);
    EXPECT_GT(small, 0);
    EXPECT_GT(large, small);
  }
}

TEST(MachineProbe, AnyNumberOfBytesIsMeasured) {
  for (const BackendEntry& entry : backend_table()) {
    if (!entry.unavailable({}).empty()) continue;
    SCOPED_TRACE(entry.name);
    const auto probe = entry.probe({});
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{4}, std::int64_t{1000 * 1000 * 4 + 4}})
      EXPECT_GT(probe->measure(bytes).copy_bytes_per_ms, 0) << bytes;
  }
}

}  // namespace
}  // namespace reber
