// SPDX-License-Identifier: BSD-3-Clause
// What a backend solves beside its operations on planes: least-squares fits of batches of small problems.
#pragma once

#include "core/seam/compute/gaussian_fit.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// The fits of one backend, which owns it; called from the backend's thread.
class FitEngine {
 public:
  virtual ~FitEngine() = default;

  /// Solves every problem of the batch, by Levenberg-Marquardt with analytic derivatives, steps cut back to the bounds.
  /// With weights V^-1 and the Jacobian J, errors are those of this estimator under the noise R of `errors`:
  /// A^-1 (J^T V^-1 R V^-1 J) A^-1, A = J^T V^-1 J, which holds where V is not the noise's true covariance. A problem
  /// that has no answer says so in its outcome and disturbs no other.
  ///   throws InternalError where the batch's ranges do not fit its arrays; Cancelled; DeviceError
  [[nodiscard]] virtual FitResults fit(const FitBatch& batch, const Job& job = {}) = 0;
};

}  // namespace reber
