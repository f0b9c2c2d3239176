// SPDX-License-Identifier: BSD-3-Clause
// One flag per process, as there is one set of signal handlers.
#include "core/files/io/interrupted.hpp"

#include "core/base/error.hpp"

namespace reber {
namespace {

std::atomic<const std::atomic<bool>*> stop_flag{nullptr};

}  // namespace

void stop_interrupted_calls_by(const std::atomic<bool>& flag) { stop_flag.store(&flag); }

void check_interrupted() {
  const std::atomic<bool>* const flag = stop_flag.load(std::memory_order_relaxed);
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Cancelled();
}

}  // namespace reber
