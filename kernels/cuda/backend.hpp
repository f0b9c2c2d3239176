// SPDX-License-Identifier: BSD-3-Clause
// Entry of the CUDA backend for the table. No CUDA header: the table is host code.
#pragma once

#include <memory>

#include "core/compute/backend.hpp"
#include "core/compute/backend_options.hpp"

namespace reber::cuda {

std::unique_ptr<Backend> make(const BackendOptions& options);

}  // namespace reber::cuda
