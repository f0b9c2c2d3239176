// SPDX-License-Identifier: BSD-3-Clause
// The files that a run leaves: catalogues, maps, picture.
#pragma once

#include <string>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/job.hpp"
#include "core/pipeline/pipeline.hpp"
#include "core/pipeline/request.hpp"

namespace reber {

/// Whether the request names any file.
[[nodiscard]] bool any_product(const OutputRequest& wanted);

/// Writes what is wanted of a finished run, each file whole or not at all, and returns the paths in that order.
/// history: one line a fact, for every file that can hold it.   throws as write_fits and write_catalogue
[[nodiscard]] std::vector<std::string> write_products(const OutputRequest& wanted, Backend& backend,
                                                      const PipelineResult& result,
                                                      const std::vector<std::string>& history, const Job& job);

}  // namespace reber
