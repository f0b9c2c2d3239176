// SPDX-License-Identifier: BSD-3-Clause
// The compiled lengths of lines, and what tiles made of them cost.
#include "kernels/cuda/fft_lines.cuh"

namespace reber::cuda {
namespace {

using Line512 = fft::Line<16, 32, 1, 256, 16, 2>;
using Line1024 = fft::Line<32, 32, 1, 256, 8, 2>;
using Line2048 = fft::Line<32, 8, 8, 64, 4, 2>;
using Line4096 = fft::Line<32, 16, 8, 128, 4, 1>;

/// H200, 16384 x 16384 pixels, batches of 1 GB: kernels of 101, 257 and 1025 pixels a side. The same of 8 to 60 MB,
/// which stay in the L2 cache, take 1.2 to 2 times as long: the ends of three launches each weigh more than memory.
std::vector<LinePolicy> make_policies() {
  const LineVariant l512 = fft::line_variant<Line512>(), l1024 = fft::line_variant<Line1024>(),
                    l2048 = fft::line_variant<Line2048>(), l4096 = fft::line_variant<Line4096>();
  return {{l512, l512, 18.6},   {l512, l1024, 19.5},  {l1024, l512, 19.5},  {l1024, l1024, 20.4}, {l2048, l1024, 21.0},
          {l1024, l2048, 21.0}, {l2048, l2048, 20.0}, {l4096, l2048, 22.9}, {l2048, l4096, 22.9}, {l4096, l4096, 25.1}};
}

}  // namespace

std::span<const LinePolicy> line_policies() {
  static const std::vector<LinePolicy> policies = make_policies();
  return policies;
}

}  // namespace reber::cuda
