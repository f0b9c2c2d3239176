// SPDX-License-Identifier: BSD-3-Clause
// Areas that the finder leaves out: the regions of an image that are marked as excluded.
#pragma once

#include <string>
#include <vector>

#include "core/run/request/request.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber::gui {

/// The excluded regions that have an area, in the words of `--search-region`: "image; -circle(...)"; empty where there
/// is none. Regions: 0-based pixels.
[[nodiscard]] std::string excluded_words(const std::vector<Region>& regions);

enum class Excluding { as_before, changed, search_region_in_the_way };

/// Has the finder leave out what is excluded, by the request's search region. One that the user wrote stays.
/// written: what this function made of the regions last, empty at first; set
Excluding follow_excluded(const std::vector<Region>& regions, Request& request, std::string& written);

}  // namespace reber::gui
