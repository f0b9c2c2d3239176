// SPDX-License-Identifier: BSD-3-Clause
// The tree's path is compiled in here alone: objects of tests are the same in every checkout, and a cache shares them.
#include "tests/support/source_file.hpp"

#include <cstdlib>

namespace reber::testing {

std::string source_file(const std::string& path) {
  const char* given = std::getenv("REBER_SOURCE_DIR");
  return std::string(given != nullptr ? given : REBER_SOURCE_DIR) + "/" + path;
}

}  // namespace reber::testing
