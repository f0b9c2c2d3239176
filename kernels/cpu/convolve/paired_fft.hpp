// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution by overlap-save, two tiles side by side in one transform.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/sky/model/kernel.hpp"
#include "kernels/cpu/convolve/convolution.hpp"

namespace reber::cpu {

/// How an image is cut into pairs of tiles.
struct PairedTile {
  std::int64_t side = 0;   ///< of the transform
  Shape outputs;           ///< of both tiles as one
  std::int64_t tiles = 0;  ///< that cover the image
  double ms = 0;           ///< that one takes on one core, what is around the transform included
  std::int64_t bytes = 0;  ///< memory of one worker
};
/// The cheapest for an image and a kernel of these shapes; none where the kernel is too large.
///   around_ns: ns a pixel that is gathered
[[nodiscard]] std::optional<PairedTile> paired_tile(Shape image, Shape kernel, double around_ns);

[[nodiscard]] std::unique_ptr<TileAlgorithm> make_paired_fft(const Kernel& kernel, const PairedTile& tile);

}  // namespace reber::cpu
