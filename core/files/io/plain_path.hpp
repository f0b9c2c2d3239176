// SPDX-License-Identifier: BSD-3-Clause
// One spelling of a path.
#pragma once

#include <string>

namespace reber {

/// The absolute path without ".", "..", doubled and trailing slashes, by its letters alone: links are not followed. In
/// place of std::filesystem's lexically_normal(), which in libstdc++ 12 crashes where memory comes to an end.
///   throws std::filesystem::filesystem_error where the current folder is gone
[[nodiscard]] std::string plain_path(const std::string& path);

}  // namespace reber
