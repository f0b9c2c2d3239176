// SPDX-License-Identifier: BSD-3-Clause
// The ways to convolve by transforms, between which fft_choice.cpp chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/shape.hpp"
#include "core/model/kernel.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/cuda/device/context.hpp"

namespace reber::cuda {

/// What one way would cost for a kernel and an image without blank pixels.
struct FftQuote {
  bool possible = false;
  std::string reason;  ///< why not, or what the cost is made of
  double cost_ms = 0;
  std::int64_t workspace_bytes = 0;
};

/// Tiles that one block transforms, multiplies and transforms back in its shared memory.
[[nodiscard]] FftQuote quote_fft_tile(const DeviceInfo& device, Shape kernel, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_tile(Context& context, const Kernel& kernel, Shape image);

/// Larger tiles, by kernels of rows and of columns.
[[nodiscard]] FftQuote quote_fft_lines(const DeviceInfo& device, Shape kernel, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_lines(Context& context, const Kernel& kernel, Shape image);

/// Tiles of any size by cuFFT.
[[nodiscard]] FftQuote quote_fft_library(const DeviceInfo& device, Shape kernel, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_library(Context& context, const Kernel& kernel, Shape image);

/// Weights of finite pixels, made by a float transform of ones, up to this are rounding.
[[nodiscard]] float weight_noise_of(const Kernel& kernel);
/// The kernel's weights times `scale`, rounded once, on the device in rows of `pitch`.
[[nodiscard]] DeviceBuffer<float> upload_kernel(Context& context, const Kernel& kernel, double scale,
                                                std::int64_t pitch);
/// How long a multiprocessor of this card takes for what one of an H200 does in a ms, by multiply-adds and by memory.
[[nodiscard]] double slower_than_h200(const DeviceInfo& device);
/// Tiles along an axis.
[[nodiscard]] constexpr std::int64_t tiles_along(std::int64_t pixels, std::int64_t valid) {
  return (pixels + valid - 1) / valid;
}

}  // namespace reber::cuda
