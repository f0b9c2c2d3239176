// SPDX-License-Identifier: BSD-3-Clause
// Whose process numbers these are.
#pragma once

#include <string>

namespace reber {

/// Tells process numbers of this machine, or container, from those of others that share a folder with it; empty where
/// the system does not say.
[[nodiscard]] std::string process_space();

}  // namespace reber
