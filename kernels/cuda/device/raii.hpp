// SPDX-License-Identifier: BSD-3-Clause
// Owners of CUDA handles and memory, views of device memory, and the one place where CUDA calls are checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

namespace reber::cuda {

/// Throws DeviceError with the call, the code's name, the device and the bytes asked for, and clears the error where
/// CUDA lets it be cleared.
void check(cudaError_t code, const char* call, std::int64_t bytes = 0, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

/// To stand right after a launch. With REBER_CUDA_SYNC=1 in the environment it waits for the kernel, so that a fault is
/// reported with the kernel's own name.
void check_launch(const char* kernel, cudaStream_t stream, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE());

/// Memory of the current device, whose use is ordered on the stream: what is behind DeviceBuffer.   throws CardError
void* allocate_on(cudaStream_t stream, std::int64_t bytes);
void release_on(cudaStream_t stream, void* memory) noexcept;

/// To be called before a stream is destroyed: waits for its work where memory is kept for it, and keeps that for all.
void release_stream(cudaStream_t stream) noexcept;

/// Owns uninitialised device memory. Allocation and release are ordered on the stream given, which must outlive the
/// buffer; another stream may use it only after it has waited for that one. Size 0 is legal and holds null.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::int64_t count, cudaStream_t stream) : stream_(stream), size_(count) {
    if (count > 0) memory_ = static_cast<T*>(allocate_on(stream, count * static_cast<std::int64_t>(sizeof(T))));
  }
  ~DeviceBuffer() { release_on(stream_, memory_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : stream_(other.stream_), memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] T* data() const { return memory_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

 private:
  cudaStream_t stream_ = nullptr;
  T* memory_ = nullptr;
  std::int64_t size_ = 0;
};

struct PinnedMemory {
  void* at = nullptr;
  bool registered = false;  ///< the host's own memory, locked; else it came from the driver
};
PinnedMemory allocate_pinned(std::int64_t bytes);
void release_pinned(PinnedMemory memory) noexcept;

/// Owns page-locked host memory, which the copy engines reach without a detour.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::int64_t count)
      : memory_(allocate_pinned(count * static_cast<std::int64_t>(sizeof(T)))), size_(count) {}
  ~PinnedBuffer() { release_pinned(memory_); }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : memory_(std::exchange(other.memory_, {})), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.at); }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  PinnedMemory memory_;
  std::int64_t size_ = 0;
};

/// Owns a stream that does not wait for the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  [[nodiscard]] cudaStream_t get() const { return handle_; }
  void wait() const;  ///< until all work on it is done

 private:
  cudaStream_t handle_ = nullptr;
};

/// Owns an event. Only a timed one can be given to elapsed_ms().
class Event {
 public:
  explicit Event(bool timed = false);
  ~Event();
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  [[nodiscard]] cudaEvent_t get() const { return handle_; }
  void record(cudaStream_t stream) const;
  void wait() const;  ///< the host waits; returns at once where nothing was recorded
  [[nodiscard]] static double elapsed_ms(const Event& first, const Event& last);

 private:
  cudaEvent_t handle_ = nullptr;
};

}  // namespace reber::cuda
