// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may ever have.
#pragma once

#include <cstdint>

namespace reber {

/// Bytes: the machine's memory, within the limits of the process (ulimit -v) and of its control group.
[[nodiscard]] std::int64_t host_memory_bytes();

}  // namespace reber
