// SPDX-License-Identifier: BSD-3-Clause
// The backend of a process that shares its images with others.
#pragma once

#include <memory>
#include <string>

#include "core/base/exchange.hpp"
#include "core/base/log.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber {

/// A backend of that name whose cells, labels and fits are made in parts, one per process of `others`, and known to all
/// of them after it: the bits that one process alone gives. All processes must call the same operations in the same
/// order, on backends of one name.   throws as make_backend()
[[nodiscard]] std::unique_ptr<Backend> make_shared_backend(const std::string& name, const BackendOptions& options,
                                                           std::shared_ptr<Exchange> others, const LogSink& log);

}  // namespace reber
