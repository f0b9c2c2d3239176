// SPDX-License-Identifier: BSD-3-Clause
// Calls of the driver that do not return, which no wait by query can notice: a thread of its own looks.
#pragma once

namespace reber::cuda {

/// Around a call that waits for the card by itself (page-locking and its end, memory without a pool): one that lasts
/// longer than REBER_CUDA_TIMEOUT allows loses the card (core/seam/compute/lost_card.hpp).
class DriverCall {
 public:
  explicit DriverCall(const char* name) noexcept;  ///< a literal
  ~DriverCall();
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  int slot_ = -1;  ///< none was free: this call is not watched
};

/// An operation on a card. Where no call of any operation comes back for as long, the card is asked to fill a few bytes
/// on a stream of its own, and is lost if it does not: so a launch that blocks is told from a disk that is slow.
class WatchedOperation {
 public:
  explicit WatchedOperation(int device) noexcept;
  ~WatchedOperation();
  WatchedOperation(const WatchedOperation&) = delete;
  WatchedOperation& operator=(const WatchedOperation&) = delete;
};

/// A call, or a query, came back.
void call_came_back() noexcept;

/// Lets the process end where the driver's clean-up at exit waits for a card that does not answer: after as long, with
/// the exit code that it was to have. Called once the driver is up.
void watch_exit() noexcept;

}  // namespace reber::cuda
