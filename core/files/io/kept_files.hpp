// SPDX-License-Identifier: BSD-3-Clause
// Files whose place no output may take: what a command reads.
#pragma once

#include <string>

namespace reber {

/// From here on no AtomicFile of this process takes the place of this file, whatever name it goes by. Nothing happens
/// where there is no such regular file.
void keep_file(const std::string& path);

/// Whether the path leads to a file that is kept.
[[nodiscard]] bool is_kept(const std::string& path);

}  // namespace reber
