// SPDX-License-Identifier: BSD-3-Clause
// Entry of the cpu backend for the table.
#pragma once

#include <memory>
#include <string>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber::cpu {

std::string unavailable(const BackendOptions& options);
std::unique_ptr<Backend> make(const BackendOptions& options);

}  // namespace reber::cpu
