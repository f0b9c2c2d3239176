// SPDX-License-Identifier: BSD-3-Clause
// Checks first, so that nothing is computed for files that cannot be written.
#include "app/commands/extended_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/options/common_options.hpp"
#include "core/base/error.hpp"
#include "core/catalogue/catalogue_io.hpp"
#include "core/extended/extended_catalogue.hpp"
#include "core/extended/extended_sources.hpp"

namespace reber::app {

void check_extended(const std::vector<std::string>& paths, const Request& request, bool planes) {
  if (paths.empty()) return;
  check_catalogue_extensions(paths);
  if (!request.dry_run) check_outputs(paths, request.output.overwrite);
  if (planes) throw InputError("--extended is of one plane: give --plane N in place of --planes");
  check_extended_request(request);
}

void write_extended(const std::vector<std::string>& paths, Result& found, const Request& request,
                    const Progress& progress) {
  const ExtendedSources extended = find_extended(found, request, Job(progress));
  const Catalogue table = extended_catalogue(extended, found.header(), found.history);
  for (const std::string& path : paths) write_catalogue(table, path, request.output.overwrite);
  const auto roots = std::ranges::count(extended.sources, 0, &ExtendedSource::parent);
  const auto compact = std::ranges::count(extended.sources, SegmentClass::compact, &ExtendedSource::kind);
  found.report.facts.emplace_back(
      "extended", fmt::format("{} structures, {} of them inside others; {} compact sources inside them",
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact,
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact - roots, compact));
  found.report.outputs.insert(found.report.outputs.end(), paths.begin(), paths.end());
}

}  // namespace reber::app
