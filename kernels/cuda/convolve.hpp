// SPDX-License-Identifier: BSD-3-Clause
// Convolution: the table of algorithms, the plan they share, and the walk over a plane.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/compute/convolution.hpp"
#include "kernels/cuda/context.hpp"
#include "kernels/cuda/plane.hpp"
#include "kernels/cuda/views.hpp"

namespace reber::cuda {

/// What one launch of a convolution does; the same for a whole image and for a band.
struct ConvolveJob {
  RowWindow in;
  float* out = nullptr;  ///< where output row y0 goes
  std::int64_t out_pitch = 0;
  std::int64_t y0 = 0, ny = 0;  ///< output rows
  Boundary boundary = Boundary::zero;
  bool all_finite = false;  ///< no pixel that the job can meet is blank
  /// Divide by the weight of finite pixels; else blank pixels count as 0.
  bool interpolate = false;
  float min_weight = 0;
  float total = 0;                      ///< rules::interpolation_total of the kernel
  unsigned long long* blank = nullptr;  ///< where blank output pixels are counted
};

class Convolver;

/// One of several convolutions of the same rows.
struct ConvolvePart {
  const Convolver* convolver = nullptr;
  ConvolveJob job;
};

/// One algorithm made ready for one kernel and shape.
class Convolver {
 public:
  virtual ~Convolver() = default;
  /// Queues the job onto the stream.
  virtual void run(cudaStream_t stream, const ConvolveJob& job) const = 0;
  /// Whether run_each() of this one saves something where the other's job stands beside its own.
  [[nodiscard]] virtual bool shares_with(const Convolver& other) const {
    (void)other;
    return false;
  }
  /// Queues several jobs, whose inputs, output rows and boundaries are the same: the first of this convolver, the others
  /// of ones that it shares with. The bits of run() for each.
  virtual void run_each(cudaStream_t stream, std::span<const ConvolvePart> parts) const {
    for (const ConvolvePart& part : parts) part.convolver->run(stream, part.job);
  }
  [[nodiscard]] virtual std::string description() const = 0;
};

/// A row of the algorithm table.
struct AlgorithmEntry {
  Algorithm algorithm;
  ConvolutionQuote (*quote)(const Context&, const ConvolutionSpec&, Shape);
  std::unique_ptr<Convolver> (*make)(Context&, const ConvolutionSpec&, Shape);
};

ConvolutionQuote quote_direct(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_direct(Context& context, const ConvolutionSpec& spec, Shape shape);
/// Whether the kernel is small and square enough for a march with its outputs in registers, and the convolver for it;
/// with_blanks serves jobs that are not all_finite.
[[nodiscard]] bool direct_marches(Shape kernel);
std::unique_ptr<Convolver> make_direct_march(const Context& context, Shape kernel, const std::vector<float>& weights,
                                             std::unique_ptr<Convolver> with_blanks);
/// The same for square kernels of 11 to 31 pixels, in tiles.
[[nodiscard]] bool direct_has_tiles(const Context& context, Shape kernel);
std::unique_ptr<Convolver> make_direct_tiles(Shape kernel, const std::vector<float>& weights,
                                             std::unique_ptr<Convolver> with_blanks);
ConvolutionQuote quote_separable(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_separable(Context& context, const ConvolutionSpec& spec, Shape shape);
/// Whether the taps fit into one kernel's shared memory; else two plain kernels run one after the other.
[[nodiscard]] bool separable_is_fused(const Context& context, Shape kernel);
/// step: from one tap to the next.
std::unique_ptr<Convolver> make_separable_two_pass(Context& context, const std::vector<float>& column,
                                                   const std::vector<float>& row, int step = 1);
/// Whether there is a march for so many taps along y and x that is faster for such an image, and the convolver for it;
/// with_blanks serves jobs that are not all_finite.
[[nodiscard]] bool separable_marches(const Context& context, Shape kernel, Shape image);
std::unique_ptr<Convolver> make_separable_march(const Context& context, const std::vector<float>& column,
                                                const std::vector<float>& row, std::unique_ptr<Convolver> with_blanks);
ConvolutionQuote quote_fft(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_fft(Context& context, const ConvolutionSpec& spec, Shape shape);

[[nodiscard]] std::span<const AlgorithmEntry> algorithm_table();

/// quote() of the backend.
[[nodiscard]] std::vector<ConvolutionQuote> quote_all(const Context& context, const ConvolutionSpec& spec, Shape shape);
/// plan_convolution() of the backend.
[[nodiscard]] std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context,
                                                         const ConvolutionSpec& spec, Shape shape, Algorithm algorithm);
/// convolve_each() of the backend.
[[nodiscard]] std::vector<std::unique_ptr<Plane>> convolve_plane(const CudaPlane& plane,
                                                                 std::span<const ConvolutionPlan* const> plans,
                                                                 const Progress& progress);

/// The weights as the kernels use them.
[[nodiscard]] std::vector<float> float_weights(const std::vector<double>& weights);

/// Kernels of blanks.cu. footprint: bytes, 1 where the kernel's rectangle around an output pixel holds a blank one.
void find_footprint(cudaStream_t stream, const ConvolveJob& job, Shape kernel, std::uint8_t* footprint,
                    std::int64_t pitch);
/// Blanks output pixels where the footprint says so (if not null) and where the input is blank (if keep); counts anew.
void blank_output(cudaStream_t stream, const ConvolveJob& job, const std::uint8_t* footprint, std::int64_t pitch,
                  bool keep);
/// The window's rows times a factor, to rows as far apart.
void scale_rows(cudaStream_t stream, const RowWindow& window, float factor, float* out);
/// Output pixels times a factor; what overflows is blank. Counts anew.
void scale_output(cudaStream_t stream, const ConvolveJob& job, float factor);

}  // namespace reber::cuda
