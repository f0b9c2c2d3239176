// SPDX-License-Identifier: BSD-3-Clause
// The wish to stop, as seen by those who work.
#pragma once

#include <atomic>

#include "core/base/error.hpp"

namespace reber {

/// Tells whether the owner of a flag wants work to stop. Copies are cheap; the flag must outlive them all. Safe to ask
/// from any thread. A default-made token never stops.
class StopToken {
 public:
  StopToken() = default;
  /// flag: true asks to stop; null never does.
  StopToken(const std::atomic<bool>* flag) : flag_(flag) {}

  /// For a Progress, which asks the flag.
  operator const std::atomic<bool>*() const { return flag_; }

  [[nodiscard]] bool requested() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  /// throws Cancelled
  void check() const {
    if (requested()) throw Cancelled();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace reber
