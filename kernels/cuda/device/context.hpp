// SPDX-License-Identifier: BSD-3-Clause
// What all operations on one card share: its attributes, the stream, the pinned staging ring, the counters.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/compute/backend.hpp"
#include "core/compute/backend_options.hpp"
#include "kernels/cuda/device/memo.hpp"
#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// Queried once, never assumed.
struct DeviceInfo {
  int device = 0;
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< most that one block may have
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t total_bytes = 0;
  double fma_per_ms = 0;           ///< float32, at the peak clock
  double memory_bytes_per_ms = 0;  ///< at the peak clock
};

class Stager;
class StopFlag;
struct UploadedBackground;

/// Shared by the backend and by every plane, plan and island map that it made, so that the stream outlives their
/// memory. Used by one thread at a time.
class Context {
 public:
  explicit Context(const BackendOptions& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] ThreadPool& threads() { return threads_; }
  [[nodiscard]] Stager& stager();
  [[nodiscard]] StopFlag& stop_flag();
  /// After a failure: waits for the card and drops rows on their way to the host.
  void abandon() noexcept;
  /// Memory that a plan may use: what is free or kept in the pool, less a reserve, below the user's cap.
  [[nodiscard]] std::int64_t usable_bytes() const;

  /// Makes the card current for the calling thread.
  void use() const;
  void wait() const { stream_.wait(); }

  /// Copies by way of pinned memory, checked and counted. The host memory may be released when up() returns; down()
  /// waits for the copy.
  void up(void* device_memory, const void* host_memory, std::int64_t bytes, cudaStream_t stream);
  void down(void* host_memory, const void* device_memory, std::int64_t bytes, cudaStream_t stream);

  OpCounters counters;  ///< of the operation under way
  Memo<UploadedBackground> background;

 private:
  DeviceInfo device_;
  std::int64_t memory_cap_ = 0;
  Stream stream_;
  ThreadPool threads_;
  PinnedBuffer<std::byte> small_;  ///< for copies of a few bytes, waited for
  std::unique_ptr<Stager> stager_;
  std::unique_ptr<StopFlag> stop_flag_;
};

/// Device memory with a copy of `values` in it.
template <class T>
DeviceBuffer<T> upload_vector(Context& context, const std::vector<T>& values, cudaStream_t stream) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()), stream);
  if (!values.empty()) context.up(buffer.data(), values.data(), buffer.bytes(), stream);
  return buffer;
}

/// One operation: an NVTX range, the card made current, and its cost, the time between two events among it, counted in
/// the job. One at a time.
class OpScope {
 public:
  OpScope(Context& context, const char* name, const Job& job);
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

  /// Waits for the stream and counts the time. Without it (an exception) the destructor drops copies under way.
  void finish();

 private:
  Context& context_;
  Job job_;
  Event first_, last_;
  bool finished_ = false;
};

/// An NVTX range for a stage inside an operation.
class Range {
 public:
  explicit Range(const char* name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

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
  /// it.
  void up_bytes(cudaStream_t stream, std::int64_t rows, std::int64_t row_bytes, const Filler& fill,
                const std::function<void(std::int64_t first_row, std::int64_t rows, const std::byte* device)>& then,
                const Job& job, const char* stage);
  /// Queues the copy of bytes to the device; host memory may be released when it returns.
  void up_copy(cudaStream_t stream, void* device, const void* host, std::int64_t bytes);
  /// Queues the copy of bytes into host memory, complete after drain().
  void down_copy(cudaStream_t stream, const void* device, std::int64_t bytes, void* host);
  /// Queues the copy of parts of `bytes` each that follow each other on the device, each into memory of its own,
  /// complete after drain().
  void down_parts(cudaStream_t stream, const void* device, std::int64_t bytes, std::span<void* const> hosts);
  /// Until every copy is done and every downloaded row is in its place.
  void drain();
  /// After a failure: waits, ignoring errors, and drops what was to be written to the host.
  void abandon() noexcept;

 private:
  struct Slot {
    PinnedBuffer<std::byte> memory;
    Event done;
    std::function<void()> finish;  ///< what the host does with the chunk once it is here
  };
  /// The next slot of the ring, free to be filled, with at least `bytes`.
  Slot& acquire(std::int64_t bytes);
  void settle(Slot& slot);

  Context& context_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
};

}  // namespace reber::cuda
