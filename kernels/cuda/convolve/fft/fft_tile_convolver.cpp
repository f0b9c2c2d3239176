// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution in one kernel: the choice of the tile's shape, and the convolver.
#include "kernels/cuda/convolve/fft/fft_tile_convolver.hpp"
#include "kernels/cuda/convolve/common/rows_together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/fft/fft_common.hpp"
#include "kernels/cuda/convolve/fft/fft_offset.hpp"
#include "kernels/cuda/convolve/fft/fft_tile.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {
namespace {

struct TileChoice {
  const TilePolicy* policy = nullptr;
  double cost_ms = 0;
};

std::int64_t tiles_of(const TileVariant& tile, Shape kernel, Shape image) {
  return tiles_along(image.ny, tile.ny - kernel.ny + 1) * tiles_along(image.nx, tile.nx - kernel.nx + 1);
}

/// The cheapest shape that the card's shared memory holds; none where the kernel leaves no output to any.
TileChoice choose_tile(const DeviceInfo& device, Shape kernel, Shape image) {
  TileChoice best;
  for (const TilePolicy& policy : tile_policies()) {
    const TileVariant& tile = policy.variant;
    if (tile.shared_bytes > device.shared_bytes || tile.ny < kernel.ny || tile.nx < kernel.nx) continue;
    const double pairs = static_cast<double>((tiles_of(tile, kernel, image) + 1) / 2);
    const std::int64_t fitting = std::max<std::int64_t>(1, device.shared_bytes_per_sm / (tile.shared_bytes + 1024));
    // Fewer blocks than on an H200 hide less of each other's waiting; a guess.
    const double alone = fitting < tile.blocks ? 1.3 : 1.0;
    // A multiprocessor that is the last to finish has half of its blocks still to do.
    const double rounds = pairs / device.multiprocessors + 0.5 * tile.blocks;
    const double cost_ms = 0.005 + rounds * policy.us_a_pair * 1e-3 * alone * slower_than_h200(device);
    if (best.policy == nullptr || cost_ms < best.cost_ms) best = {&policy, cost_ms};
  }
  return best;
}

class TileConvolver final : public Convolver {
 public:
  TileConvolver(Context& context, const Kernel& kernel, const TileVariant& tile)
      : kernel_(kernel.shape),
        tile_(tile),
        at_once_(static_cast<std::int64_t>(context.device().multiprocessors) * tile.blocks),
        sum_(static_cast<float>(std::accumulate(kernel.weights.begin(), kernel.weights.end(), 0.0))),
        weight_noise_(weight_noise_of(kernel)),
        spectrum_(std::int64_t{tile.ny} * tile.nx, context.stream()) {
    const double scale = 1.0 / (static_cast<double>(tile.ny) * tile.nx);
    const std::int64_t pitch = pitch_of(kernel_.nx);
    const DeviceBuffer<float> weights = upload_kernel(context, kernel, scale, pitch);
    TileArguments arguments = common();
    arguments.job.in.pixels = weights.data();
    arguments.job.in.pitch = pitch;
    tile_.transform_kernel(context.stream(), arguments, spectrum_.data());
    context.wait();
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    TileArguments arguments = arguments_of(job);
    const DeviceBuffer<float> offsets = offsets_of(stream, arguments);
    arguments.offsets = offsets.data();
    tile_.convolve(stream, arguments);
  }

  /// Tiles of one geometry: the forward transform is the same.
  [[nodiscard]] bool shares_with(const Convolver& other) const override {
    const auto* tiles = dynamic_cast<const TileConvolver*>(&other);
    return tiles != nullptr && tiles->kernel_ == kernel_ && tiles->tile_.ny == tile_.ny && tiles->tile_.nx == tile_.nx;
  }

  void run_each(cudaStream_t stream, std::span<const ConvolvePart> parts) const override {
    if (!parts.front().job.all_finite || parts.size() == 1) return Convolver::run_each(stream, parts);
    TileArguments arguments = arguments_of(parts.front().job);
    const DeviceBuffer<float> offsets = offsets_of(stream, arguments);
    arguments.offsets = offsets.data();
    const std::int64_t blocks = std::min<std::int64_t>(at_once_, (arguments.tiles + 1) / 2);
    const DeviceBuffer<float2> kept(blocks * tile_.ny * tile_.nx, stream);
    for (std::size_t done = 0; done < parts.size(); done += TileFan::kMost) {
      TileFan fan;
      fan.kept = kept.data();
      for (const ConvolvePart& part : parts.subspan(done, std::min<std::size_t>(TileFan::kMost, parts.size() - done))) {
        const auto& own = static_cast<const TileConvolver&>(*part.convolver);
        fan.spectra[fan.count] = own.spectrum_.data();
        fan.sums[fan.count] = own.sum_;
        fan.out[fan.count] = part.job.out;
        fan.blank[fan.count++] = part.job.blank;
      }
      tile_.convolve_each(stream, arguments, fan, static_cast<unsigned>(blocks));
    }
  }

