// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits, one problem after the other.
#pragma once

#include "core/seam/compute/fit_engine.hpp"

namespace reber::reference {

/// FitEngine::fit().
FitResults fit(const FitBatch& batch, const Job& job);

}  // namespace reber::reference
