// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution for more taps than shared memory holds, and for taps with zeros between them that no march
// serves: along x into a buffer, then along y, one thread per pixel. The same sums in the same order as separable.cu.
#include "kernels/cuda/convolve/separable/separable_two_pass.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/spaced_taps.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

struct PassGrid {
  unsigned blocks;
  std::int64_t pieces;  ///< blocks per row
};

PassGrid pass_grid(std::int64_t rows, std::int64_t nx) {
  const std::int64_t pieces = (nx + kThreads - 1) / kThreads;
  return {static_cast<unsigned>(rows * pieces), pieces};
}

/// Row f of `filtered` is image row first + f, filtered along x.
__global__ void __launch_bounds__(kThreads)
    k_filter_rows(ConvolveJob job, const float* __restrict__ weights, int taps, int step, std::int64_t first, bool mask,
                  std::int64_t pieces, float* __restrict__ filtered, std::int64_t pitch) {
  const std::int64_t f = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  if (x >= job.in.nx) return;
  const float* row = window_row(job.in, first + f, job.boundary);
  bool blank_seen = false;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const float value = row_value(row, x + (taps / 2 - j) * step, job.in.nx, job.boundary);
    sum = fmaf(__ldg(weights + j), convolved(value, mask, blank_seen), sum);
  }
  filtered[f * pitch + x] = sum;
}

/// finish: the output holds the sums, this pass makes the weights.
__global__ void __launch_bounds__(kThreads)
    k_filter_columns(ConvolveJob job, const float* __restrict__ weights, int taps, int step,
                     const float* __restrict__ filtered, std::int64_t pitch, std::int64_t pieces, bool finish) {
  const std::int64_t y = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned blank = 0;
  if (x < job.in.nx) {
    float sum = 0;
    for (int i = 0; i < taps; ++i)
      sum = fmaf(__ldg(weights + i), filtered[(y + (taps - 1 - i) * step) * pitch + x], sum);
    float* to = job.out + y * job.out_pitch + x;
    if (finish) sum = rules::interpolate_output(*to, sum, job.total, job.min_weight);
    if (finish || !job.interpolate) sum = stored_result(sum);
    *to = sum;
    blank = isfinite(sum) ? 0 : 1;
  }
  if (finish || !job.interpolate) count_warp(blank, job.blank);
}

class TwoPassConvolver final : public Convolver {
 public:
  TwoPassConvolver(Context& context, const std::vector<float>& column, const std::vector<float>& row, int step)
      : step_(step),
        column_(upload_vector(context, column, context.stream())),
        row_(upload_vector(context, row, context.stream())) {
    context.wait();
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    const std::int64_t pitch = pitch_of(job.in.nx);
    const std::int64_t rows = job.ny + (column_.size() - 1) * step_;
    const std::int64_t first = job.y0 - (column_.size() - 1 - column_.size() / 2) * step_;
    const DeviceBuffer<float> filtered(rows * pitch, stream);
    const PassGrid along_x = pass_grid(rows, job.in.nx), along_y = pass_grid(job.ny, job.in.nx);
    for (int pass = 0; pass < (job.interpolate ? 2 : 1); ++pass) {
      k_filter_rows<<<along_x.blocks, kThreads, 0, stream>>>(job, row_.data(), static_cast<int>(row_.size()), step_,
                                                             first, pass == 1, along_x.pieces, filtered.data(), pitch);
      check_launch("k_filter_rows", stream);
      k_filter_columns<<<along_y.blocks, kThreads, 0, stream>>>(job, column_.data(), static_cast<int>(column_.size()),
                                                                step_, filtered.data(), pitch, along_y.pieces,
                                                                pass == 1);
      check_launch("k_filter_columns", stream);
    }
  }

  [[nodiscard]] std::string description() const override {
    return "separable, rows then columns in two kernels, " + std::to_string(row_.size()) + " and " +
           std::to_string(column_.size()) + " taps" + (step_ > 1 ? ", " + std::to_string(step_) + " pixels apart" : "");
  }

 private:
  int step_;
  DeviceBuffer<float> column_, row_;
};

// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/notes/direct_and_separable.md): the parts of
// memory's and of the multiply-adders' peak rates that are reached. Each tap is read through the L1 cache.
constexpr double kMemoryPart = 0.74, kFmaPart = 0.08;
/// Of five taps with zeros between them: two kernels read and write twice, and read each tap once more.
constexpr double kSpacedPasses = 4;

}  // namespace

VariantQuote quote_separable_two_pass(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  if (!spec.kernel.separable()) {
    quote.reason = "the kernel is not the product of a column and a row";
    return quote;
  }
  const auto spaced = rules::spaced_taps(spec.kernel);
  const double pixels = static_cast<double>(image.count()), taps_a_pixel = static_cast<double>(kernel.nx + kernel.ny);
  const double memory = kMemoryPart * device.memory_bytes_per_ms;
  const std::int64_t more_rows = spaced ? (rules::kSpacedTaps - 1) * spaced->step : kernel.ny;
  quote.possible = true;
  quote.workspace_bytes = (image.ny + more_rows) * pitch_of(image.nx) * static_cast<std::int64_t>(sizeof(float));
  if (spaced) {
    quote.cost_ms = 0.005 + pixels * 8 * kSpacedPasses / memory;
    quote.reason = "five taps each way, " + std::to_string(spaced->step) + " pixels apart";
  } else {
    quote.cost_ms = 0.005 + std::max(pixels * 8 / memory, pixels * taps_a_pixel / (kFmaPart * device.fma_per_ms));
    quote.reason =
        std::to_string(kernel.nx) + " and " + std::to_string(kernel.ny) + " taps, rows and then columns in two kernels";
  }
  return quote;
}

std::unique_ptr<Convolver> make_separable_two_pass(Context& context, const ConvolutionSpec& spec, Shape) {
  if (const auto spaced = rules::spaced_taps(spec.kernel)) {
    const std::vector<float> column(spaced->column.begin(), spaced->column.end());
    const std::vector<float> row(spaced->row.begin(), spaced->row.end());
    return std::make_unique<TwoPassConvolver>(context, column, row, static_cast<int>(spaced->step));
  }
  return std::make_unique<TwoPassConvolver>(context, float_weights(spec.kernel.column), float_weights(spec.kernel.row),
                                            1);
}

}  // namespace reber::cuda
