// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may ever have, and how much it can have now.
#pragma once

#include <cstdint>

namespace reber {

/// Bytes: the machine's memory, within the limits of the process (ulimit -v) and of its control group.
[[nodiscard]] std::int64_t host_memory_bytes();

/// Of these, bytes that can be had now: what the system can free of caches counts.
[[nodiscard]] std::int64_t free_memory_bytes();

}  // namespace reber
