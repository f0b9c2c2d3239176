// SPDX-License-Identifier: BSD-3-Clause
// Fits dealt to several backends.
#pragma once

#include "core/seam/compute/fit_engine.hpp"
#include "kernels/banded/members.hpp"

namespace reber::banded {

/// FitEngine::fit(): problems in order of their cost, a few for whichever member is free.
[[nodiscard]] FitResults fit(Members& members, const FitBatch& batch, const Job& job);

}  // namespace reber::banded
