// SPDX-License-Identifier: BSD-3-Clause
// Entry of the CUDA backend for the table. No CUDA header: the table is host code.
#pragma once

#include <memory>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "kernels/shared/fit_split.hpp"

namespace reber::cuda {

/// host_fits: who solves the fits that a card is slow at; null where there is nobody
std::unique_ptr<Backend> make(const BackendOptions& options, HostFits host_fits);

}  // namespace reber::cuda
