// SPDX-License-Identifier: BSD-3-Clause
// The thread that looks, its slots of calls under way, and what it asks a silent card.
#include "kernels/cuda/device/watch.hpp"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>

#include "core/base/threads.hpp"
#include "core/seam/compute/lost_card.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {
namespace {

using Clock = std::chrono::steady_clock;

struct CallSlot {
  std::atomic<const char*> name{nullptr};
  std::atomic<Clock::rep> since{0};
};

// More threads than this do not lock memory at once. All of it outlives every thread: nothing here has a destructor.
std::array<CallSlot, 32> slots;
std::atomic<std::int64_t> came_back{0};
std::atomic<int> under_way{0};
std::atomic<int> last_device{0};

double seconds_since(Clock::rep then) {
  return std::chrono::duration<double>(Clock::duration(Clock::now().time_since_epoch().count() - then)).count();
}

void nap(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// The call that has lasted longer than allowed, or null.
const char* overdue_call(double allowed) {
  for (CallSlot& slot : slots) {
    const char* const name = slot.name.load();
    const Clock::rep since = slot.since.load();
    if (name != nullptr && since != 0 && seconds_since(since) > allowed) return name;
  }
  return nullptr;
}

/// Fills a few bytes of the device on a stream of its own. Whatever a call says, even a failure, is an answer.
void ask_device(int device) noexcept {
  constexpr std::int64_t kFew = 64;
  try {
    check(cudaSetDevice(device), "cudaSetDevice");
    const Stream stream;
    void* const memory = allocate_on(stream.get(), kFew);
    (void)cudaMemsetAsync(memory, 0, kFew, stream.get());
    release_on(stream.get(), memory);
    while (cudaStreamQuery(stream.get()) == cudaErrorNotReady) nap(1e-3);
  } catch (const std::exception&) {
  }
}

/// Whether the device answers within so many seconds. The thread that asks may be kept for ever: it is let go.
bool answers(int device, double allowed) {
  const auto answered = std::make_shared<std::atomic<bool>>(false);
  std::thread asking = start_thread([device, answered] {
    ask_device(device);
    *answered = true;
  });
  if (!asking.joinable()) return true;  // nobody can ask: it is not accused
  asking.detach();
  const Clock::time_point start = Clock::now();
  while (!*answered && std::chrono::duration<double>(Clock::now() - start).count() < allowed) nap(1e-2);
  return *answered;
}

void lose(const char* call, double allowed) {
  std::array<char, 256> words{};
  std::snprintf(words.data(), words.size(),
                "the card's driver has not come back from %s for %g s and the card is given up; "
                "REBER_CUDA_TIMEOUT=SECONDS in the environment lets it take longer",
                call, allowed);
  give_up();
  lose_card(words.data());
}

void look() {
  constexpr double kSmallestNap = 0.02, kLargestNap = 1;
  std::int64_t seen = -1;
  Clock::rep since = 0;
  while (!given_up()) {
    const double allowed = allowed_wait_s();
    nap(allowed > 0 ? std::clamp(allowed / 8, kSmallestNap, kLargestNap) : kLargestNap);
    if (!(allowed > 0)) continue;
    if (const char* const call = overdue_call(allowed)) return lose(call, allowed);
    if (const std::int64_t now = came_back; now != seen || under_way == 0) {
      seen = now;
      since = Clock::now().time_since_epoch().count();
    } else if (seconds_since(since) > allowed) {
      if (!answers(last_device, allowed)) return lose("a call", 2 * allowed);
      since = Clock::now().time_since_epoch().count();
    }
  }
}

/// One for the process, begun where it is first needed; begun anew after a test took a lost card back.
void be_watched() noexcept {
  static std::atomic<bool> looking{false};
  if (looking.exchange(true)) return;
  std::thread thread = start_thread([] {
    look();
    looking = false;
  });
  if (thread.joinable()) {
    thread.detach();
  } else {
    looking = false;
  }
}

void end_in_time(int status, void*) {
  static std::atomic<int> code{0};
  code = status;
  std::fflush(nullptr);
  std::thread thread = start_thread([] {
    const double allowed = allowed_wait_s();
    if (!(allowed > 0)) return;
    nap(allowed);
    ::_exit(code);
  });
  if (thread.joinable()) thread.detach();
}

}  // namespace

DriverCall::DriverCall(const char* name) noexcept {
  be_watched();
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    CallSlot& slot = slots.at(static_cast<std::size_t>(i));
    const char* free = nullptr;
    if (!slot.name.compare_exchange_strong(free, name)) continue;
    slot.since = Clock::now().time_since_epoch().count();
    slot_ = i;
    return;
  }
}

DriverCall::~DriverCall() {
  if (slot_ < 0) return;
  CallSlot& slot = slots.at(static_cast<std::size_t>(slot_));
  slot.since = 0;  // before the name: a slot with a name and no time is nobody's yet
  slot.name = nullptr;
  call_came_back();
}

WatchedOperation::WatchedOperation(int device) noexcept {
  be_watched();
  last_device = device;
  call_came_back();
  ++under_way;
}

WatchedOperation::~WatchedOperation() { --under_way; }

void call_came_back() noexcept { ++came_back; }

void watch_exit() noexcept {
  static const int added = ::on_exit(end_in_time, nullptr);
  (void)added;
}

}  // namespace reber::cuda
