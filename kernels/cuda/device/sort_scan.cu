// SPDX-License-Identifier: BSD-3-Clause
// Device-wide sort and scan by CUB.
#include "kernels/cuda/device/sort_scan.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace reber::cuda {

void exclusive_scan(cudaStream_t stream, const std::uint32_t* in, std::uint32_t* out, std::int64_t count) {
  if (count == 0) return;
  std::size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count, stream), "cub::DeviceScan::ExclusiveSum");
  const DeviceBuffer<char> scratch(static_cast<std::int64_t>(bytes) + 1, stream);
  check(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, in, out, count, stream), "cub::DeviceScan::ExclusiveSum");
}

namespace {

template <class Key>
Key* sort_by_bits(cudaStream_t stream, Key* keys, Key* other, std::int64_t count, int first_bit, int last_bit) {
  if (count == 0) return keys;
  cub::DoubleBuffer<Key> buffers(keys, other);
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, buffers, count, first_bit, last_bit, stream),
        "cub::DeviceRadixSort::SortKeys");
  const DeviceBuffer<char> scratch(static_cast<std::int64_t>(bytes) + 1, stream);
  check(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, buffers, count, first_bit, last_bit, stream),
        "cub::DeviceRadixSort::SortKeys");
  return buffers.Current();
}

}  // namespace

std::uint64_t* sort_keys(cudaStream_t stream, std::uint64_t* keys, std::uint64_t* other, std::int64_t count,
                         int first_bit, int last_bit) {
  return sort_by_bits(stream, keys, other, count, first_bit, last_bit);
}

std::uint32_t* sort_keys(cudaStream_t stream, std::uint32_t* keys, std::uint32_t* other, std::int64_t count) {
  return sort_by_bits(stream, keys, other, count, 0, 32);
}

}  // namespace reber::cuda
