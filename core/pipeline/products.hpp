// SPDX-License-Identifier: BSD-3-Clause
// The files that a run leaves: catalogues, maps, picture.
#pragma once

#include <string>
#include <vector>

#include "core/compute/job.hpp"
#include "core/pipeline/result.hpp"

namespace reber {

/// Whether the request names any file.
[[nodiscard]] bool any_product(const OutputRequest& wanted);

/// Writes what is wanted of a finished run, each file whole or not at all, and returns the paths in that order. Every
/// file that can hold it gets the result's history.   throws as write_fits and write_catalogue
[[nodiscard]] std::vector<std::string> write_products(const OutputRequest& wanted, const Result& result,
                                                      const Job& job);

}  // namespace reber
