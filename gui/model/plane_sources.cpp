// SPDX-License-Identifier: BSD-3-Clause
// Sources of planes by a run of their own, or by a column of a catalogue.
#include "gui/model/plane_sources.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/run/pipeline/pipeline.hpp"
#include "core/sky/model/beam.hpp"
#include "gui/model/open_catalogue.hpp"

namespace reber::gui {
namespace {

/// The column Plane as whole numbers; empty where there is none.
std::optional<std::vector<std::int64_t>> planes_of(const Catalogue& catalogue) {
  const Column* const column = catalogue.find("Plane");
  if (column == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column->values)) return *whole;
  const auto* numbers = std::get_if<std::vector<double>>(&column->values);
  if (numbers == nullptr) return std::nullopt;
  std::vector<std::int64_t> planes;
  for (const double v : *numbers) planes.push_back(std::isfinite(v) ? std::llround(v) : -1);
  return planes;
}

SourceShape shape_of(const SkyList& rows, std::size_t row, PixelPosition at, const Wcs& wcs) {
  SourceShape shape{at.x, at.y, {9, 0, 9}};
  const bool sized = !rows.major.empty() && !rows.minor.empty() && rows.major[row] > 0 && rows.minor[row] > 0;
  const auto local = sized ? wcs.sky_per_pixel(at.x, at.y) : std::nullopt;
  if (!local || !(std::abs(local->determinant()) > 0)) return shape;
  const double pa = rows.pa.empty() || std::isnan(rows.pa[row]) ? 0 : rows.pa[row];
  shape.fwhm2 = to_pixels(sky_covariance(rows.major[row], rows.minor[row], pa), *local);
  return shape;
}

}  // namespace

PlaneSources searched_sources(Request request, std::shared_ptr<Backend> backend) {
  if (!request.background) request.background.emplace();
  if (!request.detect) request.detect.emplace();
  request.output = {};
  PlaneSources sources;
  sources.told = "searched in each plane, by the panel Pipeline";
  sources.of = [request, backend = std::move(backend)](std::int64_t plane, const Progress& progress) {
    Request one = request;
    one.open.plane = plane;
    return source_shapes(run_once(backend, one, events_of(progress)).sources());
  };
  return sources;
}

PlaneSources catalogue_sources(OpenCatalogue& catalogue, const std::shared_ptr<const ImageHeader>& header) {
  const std::vector<PixelPosition>& places = project(catalogue, header);
  const auto planes = planes_of(*catalogue.catalogue);
  std::vector<std::pair<std::int64_t, SourceShape>> rows;
  for (std::size_t row = 0; row < places.size(); ++row)
    if (std::isfinite(places[row].x) && std::isfinite(places[row].y))
      rows.emplace_back(planes ? (*planes)[row] : -1, shape_of(catalogue.list, row, places[row], header->wcs));
  PlaneSources sources;
  const std::string file = std::filesystem::path(catalogue.path).filename().string();
  sources.told = planes ? fmt::format("rows of {} by its column Plane", file)
                        : fmt::format("all rows of {}, which has no column Plane", file);
  sources.of = [rows = std::move(rows), all = !planes](std::int64_t plane, const Progress&) {
    std::vector<SourceShape> shapes;
    for (const auto& [of, shape] : rows)
      if (all || of == plane) shapes.push_back(shape);
    return shapes;
  };
  return sources;
}

}  // namespace reber::gui
