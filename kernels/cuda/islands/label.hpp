// SPDX-License-Identifier: BSD-3-Clause
// Islands: union-find of runs, numbers, and what is kept of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "core/seam/compute/detection.hpp"
#include "kernels/cuda/device/device_background.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/island_rules.hpp"

namespace reber::cuda {

/// Rows are cut into pieces of 1024 pixels, a word for each lane of a warp.
inline constexpr int kPieceWords = 32, kPiecePixels = kPieceWords * 32;
[[nodiscard]] constexpr std::int64_t pieces_of(std::int64_t nx) { return (nx + kPiecePixels - 1) / kPiecePixels; }

struct KeptPixels;

/// Where runs find their pixels: one run after the other, or (null) in the rows of the plane.
struct RunPixels {
  const float* pixels = nullptr;
  const std::uint32_t* begin = nullptr;  ///< of each run
};

/// Runs of accepted islands on the device.
class CudaIslands final : public IslandMap {
 public:
  CudaIslands(std::shared_ptr<Context> context, Shape shape, const DetectOptions& options)
      : context_(std::move(context)), shape_(shape), options_(options) {}
  ~CudaIslands() override { cudaSetDevice(context_->device().device); }
  CudaIslands(const CudaIslands&) = delete;
  CudaIslands& operator=(const CudaIslands&) = delete;

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t count() const override { return islands; }
  [[nodiscard]] const DetectOptions& options() const override { return options_; }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] const void* home() const { return context_.get(); }

 private:
  std::shared_ptr<Context> context_;
  Shape shape_;
  DetectOptions options_;

 public:
  std::int64_t islands = 0;
  std::int64_t run_count = 0;
  std::int64_t largest = 0;                 ///< pixels of the largest island
  DeviceBuffer<rules::Run> runs;            ///< in raster order; there may be room for more
  DeviceBuffer<std::uint32_t> labels;       ///< of each run, likewise
  DeviceBuffer<std::uint32_t> piece_begin;  ///< of each row its pieces, and one more: first run to start there
  std::shared_ptr<const KeptPixels> kept;   ///< left by labelling (kept_pixels.hpp); null where the plane is kept
  /// Place in piece_begin of a row's first run.
  [[nodiscard]] std::int64_t row(std::int64_t y) const { return y * pieces_of(shape_.nx); }
};

/// One bit per pixel; rows of `words` 32-bit words, bits beyond nx are 0.
struct BitMask {
  std::uint32_t* bits = nullptr;
  std::int64_t words = 0;
};

/// What label_runs() finds.
struct LabelTotals {
  /// Runs, and those that are set left of a piece, counted again: more than there was room for, and nothing else was
  /// done.
  unsigned long long places;
  unsigned long long largest;    ///< pixels of an island
  std::uint32_t islands, kept;   ///< kept: runs of islands
  std::uint32_t parts, padding;  ///< joined runs of a tile
};

/// Divides by a number that is known beforehand: a multiplication by 2^64 / value, rounded up, which is exact for 32
/// bits.
struct Divisor {
  std::uint32_t value = 1;
  std::uint64_t reciprocal = 0;  ///< 2^64 / value modulo 2^64, rounded up

  [[nodiscard]] static Divisor of(std::uint32_t value) {
    return {value, value > 1 ? ~std::uint64_t{0} / value + 1 : 0};
  }
#ifdef __CUDACC__
  [[nodiscard]] __device__ std::uint32_t quotient(std::uint32_t n) const {
    return value > 1 ? static_cast<std::uint32_t>(__umul64hi(reciprocal, n)) : n;
  }
#endif
};

/// Room that the phases of labelling share, uninitialised. Runs are numbered in raster order.
struct LabelWork {
  BitMask flood, seed;
  std::uint32_t ny = 0;
  Divisor pieces;  ///< of each row
  Divisor share;   ///< of the pieces of all rows, for each block
  bool diagonal = false;
  unsigned long long min_area = 0;
  std::uint32_t room = 0;               ///< for runs, and for parts
  std::uint32_t* sums = nullptr;        ///< kSumsOfBlocks
  std::uint32_t* first_run = nullptr;   ///< of each piece, and one more: the first run to start there
  std::uint32_t* joint = nullptr;       ///< of each piece: the part of its tile that the pixel left of the piece is in
  std::uint32_t* kept_begin = nullptr;  ///< first_run of the kept runs alone
  std::uint32_t* part = nullptr;        ///< of each run
  std::uint32_t* parent = nullptr;      ///< of each part; in the end the label of each, 0 where its island was not kept
  std::uint32_t* first_of = nullptr;    ///< of each part: its first run
  unsigned long long* area = nullptr;   ///< of each part
  // A bit per run, and for each word of them the bits of those before it: the first run of a kept island; any run of
  // one.
  std::uint32_t* heads = nullptr;
  std::uint32_t* heads_before = nullptr;
  std::uint32_t* kept = nullptr;
  std::uint32_t* kept_before = nullptr;
  LabelTotals* totals = nullptr;

  /// Pieces of all rows; an image of so many that they do not fit into 32 bits is of 2^42 pixels.
  [[nodiscard]] REBER_HD std::uint32_t count() const { return ny * pieces.value; }
#ifdef __CUDACC__
  /// Row and column, in pieces, of piece `at` of all rows.
  struct Place {
    std::uint32_t y, piece;
  };
  [[nodiscard]] __device__ Place place(std::uint32_t at) const {
    const std::uint32_t y = pieces.quotient(at);
    return {y, at - y * pieces.value};
  }
#endif
};

inline constexpr std::int64_t kSumsOfBlocks = 4 * 1024;

/// Joins the runs of the flood mask and numbers the islands that stand.
void label_runs(cudaStream_t stream, int multiprocessors, const LabelWork& work);
class Foretold;
/// label() of the backend. foretold: taken where these can be made of it, dropped where not; null: nothing was foretold
[[nodiscard]] std::unique_ptr<CudaIslands> find_islands(const CudaPlane& plane, const CudaBackground& background,
                                                        const DetectOptions& options,
                                                        std::unique_ptr<Foretold> foretold, const Job& job);
/// islands_of() of the backend.   count: of labels
[[nodiscard]] std::unique_ptr<CudaIslands> islands_of_runs(const std::shared_ptr<Context>& context,
                                                           const LabelRuns& runs, std::int64_t count,
                                                           const DetectOptions& options);
}  // namespace reber::cuda
