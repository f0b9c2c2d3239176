// SPDX-License-Identifier: BSD-3-Clause
// The error of a point source's total flux at every pixel: what the run's own fits, or moments, state for points
// without noise, times the local noise.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/measure/sources/scale_islands.hpp"
#include "core/run/pipeline/product_table.hpp"

namespace reber {
namespace {

constexpr double kPeak = 30;  ///< of the points, in rms
/// Of the points of one place, pixels from a pixel's centre: what they state differs a little.
constexpr std::array<std::pair<double, double>, 4> kCentres{{{0, 0}, {0.5, 0}, {0, 0.5}, {0.5, 0.5}}};
constexpr std::int64_t kPlaces = 9;  ///< along each side, where the beam or the pixels vary

using Place = std::pair<std::int32_t, std::int32_t>;  // y, x

/// The pixels about a point, as an island more: the beam's shape, background 0, rms 1.
void add_point(IslandPixels& to, double x, double y, const Covariance& beam) {
  const GaussianComponent point{kPeak, x, y, beam};
  std::array<double, GaussianComponent::kParameters> unused{};
  const auto reach = static_cast<std::int32_t>(std::ceil(1.5 * ellipse_of(beam).major)) + 1;
  const auto x0 = static_cast<std::int32_t>(std::lround(x)), y0 = static_cast<std::int32_t>(std::lround(y));
  for (std::int32_t py = y0 - reach; py <= y0 + reach; ++py)
    for (std::int32_t px = x0 - reach; px <= x0 + reach; ++px) {
      to.y.push_back(py), to.x.push_back(px);
      to.pixel.push_back(static_cast<float>(point.evaluate(px, py, unused)));
      to.mean.push_back(0), to.rms.push_back(1);
    }
  to.label.push_back(static_cast<std::int64_t>(to.first.size()));
  to.first.push_back(static_cast<std::int64_t>(to.x.size()));
}

/// The pixels of `boxes` that have a neighbour, of eight, in the island of each: what fits with ordinary weights see
/// as well.
IslandPixels margins_of(const InnerIslands& islands, const IslandPixels& boxes) {
  IslandPixels out;
  for (std::size_t i = 0; i < islands.sums.size(); ++i) {
    const IslandPixels& own = islands.pixels;
    std::set<Place> inside, beside;
    for (auto p = static_cast<std::size_t>(own.first[i]); p < static_cast<std::size_t>(own.first[i + 1]); ++p)
      inside.emplace(own.y[p], own.x[p]);
    for (const auto& [y, x] : inside)
      for (std::int32_t d = 0; d < 9; ++d)
        if (const Place at{y + d / 3 - 1, x + d % 3 - 1}; !inside.contains(at)) beside.insert(at);
    const auto box = static_cast<std::size_t>(islands.outer[i] - 1);
    for (auto p = static_cast<std::size_t>(boxes.first[box]); p < static_cast<std::size_t>(boxes.first[box + 1]); ++p)
      if (beside.contains({boxes.y[p], boxes.x[p]})) {
        out.y.push_back(boxes.y[p]), out.x.push_back(boxes.x[p]);
        out.pixel.push_back(boxes.pixel[p]), out.mean.push_back(0), out.rms.push_back(1);
      }
    out.label.push_back(own.label[i]);
    out.first.push_back(static_cast<std::int64_t>(out.x.size()));
  }
  return out;
}

/// Jy for an rms of 1, as the run measures the points of `boxes`: the mean of each place's; NaN where it states none.
std::vector<double> stated_errors(const IslandPixels& boxes, const ProductSource& of) {
  const Outcomes& made = of.result.outcomes;
  const Detected& detected = made.positive.detected->value;
  const InnerIslands islands = inner_islands(boxes, detected.options);
  std::vector<SourceRow> rows;
  for (std::size_t i = 0; i < islands.sums.size(); ++i) rows.push_back({islands.sums[i], islands.pixels.label[i]});
  if (made.positive.fitted) {
    const SourceFitter& fitter = *made.positive.fitted->value.fitter;
    const IslandPixels margins = fitter.ordinary_weights() ? margins_of(islands, boxes) : IslandPixels();
    const std::lock_guard turn(of.turn);
    rows = fitter.fit(*of.result.backend, rows, islands.pixels, detected.options, *detected.known, of.job, margins);
  }
  std::vector<double> errors(boxes.label.size() / kCentres.size()), found(errors.size());
  for (const Source& one : make_sources(rows, detected.options, of.result.header(), of.result.beams())) {
    const auto box = static_cast<std::size_t>(islands.outer[static_cast<std::size_t>(one.island - 1)] - 1);
    errors[box / kCentres.size()] += one.e_total, ++found[box / kCentres.size()];
  }
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = found[i] > 0 ? errors[i] / found[i] : std::numeric_limits<double>::quiet_NaN();
  return errors;
}

/// Errors for an rms of 1 at places that divide the image evenly; bilinear between them, constant beyond.
struct ErrorGrid {
  Shape image;
  std::int64_t side = 1;
  std::vector<double> values = {};

