// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the problems of a batch, and the check that a batch holds together.
#pragma once

#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// Parameters that are free in a problem.
int parameters_of(const FitBatch& batch, const FitProblem& problem);

/// throws InternalError where a problem reaches beyond the batch's arrays, which must be of equal lengths
void check_batch(const FitBatch& batch);

}  // namespace reber
