// SPDX-License-Identifier: BSD-3-Clause
// The backends at hand, for those who share them.
#pragma once

#include <memory>
#include <string>

#include "core/seam/compute/backend.hpp"

namespace reber::testing {

/// backend(name), which lives until the process ends.
std::shared_ptr<Backend> shared_backend(const std::string& name);

}  // namespace reber::testing
