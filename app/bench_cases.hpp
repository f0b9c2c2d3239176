// SPDX-License-Identifier: BSD-3-Clause
// The operations that `reber bench` times, each on the same simulated sky.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/run/simulation.hpp"

namespace reber::app {

/// One backend at work: what the operations leave for the next ones.
struct BenchSession {
  std::unique_ptr<Backend> backend;
  std::string name;
  std::unique_ptr<Plane> plane;
  BackgroundModel background;
  std::unique_ptr<IslandMap> islands;
  std::unique_ptr<ConvolutionPlan> plan;
  std::unique_ptr<Plane> convolved;
  std::vector<double> numbers;  ///< result of an operation that gives no image
  std::vector<float> rendered;  ///< result of an operation that gives pixels on the host

  ~BenchSession();
};

/// What two backends' results are compared by.
struct BenchResult {
  std::vector<float> pixels;
  std::vector<double> numbers;
};

struct BenchCase {
  std::string name;        ///< "direct 7x7"
  std::int64_t bytes = 0;  ///< that must at least be read and written
  /// Makes ready what is not timed; false (and a reason) where the backend cannot do it.
  std::function<bool(BenchSession&, std::string& why_not)> prepare;
  std::function<void(BenchSession&)> work;
  std::function<BenchResult(BenchSession&)> result;
  /// The backend's own prediction; 0 where it makes none.
  std::function<double(const BenchSession&)> predicted_ms;
};

/// All operations in the order in which they must run. sky must outlive the cases.
[[nodiscard]] std::vector<BenchCase> bench_cases(const SimulatedSky& sky, bool full);

/// Gaussian fits to synthetic islands, more of them for larger images, at most 100 000.
///   size: pixels on a side of the image that the other operations work on
[[nodiscard]] BenchCase fit_case(std::int64_t size);

}  // namespace reber::app
