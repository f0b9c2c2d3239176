// SPDX-License-Identifier: BSD-3-Clause
// Reads the restoring beam of a header.
#include "core/files/fits/header_beam.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace reber::fits {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// A cut-out may be smaller than its beam, but no image has a beam of more pixels than this and than its diagonal.
constexpr double kPlausiblePixels = 64;

/// The number behind "NAME=" in an AIPS HISTORY card; NaN where there is none.
double number_behind(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + "=");
  if (at == std::string::npos) return kNaN;
  const std::size_t begin = text.find_first_not_of(' ', at + name.size() + 1);
  if (begin == std::string::npos) return kNaN;
  const std::size_t end = text.find(' ', begin);
  return parse_number(text.substr(begin, end == std::string::npos ? end : end - begin)).value_or(kNaN);
}

/// The last "HISTORY AIPS   CLEAN BMAJ= ... BMIN= ... BPA= ..." of the header.
bool read_aips(const CardTable& cards, Beam& beam) {
  bool found = false;
  for (std::int64_t i = 0; i < cards.count(); ++i) {
    if (keyword_of(cards.card(i)) != "HISTORY") continue;
    const std::string text(cards.card(i).substr(8));
    if (text.find("AIPS") == std::string::npos || text.find("BMAJ=") == std::string::npos) continue;
    beam = {number_behind(text, "BMAJ"), number_behind(text, "BMIN"), number_behind(text, "BPA")};
    found = true;
  }
  return found;
}

/// Why the beam cannot be used; empty where it can.
std::string objection(const Beam& beam, const Wcs& wcs, Shape shape) {
  if (!std::isfinite(beam.major_deg) || !std::isfinite(beam.minor_deg)) return "not finite numbers";
  if (!(beam.minor_deg > 0)) return "not above zero";
  if (!(beam.minor_deg <= beam.major_deg * (1 + 1e-12))) return "BMIN is larger than BMAJ";
  const auto matrix = wcs.centre_geometry(shape);
  if (!matrix) return beam.major_deg <= 180 ? "" : "larger than the sky";
  const double pixel = std::sqrt(std::abs(matrix->determinant()));
  const double diagonal = std::hypot(static_cast<double>(shape.nx), static_cast<double>(shape.ny));
  if (!(beam.major_deg <= pixel * std::max(diagonal, kPlausiblePixels))) {
    return fmt::format("larger than the image, whose diagonal is {:.4g} deg", diagonal * pixel);
  }
  return {};
}

}  // namespace

HeaderBeam read_beam(const CardTable& cards, const CardTable* inherited, const Wcs& wcs, Shape shape,
                     PlaneOfTable of_table) {
  HeaderBeam result;
  const bool has_table = of_table.table != nullptr && !of_table.table->planes.empty();
  const std::string no_table = cards.is_true("CASAMBM") && !has_table && of_table.table != nullptr
                                   ? fmt::format("CASAMBM=T, but {}", of_table.table->problem)
                                   : std::string();
  const CardTable* source = &cards;
  std::string from = "BMAJ, BMIN, BPA of the header";
  if (!cards.has("BMAJ") && inherited != nullptr && inherited->has("BMAJ")) {
    source = inherited;
    from = "BMAJ, BMIN, BPA inherited from the primary header";
  }
  Beam beam;
  std::string stated;
  if (has_table) {
    const auto& own = of_table.table->planes[static_cast<std::size_t>(of_table.plane)];
    if (!own) {
      result.note = fmt::format("the table of beams (CASAMBM) has none for plane {}", of_table.plane);
      return result;
    }
    beam = *own;
    from = fmt::format("plane {} of the table of beams (CASAMBM)", of_table.plane);
    stated = fmt::format("table of beams: BMAJ={:g}, BMIN={:g}", beam.major_deg, beam.minor_deg);
  } else if (source->has("BMAJ")) {
    const auto value = [&](const char* keyword) { return source->number(keyword).value_or(kNaN); };
    stated = fmt::format("BMAJ={}, BMIN={}", restrict_to_ascii(source->raw("BMAJ")),
                         source->has("BMIN") ? restrict_to_ascii(source->raw("BMIN")) : "(missing)");
    beam = {value("BMAJ"), value("BMIN"), value("BPA")};
  } else if (read_aips(cards, beam)) {
    from = "HISTORY of AIPS CLEAN";
    stated = fmt::format("HISTORY AIPS CLEAN BMAJ={:g}, BMIN={:g}", beam.major_deg, beam.minor_deg);
  } else {
    result.note = "no BMAJ in the header";
    if (!no_table.empty()) result.note = result.warning = no_table + ", and no BMAJ";
    return result;
  }
  if (const std::string reason = objection(beam, wcs, shape); !reason.empty()) {
    result.note = fmt::format("{}: {}", stated, reason);
    result.warning = fmt::format("the beam is not used: {}", result.note);
    return result;
  }
  result.note = from;
  if (!std::isfinite(beam.pa_deg)) {
    beam.pa_deg = 0;
    result.note += "; no BPA, taken as 0";
  }
  beam.minor_deg = std::min(beam.minor_deg, beam.major_deg);
  result.beam = beam;
  if (!no_table.empty()) result.warning = no_table + ": BMAJ stands for all channels";
  return result;
}

}  // namespace reber::fits
