// SPDX-License-Identifier: BSD-3-Clause
// Copies between pageable host memory and the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <span>
#include <vector>

#include "core/seam/compute/job.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/shared/chunk_feed.hpp"

namespace reber::cuda {

class Context;

/// Moves rows between pageable host memory and the device through a ring of pinned chunks, so that the host's copies
/// (by several threads), the copy engines and the kernels overlap.
class Stager {
 public:
  explicit Stager(Context& context) : context_(context) {}

  /// A row of host memory, or null for a row filled with `fill`.
  using RowSource = std::function<const float*(std::int64_t row)>;
  /// Fills `out` with rows [first_row, first_row + rows); called from several threads.
  using Filler = std::function<void(std::int64_t first_row, std::int64_t rows, std::byte* out)>;

  /// Queues `rows` rows of nx floats onto the stream; the sources may be released when it returns.
  void up_rows(cudaStream_t stream, float* out, std::int64_t pitch, std::int64_t nx, std::int64_t rows, float fill,
               const RowSource& source);
  /// Queues the copy of rows into host memory, complete after drain().
  void down_rows(cudaStream_t stream, const float* in, std::int64_t pitch, std::int64_t nx, std::int64_t rows,
                 float* out);
  /// Queues `rows` rows of row_bytes each, made by `fill`, in chunks; after each chunk's copy `then` queues the work on
  /// it, on one of the threads that fill, one chunk at a time and in no certain order.
  void up_bytes(cudaStream_t stream, std::int64_t rows, std::int64_t row_bytes, const Filler& fill,
                const std::function<void(std::int64_t first_row, std::int64_t rows, const std::byte* device)>& then,
                const Job& job, const char* stage);
  /// Called before each chunk with the number of rows that went before; what it throws ends the copy.
  using Told = std::function<void(std::int64_t rows)>;
  /// The same into memory of the caller's, row after row.
  void up_made(cudaStream_t stream, std::byte* device, std::int64_t rows, std::int64_t row_bytes, const Filler& fill,
               const Told& told);
  /// Queues the copy of bytes to the device; host memory may be released when it returns.
  void up_copy(cudaStream_t stream, void* device, const void* host, std::int64_t bytes);
  /// Queues the copy of bytes into host memory, complete after drain().
  void down_copy(cudaStream_t stream, const void* device, std::int64_t bytes, void* host);
  /// Queues the copy of parts of `bytes` each that follow each other on the device, each into memory of its own,
  /// complete after drain().
  void down_parts(cudaStream_t stream, const void* device, std::int64_t bytes, std::span<void* const> hosts);
  /// Begins to lock the memory that copies of so many bytes take, beside what the caller does until it copies. Of a
  /// ring that is large enough: nothing.   returns whether it is the first
  bool make_ready(std::int64_t bytes);
  /// Until every copy is done and every downloaded row is in its place.
  void drain();
  /// After a failure: waits, ignoring errors, and drops what was to be written to the host.
  void abandon() noexcept;

 private:
  static constexpr std::int64_t kMostChunkBytes = std::int64_t{16} << 20;
  struct Slot {
    PinnedBuffer<std::byte> memory;
    std::future<PinnedBuffer<std::byte>> coming;  ///< memory that is being locked
    Event done;
    std::function<void()> finish;  ///< what the host does with the chunk once it is here
  };
  [[nodiscard]] std::int64_t rows_of_chunk(std::int64_t row_bytes) const;
  /// The next slot of the ring, free to be filled, with at least `bytes`.
  Slot& acquire(std::int64_t bytes);
  void settle(Slot& slot);
  static void take_coming(Slot& slot);
  /// The slot once it is free, with at least `bytes`.
  Slot& ready(Slot& slot, std::int64_t bytes);
  [[nodiscard]] FeedShape feed_shape(std::int64_t rows, std::int64_t row_bytes) const;
  /// Rows that `fill` makes, chunk by chunk of the ring; `send` gets a full one with its first row.
  void feed(const FeedShape& shape, const Filler& fill, const std::function<void(std::int64_t first, Slot&)>& send);
  /// Queues the copy of a slot's first bytes.
  void send(cudaStream_t stream, std::byte* device, std::int64_t bytes, const Slot& slot);

  Context& context_;
  std::vector<Slot> slots_;
  std::int64_t chunk_bytes_ = kMostChunkBytes;  ///< what a copy is made in pieces of
  std::size_t next_ = 0;
};

}  // namespace reber::cuda
