// SPDX-License-Identifier: BSD-3-Clause
// Progress of long work, and the one way to stop it.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace reber {

/// Reports how far a stage is and throws Cancelled when the stop flag is up. Safe to call from several threads
/// as far as the given function is. A default-made Progress reports nowhere and never stops.
class Progress {
 public:
  /// stage: what is being done, in the user's words; fraction: 0 to 1.
  using Function = std::function<void(const std::string& stage, double fraction)>;

  Progress() = default;
  Progress(Function function, const std::atomic<bool>* stop) : function_(std::move(function)), stop_(stop) {}

  void report(const std::string& stage, double fraction) const {
    check();
    if (function_) function_(stage, fraction);
  }

  /// throws Cancelled
  void check() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Cancelled();
  }

 private:
  Function function_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace reber
