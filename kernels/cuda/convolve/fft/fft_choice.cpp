// SPDX-License-Identifier: BSD-3-Clause
// Which way to transform: the cheapest by the measured tables of each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/fft/fft_convolver.hpp"
#include "kernels/cuda/convolve/fft/fft_paths.hpp"

namespace reber::cuda {
namespace {

struct Path {
  std::string_view name;
  FftQuote (*quote)(const DeviceInfo&, Shape, Shape);
  std::unique_ptr<Convolver> (*make)(Context&, const Kernel&, Shape);
};

constexpr std::array kPaths{
    Path{"tile", quote_fft_tile, make_fft_tile},
    Path{"lines", quote_fft_lines, make_fft_lines},
    Path{"library", quote_fft_library, make_fft_library},
};

struct Chosen {
  const Path* path = nullptr;
  FftQuote quote;  ///< of the cheapest, or why there is none
};

/// REBER_CUDA_FFT names one way, so that tests and benchmarks reach each.
Chosen choose(const DeviceInfo& device, Shape kernel, Shape image) {
  const char* asked = std::getenv("REBER_CUDA_FFT");
  Chosen best;
  for (const Path& path : kPaths) {
    if (asked != nullptr && path.name != asked) continue;
    FftQuote quote = path.quote(device, kernel, image);
    if (!quote.possible) {
      best.quote.reason += (best.quote.reason.empty() || best.path != nullptr ? "" : "; ") + quote.reason;
    } else if (best.path == nullptr || quote.cost_ms < best.quote.cost_ms) {
      best = {&path, std::move(quote)};
    }
  }
  return best;
}

}  // namespace

float weight_noise_of(const Kernel& kernel) {
  double magnitude = 0;
  for (const double weight : kernel.weights) magnitude += std::abs(weight);
  // A single-precision transform of ones errs by a few 1e-7 of the weights' magnitude.
  return static_cast<float>(2e-6 * magnitude);
}

DeviceBuffer<float> upload_kernel(Context& context, const Kernel& kernel, double scale, std::int64_t pitch) {
  std::vector<float> rows(static_cast<std::size_t>(kernel.shape.ny * pitch), 0.0f);
  for (std::int64_t i = 0; i < kernel.shape.ny; ++i)
    for (std::int64_t j = 0; j < kernel.shape.nx; ++j)
      rows[static_cast<std::size_t>(i * pitch + j)] =
          static_cast<float>(kernel.weights[static_cast<std::size_t>(i * kernel.shape.nx + j)] * scale);
  DeviceBuffer<float> memory = upload_vector(context, rows, context.stream());
  context.wait();  // the rows go
  return memory;
}

double slower_than_h200(const DeviceInfo& device) {
  // Of one multiprocessor in a ms: multiply-adds, and bytes of memory at the peak clock. On an H200 memory is busy for
  // half of an FFT's time (bench/counters.py), so that a card with a slow one is bound by it.
  constexpr double kFma = 1.98e6 * 128, kBytes = 4.81e9 / 132, kMemoryBusy = 0.5;
  return device.multiprocessors * std::max(kFma / device.fma_per_ms, kMemoryBusy * kBytes / device.memory_bytes_per_ms);
}

ConvolutionQuote quote_fft(const Context& context, const ConvolutionSpec& spec, Shape shape) {
  const Chosen chosen = choose(context.device(), spec.kernel.shape, shape);
  ConvolutionQuote quote;
  quote.algorithm = Algorithm::fft;
  quote.possible = chosen.path != nullptr;
  quote.reason = chosen.quote.reason;
  quote.cost_ms = chosen.quote.cost_ms;
  quote.workspace_bytes = chosen.quote.workspace_bytes;
  return quote;
}

std::unique_ptr<Convolver> make_fft(Context& context, const ConvolutionSpec& spec, Shape shape) {
  const Chosen chosen = choose(context.device(), spec.kernel.shape, shape);
  if (chosen.path == nullptr) throw InternalError("an FFT was planned that is not possible: " + chosen.quote.reason);
  return chosen.path->make(context, spec.kernel, shape);
}

}  // namespace reber::cuda
