// SPDX-License-Identifier: BSD-3-Clause
// The operations that `reber bench` times, each on the same simulated sky.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/bench_rows.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"

namespace reber::app {

/// One backend at work: what the operations leave for the next ones.
struct BenchSession {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<MachineProbe> probe;
  std::string name;
  OpCounters counters;  ///< of the operations since somebody set it to zero
  const Job job{Progress{}, &counters};
  std::unique_ptr<Plane> plane;
  ClipStatistics clipped;
  BackgroundModel background;  ///< of the mesh
  std::unique_ptr<IslandMap> islands;
  std::unique_ptr<ConvolutionPlan> plan;
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;  ///< of an operation that takes several
  std::unique_ptr<Plane> derived;                       ///< result of an operation that gives a plane
  std::vector<std::unique_ptr<Plane>> several;          ///< of one that gives several
  FitResults fits;
  std::vector<IslandSums> sums;

  ~BenchSession();
  /// Forgets the results that the next operation does not need.
  void forget();
};

/// Rows [y0, y0 + ny) of an operation's result on the host; bits of int32 in place of floats where they are labels.
using FetchRows = std::function<void(BenchSession&, std::int64_t y0, std::int64_t ny, float* out)>;
using Values = std::vector<std::pair<std::string, double>>;

struct BenchCase {
  std::string name;                               ///< "direct 7x7"
  std::string group;                              ///< "direct": the rows of one group share a colour or a panel
  std::function<Work(const BenchSession&)> work;  ///< known once the operation has run
  /// Makes ready what a user would keep from image to image; false (and a reason) where the backend cannot do it.
  std::function<bool(BenchSession&, std::string& why_not)> prepare;
  std::function<void(BenchSession&)> run;
  FetchRows rows;  ///< empty where the result is no image
  /// All of a result of several images, one after the other into the same memory; empty where `rows` is all of it.
  std::function<void(BenchSession&, float* image)> fetch_each;
  bool labels = false;                                              ///< rows are integers
  std::function<std::vector<double>(const BenchSession&)> numbers;  ///< empty where all of them are in `values`
  std::function<Values(const BenchSession&)> values;                ///< a few of the numbers, by name
  /// Largest difference that docs/numerics.md allows between cpu and cuda: of images in units of `scale`, of numbers
  /// relative to themselves. 0: the same bits.
  double bound = 0;
  double reference_bound = 1e-6;  ///< the same against the reference
  double scale = 0;               ///< brightest pixel x sum abs(w); 0: the largest value of the result
  bool loads = false;             ///< makes the plane that the others work on
  bool from_image = true;         ///< whether an image that comes from the host is all that it needs
  bool needed = false;            ///< others start from its result
  /// The backend's own prediction; 0 where it makes none.
  std::function<double(const BenchSession&)> predicted_ms;
};

/// All operations in the order in which they must run. image must outlive the cases.
[[nodiscard]] std::vector<BenchCase> bench_cases(const Image& image, bool full);

/// Convolutions of every algorithm with kernels of several sizes that fit the image.
///   brightest: largest absolute value of a pixel
[[nodiscard]] std::vector<BenchCase> convolution_cases(Shape shape, double brightest, bool full);

/// One image by five kernels at a time: separable scales, and rotated Gaussians of one size by FFT. Compared are row y
/// of result y modulo five.
[[nodiscard]] std::vector<BenchCase> group_cases(Shape shape, double brightest);

/// One of them: "direct 7x7", "separable 17 taps" or "fft 31x31" with any odd size, "fft/lines 31x31" by one variant;
/// none for other names.
[[nodiscard]] std::optional<BenchCase> convolution_named(const std::string& name, Shape shape, double brightest);

/// The names of such a convolution by each variant that the session's backend has; none for other operations.
[[nodiscard]] std::vector<std::string> variants_named(const std::string& name, const BenchSession& session);
/// Their kernels: product of two Gaussians, and one that no backend can do in two passes, turned by `degrees`.
[[nodiscard]] Kernel round_kernel(int taps);
[[nodiscard]] Kernel rotated_kernel(int side, double degrees = 30);
/// Operations a pixel: the usual count.
[[nodiscard]] double flop_per_pixel(Algorithm algorithm, int side);
/// The scale of the convolutions' differences.
[[nodiscard]] double brightest_of(const Image& image);

/// Gaussian fits to synthetic islands, more of them for larger images, at most 100 000.
///   size: pixels on a side of the image that the other operations work on
[[nodiscard]] BenchCase fit_case(std::int64_t size);

}  // namespace reber::app
