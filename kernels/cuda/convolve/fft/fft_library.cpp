// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution by cuFFT: the choice of tiles, the plans, and the loop over batches of tiles.
#include "kernels/cuda/convolve/fft/fft_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/cuda/convolve/common/rows_together.hpp"
#include "kernels/cuda/convolve/fft/cufft_loader.hpp"
#include "kernels/cuda/convolve/fft/fft.hpp"
#include "kernels/cuda/convolve/fft/fft_common.hpp"
#include "kernels/cuda/convolve/fft/fft_offset.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {
namespace {

// Sides that cuFFT does fast: powers of two, and three times them.
constexpr std::int64_t kSides[] = {32,   64,   128,  256,   384,   512,   768,   1024,  1536,  2048,  3072,
                                   4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072};
constexpr std::int64_t kMaxBatch = 32768;  // the batch is a grid's second dimension

struct TileChoice {
  FftTiles tiles;
  std::int64_t count = 0;  ///< tiles of a whole image
  std::int64_t batch = 0;  ///< tiles transformed together
  double cost = 0;         ///< pixels transformed, weighted
};

std::int64_t tile_bytes(const FftTiles& tiles) {
  return tiles.spectrum() * 2 * static_cast<std::int64_t>(sizeof(float));
}

/// Cost of one tile: its pixels, once for each pass over memory and with the butterflies' logarithm; dearer where the
/// tile and cuFFT's work area leave the L2 cache.
double tile_cost(const DeviceInfo& device, const FftTiles& tiles) {
  const double pixels = static_cast<double>(tiles.ty * tiles.tx);
  const double spill = 2 * tile_bytes(tiles) > device.l2_bytes ? 1.7 : 1.0;
  return pixels * (1.0 + 0.04 * std::log2(pixels)) * spill;
}

/// Tiles of an image of this shape; none where the kernel is beyond every side.
std::optional<TileChoice> choose_tiles(const DeviceInfo& device, Shape kernel, Shape shape) {
  std::optional<TileChoice> best;
  for (const std::int64_t ty : kSides) {
    if (ty < kernel.ny) continue;
    for (const std::int64_t tx : kSides) {
      if (tx < kernel.nx) continue;
      TileChoice choice;
      choice.tiles = {ty, tx, ty - kernel.ny + 1, tx - kernel.nx + 1, 0};
      choice.tiles.tiles_x = tiles_along(shape.nx, choice.tiles.valid_x);
      choice.count = choice.tiles.tiles_x * tiles_along(shape.ny, choice.tiles.valid_y);
      // 2^17 a tile: roughly what a batch of launches costs, so that a small image is not cut into crumbs.
      choice.cost = static_cast<double>(choice.count) * tile_cost(device, choice.tiles) + 131072;
      if (!best || choice.cost < best->cost) best = choice;
      if (choice.tiles.valid_x >= shape.nx) break;
    }
    if (ty - kernel.ny + 1 >= shape.ny) break;
  }
  if (best) {
    // Pixels, their spectra (in place) and cuFFT's work area of the same size stay within the L2 cache.
    const std::int64_t fitting = device.l2_bytes / (2 * tile_bytes(best->tiles));
    best->batch = std::clamp<std::int64_t>(fitting, 1, std::min(best->count, kMaxBatch));
  }
  return best;
}

class FftConvolver final : public Convolver {
 public:
  FftConvolver(Context& context, const Kernel& kernel, const TileChoice& choice)
      : kernel_(kernel.shape),
        choice_(choice),
        forward_(true, choice.tiles.ty, choice.tiles.tx, choice.batch),
        backward_(false, choice.tiles.ty, choice.tiles.tx, choice.batch),
        spectrum_(2 * choice.tiles.spectrum(), context.stream()) {
    weight_noise_ = weight_noise_of(kernel);
    sum_ = static_cast<float>(std::accumulate(kernel.weights.begin(), kernel.weights.end(), 0.0));
    make_spectrum(context, kernel);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    FftTiles tiles = choice_.tiles;
    tiles.tiles_x = tiles_along(job.in.nx, tiles.valid_x);
    const std::int64_t count = tiles.tiles_x * tiles_along(job.ny, tiles.valid_y);
    const DeviceBuffer<float> offsets(count, stream);
    const auto small = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    find_offsets(stream, job,
                 {small(kernel_.ny), small(kernel_.nx), small(tiles.ty), small(tiles.tx), small(tiles.valid_y),
                  small(tiles.valid_x), small(tiles.tiles_x), small(count)},
                 offsets.data());
    tiles.offsets = offsets.data();
    tiles.sum = sum_;
    const DeviceBuffer<float> memory(choice_.batch * 2 * tiles.spectrum(), stream);
    // A last batch that is not full transforms what stands in its other tiles, and rows have padding.
    check(cudaMemsetAsync(memory.data(), 0, static_cast<std::size_t>(memory.bytes()), stream), "cudaMemsetAsync");
    const DeviceBuffer<char> work(std::max(forward_.work_bytes(), backward_.work_bytes()) + 1, stream);
    for (const FftPlan* plan : {&forward_, &backward_}) {
      check_fft(cufft().set_stream(plan->get(), stream), "cufftSetStream");
      check_fft(cufft().set_work_area(plan->get(), work.data()), "cufftSetWorkArea");
    }
    convolve(stream, job, tiles, memory.data(), false, job.out, job.out_pitch, !job.interpolate);
    if (!job.interpolate) return;
    const std::int64_t pitch = pitch_of(job.in.nx);
    const DeviceBuffer<float> weights(job.ny * pitch, stream);
    tiles.offsets = nullptr;
    convolve(stream, job, tiles, memory.data(), true, weights.data(), pitch, false);
    divide_by_weights(stream, job, weights.data(), pitch, weight_noise_);
  }

