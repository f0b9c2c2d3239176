// SPDX-License-Identifier: BSD-3-Clause
// The table of extended sources.
#pragma once

#include <string>
#include <vector>

#include "core/measure/extended/extended_sources.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// One row each. Column s_region holds the outline as a polygon in the words of IVOA's ObsCore ("POLYGON ICRS ...");
/// empty for compact sources and without sky positions.
[[nodiscard]] Catalogue extended_catalogue(const ExtendedSources& found, const ImageHeader& header,
                                           const std::vector<std::string>& history);

/// Its columns as Markdown: the end of docs/columns.md.
[[nodiscard]] std::string extended_columns_document();

}  // namespace reber
