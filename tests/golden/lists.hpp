// SPDX-License-Identifier: BSD-3-Clause
// Reads other finders' source lists and matches them with ours.
#pragma once

#include <string>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/sky/model/beam.hpp"

namespace reber::testing {

/// A source of another finder's list.
struct ListedSource {
  double ra_deg, dec_deg, total_jy;
};

/// FITS tables with PyBDSF's or Aegean's column names, and Aegean's CSV.
std::vector<ListedSource> read_list(const std::string& path);

struct ListMatch {
  std::size_t matched = 0;
  double fraction = 0, flux_ratio = 0, offset_arcsec = 0;  ///< the last two are medians
};

/// Nearest of ours within one beam major axis, each used once, the listed ones by falling flux.
ListMatch match_list(std::vector<ListedSource> listed, const std::vector<Source>& ours, const Beam& beam);

}  // namespace reber::testing
