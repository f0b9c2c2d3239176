// SPDX-License-Identifier: BSD-3-Clause
// Device calls that fail on purpose, so that tests see what a broken card does. Builds without REBER_TEST_HOOKS have
// with_planned_fault() and card_hangs() alone, by which nothing fails.
#pragma once

#include <cstdint>

namespace reber::cuda {

/// Call number `call` of those that check() sees (from 1, in this process) gives `code`, a cudaError_t; with `for_good`
/// all later ones do, as with a card that is lost. The call itself was made. 0: none fails.
struct PlannedFault {
  static constexpr int kHang = -1;   ///< in place of a code: from that call on no wait sees the card's work done
  static constexpr int kStuck = -2;  ///< the same by a kernel that never ends

  std::int64_t call = 0;
  int code = 0;
  bool for_good = false;
  int card = -1;  ///< the driver's number of the only card that fails, whose calls alone are counted; -1: any
};

/// Begins to count anew. A process begins with what REBER_CUDA_FAULT=CALL:CODE[:once][@CARD], CALL:hang or CALL:stuck
/// says.
void plan_fault(const PlannedFault& fault);
/// Calls that check() saw since then.
[[nodiscard]] std::int64_t checked_calls();

/// Counts the call, and gives the code that it is to have.
[[nodiscard]] int with_planned_fault(int code);
/// Whether the plan has the card hang by now, for queries.
[[nodiscard]] bool card_hangs();

/// Fills the current device with blocks that never end: nothing else runs there until the process has ended.
void get_stuck() noexcept;

}  // namespace reber::cuda
