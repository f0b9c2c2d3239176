// SPDX-License-Identifier: BSD-3-Clause
// The counter, and the plan from the environment; in packages neither is there.
#include "kernels/cuda/device/faults.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/environment.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {

#ifdef REBER_TEST_HOOKS
namespace {

/// Calls come from several threads; a plan is changed only while there are none.
struct Counter {
  PlannedFault plan = from_environment();
  std::atomic<std::int64_t> calls{0};

 private:
  static PlannedFault from_environment() {
    const char* const text = environment(Variable::cuda_fault);
    long long call = 0;
    int code = 0;
    if (text == nullptr || std::sscanf(text, "%lld:", &call) != 1) return {};
    if (std::strstr(text, ":hang") != nullptr) return {call, PlannedFault::kHang, true};
    if (std::strstr(text, ":stuck") != nullptr) return {call, PlannedFault::kStuck, false};
    if (std::sscanf(text, "%lld:%d", &call, &code) != 2) return {};
    const char* const card = std::strchr(text, '@');
    return {call, code, std::strstr(text, ":once") == nullptr, card != nullptr ? std::atoi(card + 1) : -1};
  }
};

Counter& counter() {
  static Counter one;
  return one;
}

}  // namespace

void plan_fault(const PlannedFault& fault) {
  counter().plan = fault;
  counter().calls = 0;
  take_back();
}

std::int64_t checked_calls() { return counter().calls; }

int with_planned_fault(int code) {
  Counter& now = counter();
  int card = -1;
  if (now.plan.card >= 0 && (cudaGetDevice(&card) != cudaSuccess || card != now.plan.card)) return code;
  const std::int64_t call = ++now.calls;
  const PlannedFault& plan = now.plan;
  const bool fails = plan.call > 0 && (plan.for_good ? call >= plan.call : call == plan.call);
  if (fails && plan.code == PlannedFault::kStuck) get_stuck();
  return fails && plan.code > 0 ? plan.code : code;
}

bool card_hangs() {
  const Counter& now = counter();
  return now.plan.code == PlannedFault::kHang && now.plan.call > 0 && now.calls >= now.plan.call;
}

#else

int with_planned_fault(int code) { return code; }
bool card_hangs() { return false; }

#endif

}  // namespace reber::cuda
