// SPDX-License-Identifier: BSD-3-Clause
// A list of columns, of which those that matter least give way on a narrow page; "-" where a value is not known.
#include "app/results/source_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "core/sky/model/decimals.hpp"

namespace reber::app {
namespace {

constexpr double kArcsec = 3600;

constexpr int kPlaces = 3;  ///< decimals of a flux that has digits before the point

/// How fluxes of about one value are printed.
struct Scale {
  double factor;
  const char* prefix;
  int places = kPlaces;  ///< decimals; below 0: digits with an exponent
};
/// A prefix by which they have digits before the point.
Scale scale_for(double value) {
  if (value < 1e-3) return {1e6, "u"};
  if (value < 1) return {1e3, "m"};
  return {1, ""};
}
/// Of a unit that is not known, which takes no prefix: as many digits by more decimals, or by an exponent.
Scale scale_of_unknown(double value) {
  if (value >= 1 || !(value > 0)) return {1, ""};
  const int more = static_cast<int>(std::ceil(-std::log10(value)));
  return {1, "", more > 6 ? -1 : kPlaces + more};
}

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  return decimals < 0 ? fmt::format("{:.{}e}", value, kPlaces) : fmt::format("{:.{}f}", value, decimals);
}

struct Column {
  std::string title;
  int rank;  ///< the highest gives way first; 0: never
  std::function<std::string(const Source&)> cell;
  std::size_t width = 0;  ///< of the widest cell, with the blanks before it
};

std::vector<Column> columns_of(const ImageHeader& header, Scale scale, bool known) {
  const bool sky = header.wcs.celestial();
  const auto geometry = header.centre_geometry();
  const double pixel_deg = geometry ? std::sqrt(std::abs(geometry->determinant())) : 0;
  const int places = sky ? decimals_for(pixel_deg, 6) : 2, size_places = decimals_for(pixel_deg * kArcsec, 1);
  const auto flux = [scale](double value, double error) {
    if (!std::isfinite(value)) return std::string("-");
    return number(value * scale.factor, scale.places) + " +- " + number(error * scale.factor, scale.places);
  };
  const std::string peak = "peak " + (known ? scale.prefix + header.unit.name() : "image unit");
  const std::string total = known ? fmt::format("total {}{}", scale.prefix, header.unit.total_name()) : "total";
  return {
      {"island", 2, [](const Source& s) { return fmt::format("{}", s.island); }},
      {sky ? "lon deg" : "x px", 0, [=](const Source& s) { return number(sky ? s.ra : s.x, places); }},
      {sky ? "lat deg" : "y px", 0, [=](const Source& s) { return number(sky ? s.dec : s.y, places); }},
      {"S/N", 0, [](const Source& s) { return number(s.snr, 1); }},
      {"pixels", 3, [](const Source& s) { return fmt::format("{}", s.npix); }},
      {peak, 0, [=](const Source& s) { return flux(s.peak, s.e_peak); }},
      {total, 0, [=](const Source& s) { return flux(s.total, s.e_total); }},
      {"size arcsec", 1,
       [=](const Source& s) {
         return number(s.major_deg * kArcsec, size_places) + " " + number(s.minor_deg * kArcsec, size_places);
       }},
  };
}

std::size_t width_of(const std::vector<Column>& columns) {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const Column& column) { return sum + column.width; });
}

/// Columns are two blanks apart, or one where the page asks for it.
void widen(std::vector<Column>& columns, std::span<const Source* const> rows, std::size_t page) {
  for (Column& column : columns) {
    column.width = column.title.size();
    for (const Source* row : rows) column.width = std::max(column.width, column.cell(*row).size());
  }
  const std::size_t apart = width_of(columns) + 2 * columns.size() > page ? 1 : 2;
  for (Column& column : columns) column.width += apart;
}

std::vector<Column> fitting(std::vector<Column> columns, std::size_t page) {
  while (width_of(columns) > page) {
    const auto least = std::ranges::max_element(columns, {}, &Column::rank);
    if (least->rank == 0) break;
    columns.erase(least);
  }
  return columns;
}

}  // namespace

std::string source_table(const std::vector<Source>& sources, const ImageHeader& header, std::size_t most,
                         std::size_t page) {
  if (sources.empty()) return "no sources\n";
  std::vector<const Source*> order;
  for (const Source& source : sources) order.push_back(&source);
  std::stable_sort(order.begin(), order.end(), [](const Source* a, const Source* b) { return a->snr > b->snr; });
  const std::size_t shown = std::min(most, order.size());
  const bool known = header.unit.kind != Unit::Kind::unknown;
  const double middle = std::abs(order[(shown - 1) / 2]->peak_pixel);
  const Scale scale = known ? scale_for(middle) : scale_of_unknown(middle);
  std::vector<Column> columns = columns_of(header, scale, known);
  widen(columns, std::span(order).first(shown), page);
  columns = fitting(std::move(columns), page);
  std::string text;
  for (const Column& column : columns) text += fmt::format("{:>{}}", column.title, column.width);
  text += '\n';
  for (std::size_t i = 0; i < shown; ++i) {
    for (const Column& column : columns) text += fmt::format("{:>{}}", column.cell(*order[i]), column.width);
    text += '\n';
  }
  if (shown < order.size()) text += fmt::format("  ... and {} more\n", order.size() - shown);
  return text;
}

}  // namespace reber::app
