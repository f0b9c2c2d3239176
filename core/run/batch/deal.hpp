// SPDX-License-Identifier: BSD-3-Clause
// Images dealt to lanes that work side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace reber {

/// Work on image `index` of a list.
using Lane = std::function<void(std::int64_t index)>;

/// Gives each index of `images` to the next lane that is free, in order; returns when all are done. Each lane works on
/// a thread of its own, the first on the caller's. A lane that throws ends the dealing: images begun are ended, no
/// other is begun, and the first exception is thrown again here. Where the system gives no thread, the lanes there are
/// do all.   lanes: at least one
void deal(std::span<const std::int64_t> images, const std::vector<Lane>& lanes);

/// Divides `threads` among `lanes`: at least one each, the first ones get what is left over.
[[nodiscard]] std::vector<int> divide_threads(int threads, int lanes);

}  // namespace reber
