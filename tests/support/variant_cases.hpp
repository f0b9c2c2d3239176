// SPDX-License-Identifier: BSD-3-Clause
// Cards, kernels and images for which the choice among the variants of a convolution on CUDA is on record
// (cuda_variants.txt). Attributes stand for the cards: no card is needed.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/sky/model/kernel.hpp"
#include "kernels/cuda/device/context.hpp"

namespace reber::testing {

inline std::vector<cuda::DeviceInfo> recorded_cards() {
  cuda::DeviceInfo h200;
  h200.name = "h200";
  h200.major = 9;
  h200.multiprocessors = 132;
  h200.l2_bytes = std::int64_t{50} << 20;
  h200.shared_bytes = std::int64_t{227} << 10;
  h200.shared_bytes_per_sm = std::int64_t{228} << 10;
  h200.total_bytes = std::int64_t{140} << 30;
  h200.fma_per_ms = 1.98e6 * 132 * 128;
  h200.memory_bytes_per_ms = 4.81e9;
  // Of compute capability 8.6: blocks have less shared memory than some variants ask for.
  cuda::DeviceInfo laptop = h200;
  laptop.name = "laptop";
  laptop.major = 8;
  laptop.minor = 6;
  laptop.multiprocessors = 30;
  laptop.l2_bytes = std::int64_t{3} << 20;
  laptop.shared_bytes = std::int64_t{99} << 10;
  laptop.shared_bytes_per_sm = std::int64_t{100} << 10;
  laptop.total_bytes = std::int64_t{6} << 30;
  laptop.fma_per_ms = 1.425e6 * 30 * 128;
  laptop.memory_bytes_per_ms = 3.36e8;
  return {h200, laptop};
}

/// A kernel whose choice depends on its shape alone; its weights are left out.
inline Kernel shape_alone(Shape shape, bool product) {
  Kernel kernel;
  kernel.shape = shape;
  kernel.text = fmt::format("{} {}x{}", product ? "product" : "any", shape.ny, shape.nx);
  if (!product) return kernel;
  kernel.column.assign(static_cast<std::size_t>(shape.ny), 0.25);
  kernel.row.assign(static_cast<std::size_t>(shape.nx), 0.25);
  return kernel;
}

inline Kernel spaced_taps_alone(std::int64_t step) {
  Kernel kernel = shape_alone({4 * step + 1, 4 * step + 1}, true);
  for (std::size_t i = 0; i < kernel.row.size(); ++i)
    if (i % static_cast<std::size_t>(step) != 0) kernel.row[i] = kernel.column[i] = 0;
  kernel.text = fmt::format("five taps {} apart", step);
  return kernel;
}

inline std::vector<Kernel> recorded_kernels() {
  std::vector<Kernel> kernels;
  for (std::int64_t side = 1; side <= 34; ++side) kernels.push_back(shape_alone({side, side}, true));
  for (const std::int64_t side : {45,  48,  49,  50,  61,  63,  64,  65,  66,  67,  97,  101,  127, 128,
                                  129, 145, 201, 256, 257, 301, 384, 500, 513, 520, 769, 1024, 1025})
    kernels.push_back(shape_alone({side, side}, true));
  for (const Shape shape :
       {Shape{2, 3},   Shape{3, 5},   Shape{5, 7},   Shape{7, 5},   Shape{4, 7},   Shape{1, 9},  Shape{9, 1},
        Shape{3, 13},  Shape{13, 3},  Shape{10, 11}, Shape{14, 15}, Shape{15, 14}, Shape{9, 16}, Shape{16, 9},
        Shape{16, 17}, Shape{12, 17}, Shape{17, 21}, Shape{20, 31}, Shape{27, 31}, Shape{5, 70}, Shape{70, 5},
        Shape{1, 65},  Shape{65, 1},  Shape{40, 65}, Shape{9, 129}, Shape{129, 9}, Shape{3, 600}})
    kernels.push_back(shape_alone(shape, true));
  for (const Shape shape : {Shape{9, 9}, Shape{31, 31}, Shape{101, 101}}) kernels.push_back(shape_alone(shape, false));
  for (const std::int64_t step : {2, 3, 4, 5, 6, 8, 12, 16, 31, 64, 100, 124, 128, 130, 256})
    kernels.push_back(spaced_taps_alone(step));
  kernels.push_back(gaussian_kernel({9, 0, 9}, Normalise::sum));
  kernels.push_back(gaussian_kernel({22.5, 13.5, 22.5}, Normalise::sum));
  kernels.push_back(gaussian_kernel({1000, 600, 1000}, Normalise::sum));
  return kernels;
}

inline std::vector<Shape> recorded_images() {
  return {{1, 1},       {100, 100},   {1000, 1000}, {2048, 2048},   {4096, 4096},   {6000, 6000},
          {8192, 8192}, {300, 40000}, {40000, 300}, {16384, 16384}, {32768, 32768}, {65536, 65536}};
}

}  // namespace reber::testing
