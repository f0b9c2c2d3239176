// SPDX-License-Identifier: BSD-3-Clause
// What the ways to convolve by transforms share.
#pragma once

#include <cstdint>

#include "core/sky/model/kernel.hpp"
#include "kernels/cuda/device/context.hpp"

namespace reber::cuda {

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
