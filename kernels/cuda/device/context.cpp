// SPDX-License-Identifier: BSD-3-Clause
// The card's attributes, counted copies, timed and named operations.
#include "kernels/cuda/device/context.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "core/base/environment.hpp"
#include "core/base/trace.hpp"
#include "kernels/cuda/device/card_memory.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/device/small_copy.hpp"
#include "kernels/cuda/device/stop_flag.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kSmallBytes = 64 << 10;
/// A kernel brings so many bytes sooner than a copy engine.
constexpr std::int64_t kFewBytes = 2 << 10;

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// FP32 lanes of one multiprocessor.
int lanes_of(int major, int minor) {
  if (major == 8 && minor == 0) return 64;
  return major >= 8 ? 128 : 64;
}

DeviceInfo query(const BackendOptions& options) {
  const int device = options.driver_number();
  check(cudaSetDevice(device), "cudaSetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.device = device;
  info.number = options.device;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.l2_bytes = properties.l2CacheSize;
  info.shared_bytes = most_shared_bytes(device);
  info.shared_bytes_per_sm = std::min<std::int64_t>(static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor),
                                                    info.shared_bytes + 1024);
  info.total_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  const double clock_khz = attribute(cudaDevAttrClockRate, device);
  const double memory_khz = attribute(cudaDevAttrMemoryClockRate, device);
  const double bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
  info.fma_per_ms = clock_khz * info.multiprocessors * lanes_of(info.major, info.minor);
  info.memory_bytes_per_ms = 2 * memory_khz * bus_bits / 8;
  // A virtual card may hide its clocks; the costs then only keep their order.
  if (!(info.fma_per_ms > 0)) info.fma_per_ms = 1e10;
  if (!(info.memory_bytes_per_ms > 0)) info.memory_bytes_per_ms = 1e9;
  return info;
}

/// With REBER_CUDA_MEMORY=1 in the environment: the most that was in use.
void tell_memory(int device) noexcept {
  const char* const value = environment(Variable::cuda_memory);
  if (value == nullptr || std::strcmp(value, "1") != 0 || given_up()) return;
  try {
    std::fprintf(stderr, "card memory: %.1f MiB at most\n",
                 static_cast<double>(card_memory(device).totals().most_lent) / static_cast<double>(kMiB));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nothing to tell
  }
}

/// Of backgrounds that may be used again: little beside the planes.
std::int64_t kept_bytes(const BackendOptions& options) {
  constexpr std::int64_t kMost = 256 * kMiB, kPart = 64;
  return options.device_memory_bytes > 0 ? std::min(options.device_memory_bytes / kPart, kMost) : kMost;
}

}  // namespace

Context::Context(const BackendOptions& options)
    : background(kept_bytes(options)),
      device_(query(options)),
      memory_cap_(options.device_memory_bytes),
      threads_(options.threads) {
  card_memory(device_.device).set_limit(memory_cap_);
  watch_exit();
}

Context::~Context() {
  if (!given_up()) cudaSetDevice(device_.device);
  tell_memory(device_.device);
  background.forget();
  settle(stream_.get());
  settle(cudaStreamLegacy);  // what else of ours runs there: to free locked memory waits for all of it
}

Stager& Context::stager() {
  if (!stager_) stager_ = std::make_unique<Stager>(*this);
  return *stager_;
}

StopFlag& Context::stop_flag() {
  if (!stop_flag_) stop_flag_ = std::make_unique<StopFlag>();
  return *stop_flag_;
}

void Context::abandon() noexcept {
  settle(stream_.get());
  if (stager_) stager_->abandon();
}

void Context::use() const { check(cudaSetDevice(device_.device), "cudaSetDevice"); }

std::int64_t Context::usable_bytes() const {
  use();
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::int64_t idle = card_memory(device_.device).totals().idle;
  // The reserve covers cuFFT's code and twiddle tables, fragments and other processes' drift.
  const std::int64_t reserve = std::max<std::int64_t>(256 * kMiB, static_cast<std::int64_t>(total_bytes) / 32);
  std::int64_t usable = std::max<std::int64_t>(static_cast<std::int64_t>(free_bytes) + idle - reserve, kMiB);
  if (memory_cap_ > 0) usable = std::min(usable, memory_cap_);
  return usable;
}

void Context::up(void* device_memory, const void* host_memory, std::int64_t bytes, cudaStream_t stream) {
  // The runtime copies small blocks aside by itself before it returns.
  if (bytes > kSmallBytes) return stager().up_copy(stream, device_memory, host_memory, bytes);
  check(cudaMemcpyAsync(device_memory, host_memory, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync", bytes);
  counters.bytes_up += bytes;
}

void Context::down(void* host_memory, const void* device_memory, std::int64_t bytes, cudaStream_t stream) {
  if (bytes > kSmallBytes) {
    stager().down_copy(stream, device_memory, bytes, host_memory);
    stager().drain();
    return;
  }
  if (small_.size() == 0) small_ = PinnedBuffer<std::byte>(kSmallBytes);
  if (bytes <= kFewBytes) {
    copy_to_pinned(stream, device_memory, small_.data(), bytes);
  } else {
    check(
        cudaMemcpyAsync(small_.data(), device_memory, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync", bytes);
  }
  wait_for(stream);
  std::memcpy(host_memory, small_.data(), static_cast<std::size_t>(bytes));
  counters.bytes_down += bytes;
}

OpScope::OpScope(Context& context, const char* name, const Job& job)
    : watched_(context.device().device),
      context_((context.use(), context)),
      name_(name),
      job_(job),
      first_(true),
      last_(true) {
  context_.counters = {};
  first_.record(context_.stream());
  nvtxRangePushA(name);
  trace::begin("card", name_);
}

OpScope::~OpScope() {
  if (!finished_) context_.abandon();
  nvtxRangePop();
  trace::end();
}

void OpScope::finish() {
  last_.record(context_.stream());
  last_.wait();
  const double device_ms = Event::elapsed_ms(first_, last_);
  context_.counters.device_ms += device_ms;
  trace::add_card(name_, device_ms);
  finished_ = true;
  job_.count(context_.counters);
}

Range::Range(const char* name) {
  nvtxRangePushA(name);
  trace::begin("card", name);
}

Range::~Range() {
  trace::end();
  nvtxRangePop();
}

}  // namespace reber::cuda
