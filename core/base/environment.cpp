// SPDX-License-Identifier: BSD-3-Clause
// The names, in the order of the enum.
#include "core/base/environment.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace reber {
namespace {

constexpr auto kNames = std::to_array<const char*>({
    "REBER_CUDA_TIMEOUT",
    "REBER_CUDA_SYNC",
    "REBER_CUDA_MEMORY",
    "REBER_CARD_LOST",
    "REBER_VIEW_ANEW",
#ifdef REBER_TEST_HOOKS
    "REBER_CUDA_FAULT",
    "REBER_CUDA_FITS",
    "REBER_CUDA_SHARED",
    "REBER_CUDA_BUFFERS",
    "REBER_CPU_VECTORS",
    "REBER_HOST_BANDS",
    "REBER_CPU_PARTS",
    "REBER_WRITE_PICTURES",
#endif
});

}  // namespace

const char* name_of(Variable variable) noexcept {
  const auto at = static_cast<std::size_t>(variable);
  return at < kNames.size() ? kNames[at] : nullptr;
}

const char* environment(Variable variable) noexcept {
  const char* const name = name_of(variable);
  return name != nullptr ? std::getenv(name) : nullptr;
}

}  // namespace reber
