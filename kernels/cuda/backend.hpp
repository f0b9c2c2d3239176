// SPDX-License-Identifier: BSD-3-Clause
// Entry of the CUDA backend for the table. No CUDA header: the table is host code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/backend_options.hpp"
#include "core/compute/machine_probe.hpp"

namespace reber::cuda {

/// Empty where a card is present and runs a probe kernel right; else the reason, with the driver's and the runtime's
/// versions and the error's name.
std::string unavailable(const BackendOptions& options);
std::unique_ptr<Backend> make(const BackendOptions& options);
std::unique_ptr<MachineProbe> make_probe(const BackendOptions& options);

/// Versions of runtime, driver and cuFFT and the cards found, one line each; for `reber --version`.
std::vector<std::string> describe();

}  // namespace reber::cuda
