// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the card, though not for ever: a card that hangs is given up.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace reber::cuda {

/// Waits by query until the card has done what lies before the event, or on the stream. Long waits sleep in between.
///   asked  called between queries; what it throws ends the wait
///   throws CardError for a call that failed; also where the card has not answered for the time of
///   REBER_CUDA_TIMEOUT (seconds; 120 without it, 0: for ever) and of LongWork, which gives it up
void wait_for(cudaEvent_t event, const std::function<void()>& asked = {});
void wait_for(cudaStream_t stream, const std::function<void()>& asked = {});

/// The same after a failure and in destructors, where nothing may be thrown: the code, cudaErrorNotReady for a card
/// that is given up.
cudaError_t settle(cudaEvent_t event) noexcept;
cudaError_t settle(cudaStream_t stream) noexcept;

/// Whether a wait of this process gave the card up. It is then asked for nothing more, not even to free memory, which
/// would wait for it: what it holds goes with the process, which ends past the driver's own clean-up.
[[nodiscard]] bool given_up() noexcept;
void give_up() noexcept;
/// Forgets it: for tests, whose card only seemed to hang.
void take_back() noexcept;

/// Seconds that a wait may take now: of REBER_CUDA_TIMEOUT and of LongWork; 0: for ever. Read anew at each call, so
/// that a test may set it after other tests have waited.
[[nodiscard]] double allowed_wait_s() noexcept;

/// While it lives, waits are longer by ten times this: of work that may well take minutes.
class LongWork {
 public:
  explicit LongWork(double predicted_ms);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  double more_s_;
};

}  // namespace reber::cuda
