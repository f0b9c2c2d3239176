// SPDX-License-Identifier: BSD-3-Clause
// A backend against another library, on the operations that both have.
#pragma once

#include "core/studies/judge.hpp"
#include "core/studies/verification.hpp"

namespace reber {

/// Convolutions by every algorithm that can do the request's kernel (two Gaussians where it has none), labels and the
/// islands' areas, and what is done with masks, made of these islands. The judge computes in double; where pixels are
/// blank it convolves pixels and their validity, whose quotient is taken here.
[[nodiscard]] VerificationReport judge(const Request& request, Backend& tested, const Judge& library,
                                       const Progress& progress);

}  // namespace reber
