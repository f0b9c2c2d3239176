// SPDX-License-Identifier: BSD-3-Clause
// The compiled lengths of lines, and what tiles made of them cost.
#include "kernels/cuda/fft_lines.cuh"

namespace reber::cuda {
namespace {

// 16 values a thread and two exchanges, rather than 32 and one: the kernel of columns lives by the number of its warps.
using Line512 = fft::Line<8, 8, 8, 64, 16, 1>;
using Line1024 = fft::Line<16, 16, 4, 64, 8, 1>;
using Line2048 = fft::Line<16, 16, 8, 128, 4, 1>;
using Line4096 = fft::Line<16, 16, 16, 256, 2, 1>;

/// H200, 16384 x 16384 pixels, batches of 1 GB, kernels of 101, 257, 257 and 1025 pixels a side. Batches of 8 to 60 MB,
/// which stay in the L2 cache, take 1.2 to 2 times as long: the ends of three launches each weigh more than memory.
std::vector<LinePolicy> make_policies() {
  return {{fft::line_variant<Line512>(), 7.6, 7.3},
          {fft::line_variant<Line1024>(), 8.1, 7.45},
          {fft::line_variant<Line2048>(), 9.4, 9.3},
          {fft::line_variant<Line4096>(), 10.4, 15.9}};
}

}  // namespace

std::span<const LinePolicy> line_policies() {
  static const std::vector<LinePolicy> policies = make_policies();
  return policies;
}

}  // namespace reber::cuda
