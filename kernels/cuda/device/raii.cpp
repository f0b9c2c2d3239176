// SPDX-License-Identifier: BSD-3-Clause
// Checked CUDA calls and the handles' constructors and destructors.
#include "kernels/cuda/device/raii.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "core/base/environment.hpp"
#include "core/base/threads.hpp"
#include "core/seam/compute/card_error.hpp"
#include "kernels/cuda/device/faults.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {
namespace {

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

std::string where(const char* file, int line) {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) device = -1;
  return fmt::format("device {}, {}:{}", device, base_name(file), line);
}

bool launches_wait() {
  static const bool wait = [] {
    const char* value = environment(Variable::cuda_sync);
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
  }();
  return wait;
}

/// Has the system give the pages, to a few threads at once: zeroing them is most of what locking takes.
void touch_pages(char* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096, kShares = 4;
  std::array<std::thread, kShares> threads;
  for (std::size_t share = 0; share < kShares; ++share) {
    const auto touch = [memory, begin = bytes * share / kShares, end = bytes * (share + 1) / kShares] {
      for (std::size_t at = begin; at < end; at += kPage) *static_cast<volatile char*>(memory + at) = 0;
    };
    threads[share] = start_thread(touch);
    if (!threads[share].joinable()) touch();
  }
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
}

}  // namespace

void check(cudaError_t code, const char* call, std::int64_t bytes, const char* file, int line) {
  call_came_back();
  code = static_cast<cudaError_t>(with_planned_fault(code));
  if (given_up()) throw CardError(CardError::Kind::broken, fmt::format("{}: the card was given up before", call));
  if (code == cudaSuccess) return;
  cudaGetLastError();
  std::string text = fmt::format("{} failed with {} ({})", call, cudaGetErrorName(code), cudaGetErrorString(code));
  if (bytes > 0) text += fmt::format(" for {} bytes", bytes);
  text += "; " + where(file, line);
  if (code == cudaErrorMemoryAllocation) {
    std::size_t free_bytes = 0, total_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
      text += fmt::format("; {} of {} bytes are free", free_bytes, total_bytes);
    text += "; allow less device memory, so that the image is streamed, or free memory on the device";
  }
  throw CardError(code == cudaErrorMemoryAllocation ? CardError::Kind::memory : CardError::Kind::broken, text);
}

void check_launch(const char* kernel, cudaStream_t stream, const char* file, int line) {
  check(cudaGetLastError(), kernel, 0, file, line);
  if (launches_wait()) check(settle(stream), kernel, 0, file, line);
}

PinnedMemory allocate_pinned(std::int64_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const auto size = static_cast<std::size_t>(bytes);
  void* memory = nullptr;
  if (size >= kHugePage) {
    // Huge pages are locked ten times as fast as the 4 KB pages of cudaMallocHost: 128 MiB in 6 ms, not 57 (H200 host).
    const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage;
    memory = std::aligned_alloc(kHugePage, whole);
    if (memory != nullptr) {
      ::madvise(memory, whole, MADV_HUGEPAGE);
      touch_pages(static_cast<char*>(memory), whole);
      const DriverCall watched("cudaHostRegister");
      if (cudaHostRegister(memory, whole, cudaHostRegisterDefault) == cudaSuccess) return {memory, true};
      (void)cudaGetLastError();
      std::free(memory);
    }
  }
  const DriverCall watched("cudaMallocHost");
  check(cudaMallocHost(&memory, size), "cudaMallocHost", bytes);
  return {memory, false};
}

void release_pinned(PinnedMemory memory) noexcept {
  if (memory.at == nullptr || given_up()) return;
  const DriverCall watched(memory.registered ? "cudaHostUnregister" : "cudaFreeHost");
  if (!memory.registered) {
    cudaFreeHost(memory.at);
    return;
  }
  cudaHostUnregister(memory.at);
  std::free(memory.at);
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
Stream::~Stream() {
  if (handle_ == nullptr || given_up()) return;
  release_stream(handle_);
  cudaStreamDestroy(handle_);
}
void Stream::wait() const { wait_for(handle_); }

Event::Event(bool timed) {
  check(cudaEventCreateWithFlags(&handle_, timed ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
}
Event::~Event() {
  if (handle_ != nullptr && !given_up()) cudaEventDestroy(handle_);
}
void Event::record(cudaStream_t stream) const { check(cudaEventRecord(handle_, stream), "cudaEventRecord"); }
void Event::wait() const { wait_for(handle_); }
double Event::elapsed_ms(const Event& first, const Event& last) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, first.get(), last.get()), "cudaEventElapsedTime");
  return ms;
}

}  // namespace reber::cuda