  [[nodiscard]] double place(std::int64_t k, std::int64_t size) const {
    return (static_cast<double>(k) + 0.5) * static_cast<double>(size) / static_cast<double>(side) - 0.5;
  }
  /// Of a pixel along an axis: the place before it, and how far it is from there to the next.
  [[nodiscard]] std::pair<std::int64_t, double> split(std::int64_t pixel, std::int64_t size) const {
    const double at = (static_cast<double>(pixel) + 0.5) * static_cast<double>(side) / static_cast<double>(size) - 0.5;
    const double within = std::clamp(at, 0.0, static_cast<double>(side - 1));
    const auto first =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(within), 0, std::max<std::int64_t>(side - 2, 0));
    return {first, within - static_cast<double>(first)};
  }
  [[nodiscard]] double at(std::int64_t y, std::int64_t x) const {
    const auto [j, v] = split(y, image.ny);
    const auto [i, u] = split(x, image.nx);
    const auto row = [&, first = i, part = u](std::int64_t k) {
      const double* const values_of = values.data() + k * side + first;
      return part > 0 ? std::lerp(values_of[0], values_of[1], part) : values_of[0];
    };
    return v > 0 ? std::lerp(row(j), row(j + 1), v) : row(j);
  }
};

/// Empty where no beam is known: the run states no total then.
std::optional<ErrorGrid> error_grid(const ProductSource& of) {
  const ImageHeader& header = of.result.header();
  const BeamField beams = of.result.beams();
  const auto centre = header.centre_geometry();
  if (!beams.varies() && !(beams.nominal() && centre)) return std::nullopt;
  std::optional<Covariance> same;
  if (const auto& beam = beams.nominal(); !beams.varies())
    same = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
  ErrorGrid grid{header.shape, beams.varies() || beams.areas_vary() ? kPlaces : 1};
  IslandPixels boxes;
  for (std::int64_t j = 0; j < grid.side; ++j)
    for (std::int64_t i = 0; i < grid.side; ++i) {
      const double y = std::round(grid.place(j, header.shape.ny)), x = std::round(grid.place(i, header.shape.nx));
      for (const auto& [dy, dx] : kCentres) add_point(boxes, x + dx, y + dy, same ? *same : beams.at(x, y).pixels);
    }
  grid.values = stated_errors(boxes, of);
  return grid;
}

}  // namespace

ProductMap flux_error_map(const ProductSource& source) {
  if (!source.result.islands())
    throw InputError("errors of fluxes are those of a search for sources: this run looked for none");
  const std::optional<ErrorGrid> grid = error_grid(source);
  const std::int64_t nx = source.result.header().shape.nx;
  const FloatRows noise = seam_map<MapKind::rms>(source).rows, pixels = seam_map<MapKind::image>(source).rows;
  const auto rows = [grid, nx, noise, pixels](std::int64_t y0, std::int64_t ny, float* out) {
    std::vector<float> image(static_cast<std::size_t>(ny * nx));
    pixels(y0, ny, image.data());
    noise(y0, ny, out);
    for (std::size_t i = 0; i < image.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double each = grid && std::isfinite(image[i]) ? grid->at(y0 + at / nx, at % nx) : std::nan("");
      out[i] = static_cast<float>(out[i] * each);
    }
  };
  return {rows, {grid ? fmt::format("flux error: of a point of {} rms", kPeak) : "flux error: unknown without a beam"}};
}

}  // namespace reber
