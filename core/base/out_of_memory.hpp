// SPDX-License-Identifier: BSD-3-Clause
// Libraries that end the program where an allocation fails.
#pragma once

namespace reber {

/// As long as one lives, abort() on its thread means that memory is not there: FFTW answers a lost allocation so. The
/// programs then end with exit code 4.
class AbortMeansNoMemory {
 public:
  AbortMeansNoMemory() { depth = depth + 1; }
  ~AbortMeansNoMemory() { depth = depth - 1; }
  AbortMeansNoMemory(const AbortMeansNoMemory&) = delete;
  AbortMeansNoMemory& operator=(const AbortMeansNoMemory&) = delete;

  /// For a signal handler.
  [[nodiscard]] static bool here() { return depth > 0; }

 private:
  static inline thread_local volatile int depth = 0;
};

}  // namespace reber
