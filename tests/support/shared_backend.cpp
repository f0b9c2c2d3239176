// SPDX-License-Identifier: BSD-3-Clause
// A handle that owns nothing.
#include "tests/support/shared_backend.hpp"

#include "tests/support/testing.hpp"

namespace reber::testing {

std::shared_ptr<Backend> shared_backend(const std::string& name) {
  return {std::shared_ptr<Backend>(), &backend(name)};
}

}  // namespace reber::testing