  [[nodiscard]] std::int64_t rows_together(Shape image) const override {
    return rows_of_pairs(tile_.ny - kernel_.ny + 1, tiles_along(image.nx, tile_.nx - kernel_.nx + 1));
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("FFT, one kernel with tiles of {} x {} pixels in shared memory, {} x {} weights", tile_.nx,
                       tile_.ny, kernel_.nx, kernel_.ny);
  }

 private:
  /// Everything but the offsets.
  [[nodiscard]] TileArguments arguments_of(const ConvolveJob& job) const {
    TileArguments arguments = common();
    arguments.job = job;
    arguments.tiles_x = static_cast<std::int32_t>(tiles_along(job.in.nx, arguments.valid_x));
    const std::int64_t tiles = arguments.tiles_x * tiles_along(job.ny, arguments.valid_y);
    if (tiles > INT32_MAX)
      throw InternalError(fmt::format("{} tiles of a convolution are too many for one launch", tiles));
    arguments.tiles = static_cast<std::int32_t>(tiles);
    return arguments;
  }

  [[nodiscard]] DeviceBuffer<float> offsets_of(cudaStream_t stream, const TileArguments& arguments) const {
    DeviceBuffer<float> offsets(arguments.tiles, stream);
    const TileGrid grid{arguments.kernel_ny, arguments.kernel_nx, tile_.ny,          tile_.nx,
                        arguments.valid_y,   arguments.valid_x,   arguments.tiles_x, arguments.tiles};
    find_offsets(stream, arguments.job, grid, offsets.data());
    return offsets;
  }

  [[nodiscard]] TileArguments common() const {
    TileArguments arguments;
    arguments.kernel_ny = static_cast<std::int32_t>(kernel_.ny);
    arguments.kernel_nx = static_cast<std::int32_t>(kernel_.nx);
    arguments.valid_y = tile_.ny - arguments.kernel_ny + 1;
    arguments.valid_x = tile_.nx - arguments.kernel_nx + 1;
    arguments.sum = sum_;
    arguments.weight_noise = weight_noise_;
    arguments.spectrum = spectrum_.data();
    return arguments;
  }

  Shape kernel_;
  TileVariant tile_;
  std::int64_t at_once_ = 1;  ///< blocks that the device runs at a time
  float sum_ = 0, weight_noise_ = 0;
  DeviceBuffer<float2> spectrum_;
};

}  // namespace

VariantQuote quote_fft_tile(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  const TileChoice choice = choose_tile(device, kernel, image);
  if (choice.policy == nullptr) {
    quote.reason = fmt::format("a kernel of {} x {} leaves no room in a tile of shared memory", kernel.nx, kernel.ny);
    return quote;
  }
  const TileVariant& tile = choice.policy->variant;
  const std::int64_t tiles = tiles_of(tile, kernel, image);
  if (tiles > INT32_MAX) {
    quote.reason = fmt::format("{} tiles are too many for one launch", tiles);
    return quote;
  }
  quote.possible = true;
  quote.cost_ms = choice.cost_ms;
  const std::int64_t rows = rows_of_pairs(tile.ny - kernel.ny + 1, tiles_along(image.nx, tile.nx - kernel.nx + 1));
  quote.workspace_bytes =
      std::int64_t{tile.ny} * tile.nx * static_cast<std::int64_t>(sizeof(float2)) + together_bytes(rows, kernel, image);
  quote.reason = fmt::format("{} tiles of {} x {} pixels, each in a block's shared memory", tiles, tile.nx, tile.ny);
  return quote;
}

std::unique_ptr<Convolver> make_fft_tile(Context& context, const ConvolutionSpec& spec, Shape image) {
  const TileChoice choice = choose_tile(context.device(), spec.kernel.shape, image);
  if (choice.policy == nullptr) throw InternalError("a kernel was given to tiles that are smaller");
  return std::make_unique<TileConvolver>(context, spec.kernel, choice.policy->variant);
}

}  // namespace reber::cuda
