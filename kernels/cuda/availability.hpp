// SPDX-License-Identifier: BSD-3-Clause
// Whether a card can be used, and what it is.
#pragma once

#include <string>
#include <vector>

#include "core/seam/compute/backend_options.hpp"

namespace reber::cuda {

/// Empty where a card is present and runs a probe kernel right; else the reason, with the driver's and the runtime's
/// versions and the error's name.
std::string unavailable(const BackendOptions& options);
/// Versions of runtime, driver and cuFFT and the cards found, one line each; for `reber --version`.
std::vector<std::string> describe();

}  // namespace reber::cuda
