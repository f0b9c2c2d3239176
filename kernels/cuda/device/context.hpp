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
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "kernels/cuda/device/memo.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/stager.hpp"
#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {

/// Queried once, never assumed.
struct DeviceInfo {
  int device = 0;  ///< the driver's number
  int number = 0;  ///< the user's, which counts cards that the driver was told not to show
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
  /// Memory that a plan may use: what is free or kept for later, less a reserve, below the user's cap.
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
  WatchedOperation watched_;
  Context& context_;
  const char* name_;
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

}  // namespace reber::cuda
