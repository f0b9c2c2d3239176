// SPDX-License-Identifier: BSD-3-Clause
// Byte swap, blank and scale on the device. Answers kernels/cpu/load.cpp.
#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/load.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kItems = 4;

/// One block per piece of kThreads x kItems pixels of one row.
__global__ void __launch_bounds__(kThreads)
    k_decode_rows(StoredRows stored, DecodeRule rule, std::int64_t pieces, std::int64_t nx, float* __restrict__ out,
                  std::int64_t pitch, unsigned long long* counts) {
  const std::int64_t row = blockIdx.x / pieces;
  const std::int64_t x0 = (blockIdx.x % pieces) * (kThreads * kItems);
  unsigned blank = 0, infinite = 0, largest = 0;
  for (int item = 0; item < kItems; ++item) {
    const std::int64_t x = x0 + item * kThreads + threadIdx.x;
    if (x >= nx) continue;
    const auto* from =
        reinterpret_cast<const unsigned char*>(stored.first) + row * stored.row_bytes + x * stored.pixel_bytes;
    Decoded pixel;
    if (rule.type == PixelType::f32) {
      // Nearly all images are of this type.
      std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(from);
      if (rule.big_endian) word = __byte_perm(word, 0, 0x0123);
      const double value = __uint_as_float(word);
      pixel = {rules::decode(value, rule.scale, rule.zero), isinf(value) != 0};
    } else {
      pixel = decode_pixel(from, rule);
    }
    blank += isfinite(pixel.value) ? 0u : 1u;
    infinite += pixel.infinite ? 1u : 0u;
    if (isfinite(pixel.value)) largest = max(largest, __float_as_uint(fabsf(pixel.value)));
    out[row * pitch + x] = pixel.value;
  }
  count_warp(blank, counts);
  count_warp(infinite, counts + 1);
  for (int half = 16; half > 0; half /= 2) largest = max(largest, __shfl_down_sync(0xffffffffu, largest, half));
  // Few warps hold more than was seen before them.
  if ((threadIdx.x & 31) == 0 && largest > *static_cast<volatile unsigned long long*>(counts + 2))
    atomicMax(counts + 2, static_cast<unsigned long long>(largest));
}

__global__ void __launch_bounds__(kThreads) k_fill_row(float* __restrict__ row, std::int64_t nx, float value) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (x < nx) row[x] = value;
}

__global__ void __launch_bounds__(kThreads)
    k_count_blank(const float* __restrict__ rows, std::int64_t nx, std::int64_t pitch, std::int64_t pieces,
                  unsigned long long* count) {
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  const bool blank = x < nx && !isfinite(rows[blockIdx.x / pieces * pitch + x]);
  count_warp(blank ? 1 : 0, count);
}

const EarlyCode kEarly(k_decode_rows);

}  // namespace

void count_blank(cudaStream_t stream, const float* rows, std::int64_t ny, std::int64_t nx, std::int64_t pitch,
                 unsigned long long* count) {
  const std::int64_t pieces = (nx + kThreads - 1) / kThreads;
  k_count_blank<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(rows, nx, pitch, pieces, count);
  check_launch("k_count_blank", stream);
}

void fill_row(cudaStream_t stream, float* row, std::int64_t nx, float value) {
  if (nx == 0) return;
  k_fill_row<<<static_cast<unsigned>((nx + kThreads - 1) / kThreads), kThreads, 0, stream>>>(row, nx, value);
  check_launch("k_fill_row", stream);
}

void decode_rows(cudaStream_t stream, const StoredRows& stored, const DecodeRule& rule, std::int64_t rows,
                 std::int64_t nx, float* out, std::int64_t pitch, unsigned long long* counts) {
  if (rows == 0 || nx == 0) return;
  const std::int64_t pieces = (nx + kThreads * kItems - 1) / (kThreads * kItems);
  k_decode_rows<<<static_cast<unsigned>(rows * pieces), kThreads, 0, stream>>>(stored, rule, pieces, nx, out, pitch,
                                                                               counts);
  check_launch("k_decode_rows", stream);
}

}  // namespace reber::cuda
