// SPDX-License-Identifier: BSD-3-Clause
// Checks first, so that nothing is computed for files that cannot be written.
#include "app/results/extended_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/options/common_options.hpp"
#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/measure/extended/extended_catalogue.hpp"
#include "core/measure/extended/extended_sources.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/show/picture/canvas.hpp"

namespace reber::app {
namespace {

/// The picture of the run with the outlines.
void draw(const std::string& path, const ExtendedSources& extended, const Result& found, const FileOptions& how,
          const Progress& progress) {
  const Job job(progress);
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* pixels) {
    found.backend->render_rows(MapKind::image, *found.plane(), nullptr, y0, ny, pixels, job);
  };
  PictureOptions options;
  options.file = how;
  options.progress = progress;
  for (const ExtendedSource& source : extended.sources) options.outlines.push_back(source.outline);
  draw_result(path, found, make_catalogue(found.sources(), found.header(), found.history), rows, std::move(options));
}

}  // namespace

void check_extended(const std::vector<std::string>& paths, const Request& request, bool planes) {
  if (paths.empty()) return;
  std::vector<std::string> tables;
  std::ranges::remove_copy_if(paths, std::back_inserter(tables), is_picture);
  check_catalogue_extensions(tables);
  if (!request.dry_run) check_outputs(paths, request.output.overwrite);
  if (planes) throw InputError("--extended is of one plane: give --plane N in place of --planes");
  check_extended_request(request);
}

void write_extended(const std::vector<std::string>& paths, Result& found, const Request& request,
                    const FileOptions& how, const Progress& progress) {
  const ExtendedSources extended = find_extended(found, request, Job(progress));
  const Catalogue table = extended_catalogue(extended, found.header(), found.history);
  for (const std::string& path : paths) {
    if (!is_picture(path))
      write_catalogue(table, path, how);
    else if (!drawn_or_lacking(path, how, [&] { draw(path, extended, found, how, progress); }))
      continue;
    found.report.outputs.push_back(path);
  }
  const auto roots = std::ranges::count(extended.sources, 0, &ExtendedSource::parent);
  const auto compact = std::ranges::count(extended.sources, SegmentClass::compact, &ExtendedSource::kind);
  found.report.facts.emplace_back(
      "extended", fmt::format("{} structures, {} of them inside others; {} compact sources inside them",
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact,
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact - roots, compact));
}

}  // namespace reber::app
