// SPDX-License-Identifier: BSD-3-Clause
// Entry of the probe of the host for the table of backends.
#pragma once

#include <memory>

#include "core/seam/compute/backend_options.hpp"
#include "core/seam/compute/machine_probe.hpp"

namespace reber::cpu {

std::unique_ptr<MachineProbe> make_probe(const BackendOptions& options);

}  // namespace reber::cpu
