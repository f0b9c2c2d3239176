// SPDX-License-Identifier: BSD-3-Clause
// Where tests find the files of the source tree that they read.
#pragma once

#include <string>

namespace reber::testing {

/// The path of a file of the source tree. The environment's REBER_SOURCE_DIR names the tree on machines that only run
/// the programs; elsewhere it is the tree that they were built from.
[[nodiscard]] std::string source_file(const std::string& path);

}  // namespace reber::testing
