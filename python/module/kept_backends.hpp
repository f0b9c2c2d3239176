// SPDX-License-Identifier: BSD-3-Clause
// Backends that are kept from one call to the next.
#pragma once

#include <memory>
#include <string>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber::python {

/// As make_backend(); but a backend of a card that no run and no result holds any more is given again, with its stream,
/// pinned memory and tables. Others cost little to make and are not kept. From any thread.
///   throws as make_backend
[[nodiscard]] std::shared_ptr<Backend> kept_backend(const std::string& name, const BackendOptions& with);
/// After a failure of the card: this one is not given again.
void forget_backend(const std::shared_ptr<Backend>& backend);

}  // namespace reber::python
