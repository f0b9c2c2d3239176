// SPDX-License-Identifier: BSD-3-Clause
// Checks first, so that nothing is computed for files that cannot be written.
#include "app/commands/extended_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "app/options/common_options.hpp"
#include "core/base/error.hpp"
#include "core/catalogue/catalogue_io.hpp"
#include "core/extended/extended_catalogue.hpp"
#include "core/extended/extended_sources.hpp"
#include "core/picture/picture.hpp"
#include "core/sources/source_columns.hpp"

namespace reber::app {
namespace {

bool is_picture(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png";
}

double mean_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The image with the sources' ellipses, as reber run draws it, and the outlines.
void draw(const std::string& path, const ExtendedSources& extended, const Result& found, const Request& request,
          const Progress& progress) {
  const Job job(progress);
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* pixels) {
    found.backend->render_rows(MapKind::image, *found.plane(), nullptr, y0, ny, pixels, job);
  };
  ImageHeader shown = found.header();
  shown.beam = found.beam();
  PictureOptions options;
  options.title = shown.object;
  options.file.overwrite = request.output.overwrite;
  options.threads = found.backend->info().threads;
  options.progress = progress;
  if (const BackgroundModel* background = found.background(); background != nullptr && !background->rms.empty()) {
    const double rms = mean_of(background->rms), mean = mean_of(background->mean);
    options.low = mean - 3 * rms;
    options.high = mean + 100 * rms;
  }
  for (const ExtendedSource& source : extended.sources) options.outlines.push_back(source.outline);
  const Catalogue sources = make_catalogue(found.sources(), found.header(), found.history);
  write_sky_picture(path, shown.shape, rows, shown, &sources, options);
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
                    const Progress& progress) {
  const ExtendedSources extended = find_extended(found, request, Job(progress));
  const Catalogue table = extended_catalogue(extended, found.header(), found.history);
  for (const std::string& path : paths) {
    if (is_picture(path))
      draw(path, extended, found, request, progress);
    else
      write_catalogue(table, path, request.output.overwrite);
  }
  const auto roots = std::ranges::count(extended.sources, 0, &ExtendedSource::parent);
  const auto compact = std::ranges::count(extended.sources, SegmentClass::compact, &ExtendedSource::kind);
  found.report.facts.emplace_back(
      "extended", fmt::format("{} structures, {} of them inside others; {} compact sources inside them",
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact,
                              static_cast<std::ptrdiff_t>(extended.sources.size()) - compact - roots, compact));
  found.report.outputs.insert(found.report.outputs.end(), paths.begin(), paths.end());
}

}  // namespace reber::app
