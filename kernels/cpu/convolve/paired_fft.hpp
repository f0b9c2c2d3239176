// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution by overlap-save, two tiles side by side in one transform: of kernels that leave most of it to
// outputs.
#pragma once

#include <memory>
#include <vector>

#include "core/sky/model/kernel.hpp"
#include "kernels/cpu/convolve/convolution.hpp"

namespace reber::cpu {

/// Tiles of outputs, both of a pair as one, in an image of this shape; empty where the kernel is too large.
[[nodiscard]] Shape paired_tile(Shape image, Shape kernel);
/// Nanoseconds that a tile of `paired_tile` takes on one core, what is around the transform included.
///   around: ns a pixel that is gathered
[[nodiscard]] double paired_tile_ns(Shape kernel, double around);

/// Memory of one worker, in bytes.
[[nodiscard]] std::int64_t paired_bytes(Shape kernel);

[[nodiscard]] std::unique_ptr<TileAlgorithm> make_paired_fft(const Kernel& kernel, Shape image);

}  // namespace reber::cpu
