// SPDX-License-Identifier: BSD-3-Clause
// Lines of a DS9 file in one line.
#include "gui/model/regions/excluded_areas.hpp"

#include <sstream>

#include "core/sky/model/wcs.hpp"
#include "core/sky/regions/region_writers.hpp"

namespace reber::gui {
std::string excluded_words(const std::vector<Region>& regions) {
  std::vector<Region> those;
  for (const Region& region : regions) {
    if (!region.excluded || !region.has_area()) continue;
    those.push_back(region);
    those.back().name.clear();
    those.back().border = Border::ds9;
  }
  if (those.empty()) return {};
  std::istringstream lines(regions_text(those, Wcs(), RegionFormat::ds9, {}, false));
  std::string words = "image";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("-")) words += "; " + line;
  return words;
}

Excluding follow_excluded(const std::vector<Region>& regions, Request& request, std::string& written) {
  const std::string words = excluded_words(regions);
  std::string& now = request.search.region;
  const bool own = !now.empty() && now != written && now != words;
  if (own) return words.empty() ? Excluding::as_before : Excluding::search_region_in_the_way;
  written = words;
  if (now == words) return Excluding::as_before;
  now = words;
  return Excluding::changed;
}

}  // namespace reber::gui
