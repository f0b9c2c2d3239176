// SPDX-License-Identifier: BSD-3-Clause
// The compiled lengths of lines, and what tiles made of them cost.
#include "kernels/cuda/convolve/fft/fft_lines_each.cuh"

namespace reber::cuda {
namespace {

// Rows: 16 values per thread, as more threads hide more of the memory's latency. Columns live by their accesses to
// shared memory and by the width of those to the other: 32 values per thread where that saves an exchange or allows
// eight columns.
using Rows512 = fft::Line<8, 8, 8, 64>;
using Rows1024 = fft::Line<16, 16, 4, 64>;
using Rows1536 = fft::Line<24, 8, 8, 64>;
using Rows2048 = fft::Line<16, 16, 8, 128>;
using Rows3072 = fft::Line<12, 16, 16, 256>;
using Rows4096 = fft::Line<16, 16, 16, 256>;
using Columns512 = fft::Line<16, 32, 1, 16, 16, 2>;
using Columns1024 = fft::Line<32, 32, 1, 32, 8, 2>;
using Columns1536 = fft::Line<24, 8, 8, 64, 8>;
using Columns2048 = fft::Line<32, 8, 8, 64, 8>;
using Columns3072 = fft::Line<16, 12, 16, 256, 4>;
using Columns4096 = fft::Line<32, 16, 8, 128, 4>;

/// H200, 16384 x 16384 pixels, batches of 1 GB, kernels of 31 to 1025 pixels per side; within a twentieth. Batches of 8
/// to 60 MB, which stay in the L2 cache, take 1.2 to 2 times as long: the ends of three launches each weigh more than
/// memory.
std::vector<LinePolicy> make_policies() {
  return {{fft::line_variant_each<Rows512, Columns512>(), 4.4, 4.0, 5.85},
          {fft::line_variant_each<Rows1024, Columns1024>(), 4.4, 4.2, 5.45},
          {fft::line_variant_each<Rows1536, Columns1536>(), 5.1, 4.4, 7.35},
          {fft::line_variant_each<Rows2048, Columns2048>(), 4.6, 4.0, 6.9},
          {fft::line_variant_each<Rows3072, Columns3072>(), 6.2, 4.3, 8.2},
          {fft::line_variant_each<Rows4096, Columns4096>(), 5.4, 4.5, 8.3}};
}

}  // namespace

std::span<const LinePolicy> line_policies() {
  static const std::vector<LinePolicy> policies = make_policies();
  return policies;
}

}  // namespace reber::cuda
