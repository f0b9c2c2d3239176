// SPDX-License-Identifier: BSD-3-Clause
// The pixels of islands alone, kept from the walk that labels a plane which is nowhere kept itself.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Pixels of a map's runs, one run after the other.
struct KeptPixels {
  std::weak_ptr<RowMaker> of;  ///< the plane's
  DeviceBuffer<float> pixels;
  DeviceBuffer<std::uint32_t> begin;  ///< of each run in `pixels`

  [[nodiscard]] RunPixels view() const { return {pixels.data(), begin.data()}; }
};
/// Those that the islands have of this plane; null where they have none, and the plane must be walked over.
[[nodiscard]] const KeptPixels* kept_pixels(const CudaIslands& islands, const CudaPlane& plane);

/// Pixels above the flood threshold as they pass: of each piece of a row together, pieces in any order.
struct FloodList {
  float* pixels = nullptr;
  unsigned long long room = 0;
  unsigned long long* total = nullptr;  ///< pixels that came by; more than `room`: some are missing
  std::uint32_t* begin = nullptr;       ///< of each piece that has any, in `pixels`: its last ones, if it came twice
  std::int64_t pieces = 0;              ///< of a row
};
/// window: its columns begin with piece `first_piece` of a row
void list_flood(cudaStream_t stream, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                std::int64_t first_piece, const BitMask& flood, const FloodList& list);
/// The pixels of each run out of the list. begin: of each run in `pixels`.
void lengths_of_runs(cudaStream_t stream, const CudaIslands& islands, std::uint32_t* lengths);
void pick_runs(cudaStream_t stream, const CudaIslands& islands, const BitMask& flood, const FloodList& list,
               const std::uint32_t* begin, float* pixels);

/// Keeps pixels while a plane is labelled. Of planes that are kept themselves, and where they would be more than one in
/// kPixelsAKept of the image, nothing.
class PixelKeeper {
 public:
  static constexpr std::int64_t kPixelsAKept = 128;

  explicit PixelKeeper(const CudaPlane& plane);
  /// first_piece: that the window's columns begin with
  void take(const Band& band, const RowWindow& window, const BitMask& flood, std::int64_t first_piece) const;
  /// Those of the islands found; null where not all were taken.
  [[nodiscard]] std::shared_ptr<const KeptPixels> give(const CudaIslands& islands, const BitMask& flood) const;

 private:
  std::weak_ptr<RowMaker> of_;
  DeviceBuffer<float> pixels_;
  DeviceBuffer<unsigned long long> total_;
  DeviceBuffer<std::uint32_t> begin_;
  FloodList list_;
};

}  // namespace reber::cuda
