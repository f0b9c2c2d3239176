// SPDX-License-Identifier: BSD-3-Clause
// What a live run keeps so that rows by hand can be done anew: the finder's own result.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/progress.hpp"
#include "core/run/live/live_run.hpp"

namespace reber {

/// Used by the live run's thread alone.
class HandDesk {
 public:
  /// made: without rows by hand;   of: what it was made of
  void keep(std::shared_ptr<const LiveResult> made, const Result& of);
  void forget();
  /// Null where nothing is kept.
  [[nodiscard]] const std::shared_ptr<const LiveResult>& finders() const { return finders_; }

  /// Adds the rows by hand, where any are asked for.   last: what was kept; its sources become those that stand, for
  /// maps;   made: a copy of finders()   throws DeviceError, Cancelled
  void add_rows(Result& last, std::span<const HandFit> fits, LiveResult& made, const Progress& progress) const;

 private:
  std::shared_ptr<const LiveResult> finders_;
  Shared<std::vector<Source>> sources_;
};

}  // namespace reber