  [[nodiscard]] std::int64_t rows_together(Shape) const override { return choice_.tiles.valid_y; }

  [[nodiscard]] std::string description() const override {
    return fmt::format("FFT, overlap-save tiles of {} x {} pixels, {} at once, {} x {} weights", choice_.tiles.tx,
                       choice_.tiles.ty, choice_.batch, kernel_.nx, kernel_.ny);
  }

 private:
  /// The kernel in the corner of a tile, scaled by the transforms' 1/N, transformed once.
  void make_spectrum(Context& context, const Kernel& kernel) {
    const FftTiles& tiles = choice_.tiles;
    std::vector<float> tile(static_cast<std::size_t>(2 * tiles.spectrum()), 0.0f);
    const double scale = 1.0 / static_cast<double>(tiles.ty * tiles.tx);
    for (std::int64_t i = 0; i < kernel_.ny; ++i)
      for (std::int64_t j = 0; j < kernel_.nx; ++j)
        tile[i * (tiles.tx + 2) + j] = static_cast<float>(kernel.weights[i * kernel_.nx + j] * scale);
    context.up(spectrum_.data(), tile.data(), spectrum_.bytes(), context.stream());
    const FftPlan plan(true, tiles.ty, tiles.tx, 1);
    const DeviceBuffer<char> work(plan.work_bytes() + 1, context.stream());
    check_fft(cufft().set_stream(plan.get(), context.stream()), "cufftSetStream");
    check_fft(cufft().set_work_area(plan.get(), work.data()), "cufftSetWorkArea");
    check_fft(cufft().exec_r2c(plan.get(), spectrum_.data(), reinterpret_cast<cufftComplex*>(spectrum_.data())),
              "cufftExecR2C");
    context.wait();
  }

  void convolve(cudaStream_t stream, const ConvolveJob& job, const FftTiles& tiles, float* memory, bool mask,
                float* out, std::int64_t pitch, bool count_blank) const {
    const std::int64_t count = tiles.tiles_x * tiles_along(job.ny, tiles.valid_y);
    for (std::int64_t first = 0; first < count; first += choice_.batch) {
      const std::int64_t n = std::min(choice_.batch, count - first);
      // The plan always transforms a whole batch; tiles beyond n hold what the batch before left, and are not read.
      gather_tiles(stream, job, tiles, kernel_, first, n, mask, memory);
      check_fft(cufft().exec_r2c(forward_.get(), memory, reinterpret_cast<cufftComplex*>(memory)), "cufftExecR2C");
      multiply_spectra(stream, tiles, n, spectrum_.data(), memory);
      check_fft(cufft().exec_c2r(backward_.get(), reinterpret_cast<cufftComplex*>(memory), memory), "cufftExecC2R");
      scatter_tiles(stream, job, tiles, kernel_, first, n, memory, out, pitch, count_blank);
    }
  }

  Shape kernel_;
  TileChoice choice_;
  FftPlan forward_, backward_;
  DeviceBuffer<float> spectrum_;
  float weight_noise_ = 0, sum_ = 0;
};

}  // namespace

VariantQuote quote_fft_library(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  if (!cufft().present()) {
    quote.reason = "cuFFT could not be loaded: " + cufft().missing;
    return quote;
  }
  const std::optional<TileChoice> choice = choose_tiles(device, kernel, image);
  if (!choice) {
    quote.reason = "the kernel is larger than the largest transform";
    return quote;
  }
  const std::int64_t bytes = (choice->batch * 2 + 1) * tile_bytes(choice->tiles);
  if (bytes > device.total_bytes) {
    quote.reason = fmt::format("a tile of {} x {} pixels needs {} bytes; the device has {}", choice->tiles.tx,
                               choice->tiles.ty, bytes, device.total_bytes);
    return quote;
  }
  quote.possible = true;
  quote.workspace_bytes = bytes + together_bytes(choice->tiles.valid_y, kernel, image);
  // 16384 x 16384 pixels, 31 x 31 weights: 7.0 ms on an H200 (4.8 TB/s), that is 70 bytes a weighted pixel moved.
  quote.cost_ms = 0.03 + choice->cost * 70 / device.memory_bytes_per_ms;
  quote.reason = fmt::format("{} tiles of {} x {} pixels, {} at once within the {} MiB L2 cache", choice->count,
                             choice->tiles.tx, choice->tiles.ty, choice->batch, device.l2_bytes >> 20);
  return quote;
}

std::unique_ptr<Convolver> make_fft_library(Context& context, const ConvolutionSpec& spec, Shape image) {
  const std::optional<TileChoice> choice = choose_tiles(context.device(), spec.kernel.shape, image);
  return std::make_unique<FftConvolver>(context, spec.kernel, choice.value());
}

}  // namespace reber::cuda
