// SPDX-License-Identifier: BSD-3-Clause
// A card that hangs on purpose.
#pragma once

namespace reber::cuda {

/// Fills the current device with blocks that never end: nothing else runs there until the process has ended.
void get_stuck() noexcept;

}  // namespace reber::cuda
