// SPDX-License-Identifier: BSD-3-Clause
// A short table of sources for the terminal.
#pragma once

#include <string>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber::app {

/// The brightest `most` sources by S/N: position, flux with error, size. Ends with how many are not shown.
///   page: characters of a line; island, pixels and size are left out where they do not fit
[[nodiscard]] std::string source_table(const std::vector<Source>& sources, const ImageHeader& header, std::size_t most,
                                       std::size_t page);

}  // namespace reber::app
