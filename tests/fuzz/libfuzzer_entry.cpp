// SPDX-License-Identifier: BSD-3-Clause
// The function that libFuzzer calls, for the target that REBER_FUZZ_TARGET names.
#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  reber::fuzz::feed(reber::fuzz::REBER_FUZZ_TARGET, {data, size});
  return 0;
}
