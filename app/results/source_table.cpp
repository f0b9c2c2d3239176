// SPDX-License-Identifier: BSD-3-Clause
// Columns that fit into 100 characters; empty cells where a value is not known.
#include "app/results/source_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/sky/model/decimals.hpp"

namespace reber::app {
namespace {

constexpr double kArcsec = 3600;

/// Prefix by which the brightest flux shown has one to three digits before the point.
struct Scale {
  double factor;
  const char* prefix;
};
Scale scale_for(double value) {
  if (value < 1e-3) return {1e6, "u"};
  if (value < 1) return {1e3, "m"};
  return {1, ""};
}

std::string cell(double value, int width, int decimals) {
  return std::isfinite(value) ? fmt::format("{:>{}.{}f}", value, width, decimals) : fmt::format("{:>{}}", "-", width);
}

}  // namespace

std::string source_table(const std::vector<Source>& sources, const ImageHeader& header, std::size_t most) {
  if (sources.empty()) return "no sources\n";
  std::vector<const Source*> order;
  for (const Source& source : sources) order.push_back(&source);
  std::stable_sort(order.begin(), order.end(), [](const Source* a, const Source* b) { return a->snr > b->snr; });
  const std::size_t shown = std::min(most, order.size());

  const bool sky = header.wcs.celestial();
  const bool known = header.unit.kind != Unit::Kind::unknown;
  const Scale scale = known ? scale_for(std::abs(order[(shown - 1) / 2]->peak_pixel)) : Scale{1, ""};
  const std::string peak_unit = known ? scale.prefix + header.unit.name() : "image unit";
  const auto geometry = header.centre_geometry();
  const double pixel_deg = geometry ? std::sqrt(std::abs(geometry->determinant())) : 0;
  const int decimals = sky ? decimals_for(pixel_deg, 6) : 2, size_decimals = decimals_for(pixel_deg * kArcsec, 1);
  const int width = std::max(11, decimals + 5), size_width = std::max(7, size_decimals + 2);
  std::string text =
      fmt::format("{:>6} {:>{}} {:>{}} {:>9} {:>9} {:>19} {:>19} {:>{}}\n", "island", sky ? "lon deg" : "x px", width,
                  sky ? "lat deg" : "y px", width, "S/N", "pixels", "peak " + peak_unit,
                  known ? fmt::format("total {}{}", scale.prefix, header.unit.total_name()) : "total", "size arcsec",
                  2 * size_width + 1);
  for (std::size_t i = 0; i < shown; ++i) {
    const Source& s = *order[i];
    const auto flux = [&](double value, double error) {
      return cell(value * scale.factor, 10, 3) + " +-" + cell(error * scale.factor, 6, 3);
    };
    text += fmt::format("{:>6} {} {} {} {:>9} {} {} {} {}\n", s.island, cell(sky ? s.ra : s.x, width, decimals),
                        cell(sky ? s.dec : s.y, width, decimals), cell(s.snr, 9, 1), s.npix, flux(s.peak, s.e_peak),
                        flux(s.total, s.e_total), cell(s.major_deg * kArcsec, size_width, size_decimals),
                        cell(s.minor_deg * kArcsec, size_width, size_decimals));
  }
  if (shown < order.size()) text += fmt::format("{:>6} and {} more\n", "...", order.size() - shown);
  return text;
}

}  // namespace reber::app
