// SPDX-License-Identifier: BSD-3-Clause
// One algorithm made ready for one kernel and shape, and the job that it is given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/views.hpp"
#include "kernels/shared/pixel_rules.hpp"

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
  rules::KernelTotal total;             ///< rules::interpolation_total of the kernel
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
  /// Queues several jobs, whose inputs, output rows and boundaries are the same: the first of this convolver, the
  /// others of ones that it shares with. The bits of run() for each.
  virtual void run_each(cudaStream_t stream, std::span<const ConvolvePart> parts) const {
    for (const ConvolvePart& part : parts) part.convolver->run(stream, part.job);
  }
  /// Jobs that begin and end at multiples of so many rows, or with the image, give the bits of one job for all of it.
  [[nodiscard]] virtual std::int64_t rows_together(Shape /*image*/) const { return 1; }
  [[nodiscard]] virtual std::string description() const = 0;
};

/// The weights as the kernels use them.
[[nodiscard]] std::vector<float> float_weights(const std::vector<double>& weights);

}  // namespace reber::cuda
