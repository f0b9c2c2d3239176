// SPDX-License-Identifier: BSD-3-Clause
// Folders that a process keeps to, where others choose its paths: the viewer served to browsers.
#pragma once

#include <string>
#include <vector>

namespace reber {

/// From here on ByteSource, AtomicFile and ImagePlane open files in these folders and below alone. A path counts by
/// where its links lead. Once, before threads start; without it every path is open.   throws InputError where one is no
/// folder
void fence_paths(const std::vector<std::string>& folders);

[[nodiscard]] bool within_fence(const std::string& path);
/// throws InputError where the path leads out of the fence
void check_fence(const std::string& path);

}  // namespace reber
