// SPDX-License-Identifier: BSD-3-Clause
// Code of kernels that comes to the card before they are launched.
#pragma once

namespace reber::cuda {

/// Kernels that nearly every search launches, named once in the file that has them: a constant with static storage.
/// Each kernel's code goes to the card when it is first needed, a third of a millisecond for which a launch waits.
class EarlyCode {
 public:
  template <class... Kernels>
  explicit EarlyCode(Kernels*... kernels) {
    (add(reinterpret_cast<const void*>(kernels)), ...);
  }

 private:
  static void add(const void* kernel);
};

/// Brings the code of all of them to the card that is current. What fails here is told by their launches.
void bring_early_code() noexcept;

}  // namespace reber::cuda
