// SPDX-License-Identifier: BSD-3-Clause
// Queries with a deadline, and the end of a process whose card hangs.
#include "kernels/cuda/device/waits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/base/environment.hpp"
#include "core/seam/compute/card_error.hpp"
#include "kernels/cuda/device/faults.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {
namespace {

std::atomic<bool> lost{false};
std::atomic<double> more_s{0};

/// The driver's clean-up at exit waits for the card as well. This handler comes before it, since it is added later.
void end_at_once(int status, void*) {
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

double allowed_wait_s() noexcept {
  constexpr double kDefault = 120;
  const char* const text = environment(Variable::cuda_timeout);
  if (text == nullptr) return kDefault + more_s;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  const double stated = end != text && *end == '\0' && value >= 0 ? value : kDefault;
  return stated > 0 ? stated + more_s : 0;
}

void give_up() noexcept {
  if (!lost.exchange(true)) ::on_exit(end_at_once, nullptr);
}

namespace {

/// cudaErrorNotReady: the card is given up.
template <class Query>
cudaError_t poll(const Query& query, const std::function<void()>& asked) {
  using Clock = std::chrono::steady_clock;
  // Sleeping would add its length to every short wait: only long ones are slept through.
  constexpr auto kShort = std::chrono::milliseconds(20);
  constexpr auto kNap = std::chrono::microseconds(50);
  const auto start = Clock::now();
  bool waited = false;
  while (!given_up()) {
    const cudaError_t code = card_hangs() ? cudaErrorNotReady : query();
    if (code != cudaErrorNotReady) {
      if (waited && code == cudaSuccess) (void)cudaGetLastError();  // an answer, but left behind as an error
      return code;
    }
    waited = true;
    call_came_back();
    if (asked) asked();
    const auto since = Clock::now() - start;
    if (since < kShort) {
      std::this_thread::yield();
      continue;
    }
    const double allowed = allowed_wait_s();
    if (allowed > 0 && std::chrono::duration<double>(since).count() > allowed) give_up();
    std::this_thread::sleep_for(kNap);
  }
  return cudaErrorNotReady;
}

template <class Query>
void wait(const Query& query, const std::function<void()>& asked, const char* call) {
  const cudaError_t code = poll(query, asked);
  if (code == cudaErrorNotReady)
    throw CardError(CardError::Kind::broken,
                    fmt::format("the card has not answered for {:g} s and is given up; REBER_CUDA_TIMEOUT=SECONDS in "
                                "the environment lets it take longer",
                                allowed_wait_s()));
  check(code, call);
}

}  // namespace

void wait_for(cudaEvent_t event, const std::function<void()>& asked) {
  wait([event] { return cudaEventQuery(event); }, asked, "cudaEventQuery");
}
void wait_for(cudaStream_t stream, const std::function<void()>& asked) {
  wait([stream] { return cudaStreamQuery(stream); }, asked, "cudaStreamQuery");
}

cudaError_t settle(cudaEvent_t event) noexcept {
  return poll([event] { return cudaEventQuery(event); }, {});
}
cudaError_t settle(cudaStream_t stream) noexcept {
  return poll([stream] { return cudaStreamQuery(stream); }, {});
}

bool given_up() noexcept { return lost; }
void take_back() noexcept { lost = false; }

LongWork::LongWork(double predicted_ms) : more_s_(10e-3 * predicted_ms) { more_s += more_s_; }
LongWork::~LongWork() { more_s -= more_s_; }

}  // namespace reber::cuda
