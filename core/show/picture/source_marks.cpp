// SPDX-License-Identifier: BSD-3-Clause
// Sizes of marks from how crowded the picture is.
#include "core/show/picture/source_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/files/catalogue/catalogue_writers.hpp"

namespace reber {
namespace {

constexpr double kGrow = 1.6;  ///< outlines per FWHM
/// Radius below which an outline hides its source, and the least that can be told from a dot; final pixels at unit 1.
constexpr double kRadius = 7, kSmallest = 2.6;
/// Part of the picture that squares about the smallest rings may cover.
constexpr double kCrowd = 0.35;

struct Place {
  double x, y;  ///< of the image
  std::size_t row;
};

double value(const std::vector<double>* column, std::size_t row) {
  return column != nullptr ? (*column)[row] : std::nan("");
}

std::vector<Place> places_of(const SkyLayout& layout, const Catalogue& sources, const PlaceColumns& columns,
                             const Wcs& wcs) {
  std::vector<Place> places;
  const auto nx = static_cast<double>(layout.shape.nx), ny = static_cast<double>(layout.shape.ny);
  for (std::size_t row = 0; row < static_cast<std::size_t>(sources.rows()); ++row) {
    Place at{value(columns.x, row), value(columns.y, row), row};
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) {
      const SkyPosition sky{value(columns.lon, row), value(columns.lat, row)};
      if (!std::isfinite(sky.lon_deg) || !std::isfinite(sky.lat_deg)) continue;
      const auto pixel = wcs.to_pixel(sky);
      if (!pixel) continue;
      at.x = pixel->x;
      at.y = pixel->y;
    }
    // A source of some size may reach into the picture from outside.
    if (at.x > -0.5 * nx && at.x < 1.5 * nx && at.y > -0.5 * ny && at.y < 1.5 * ny) places.push_back(at);
  }
  return places;
}

const std::vector<double>* snr_of(const Catalogue& sources) {
  const Column* const column = sources.find("SNR");
  return column != nullptr ? std::get_if<std::vector<double>>(&column->values) : nullptr;
}

/// The `most` places of the highest S/N, in the order of the catalogue.
void keep_highest(std::vector<Place>& places, const std::vector<double>* snr, std::size_t most) {
  const auto height = [&](const Place& p) {
    const double of = value(snr, p.row);
    return std::isnan(of) ? -1.0 : of;
  };
  const auto cut = places.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(places.begin(), cut, places.end(), [&](const Place& a, const Place& b) {
    const double of_a = height(a), of_b = height(b);
    return of_a != of_b ? of_a > of_b : a.row < b.row;
  });
  places.erase(cut, places.end());
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.row < b.row; });
}

}  // namespace

SourceMarks mark_sources(const SkyLayout& layout, const Catalogue& sources, const Wcs& wcs, const Progress& progress) {
  const PlaceColumns columns = place_columns(sources);
  std::vector<Place> places = places_of(layout, sources, columns, wcs);
  SourceMarks marks;
  marks.sources = static_cast<std::int64_t>(places.size());
  const double area = static_cast<double>(layout.width) * layout.height;
  const double square = 2 * kRadius * layout.unit, smallest = 2 * kSmallest * layout.unit;
  const double crowd = static_cast<double>(places.size()) * square * square / area;
  const double shrink = std::clamp(std::sqrt(kCrowd / crowd), kSmallest / kRadius, 1.0);
  const auto most = static_cast<std::size_t>(std::max(1.0, kCrowd * area / (smallest * smallest)));
  if (places.size() > most) keep_highest(places, snr_of(sources), most);
  marks.thickness = std::max(0.8, 1.35 * layout.unit * std::sqrt(shrink));
  marks.alpha = 0.9;
  marks.by_snr = snr_of(sources) != nullptr;

  const double least = kRadius * shrink * layout.unit;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % 256 == 0) progress.check();
    const auto& [x, y, row] = places[i];
    const double major = value(columns.major, row), minor = value(columns.minor, row), pa = value(columns.pa, row);
    Covariance shape{0, 0, 0};
    if (major > 0 && minor > 0 && std::isfinite(pa)) {
      const auto matrix = wcs.sky_per_pixel(x, y);
      if (matrix && std::abs(matrix->determinant()) > 0) shape = to_pixels(sky_covariance(major, minor, pa), *matrix);
    }
    const double size =
        std::sqrt(std::sqrt(std::max(0.0, shape.xx * shape.yy - shape.xy * shape.xy))) * layout.x_scale();
    if (size > 0) {
      marks.outlines.push_back(layout.ellipse(x, y, shape, std::max(kGrow, 2 * least / size)));
    } else {
      marks.outlines.push_back({layout.point(x, y), least * least, 0, least * least});
    }
  }
  return marks;
}

std::string note_of(const SourceMarks& marks) {
  const auto outlined = static_cast<std::int64_t>(marks.outlines.size());
  if (outlined == marks.sources) return {};
  return fmt::format("{} of {} sources outlined{}", outlined, marks.sources,
                     marks.by_snr ? ": those of the highest S/N" : "");
}

}  // namespace reber
