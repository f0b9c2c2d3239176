// SPDX-License-Identifier: BSD-3-Clause
// The sources of an image held against a catalogue: astrometry and flux scale.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/studies/match_report.hpp"

namespace reber {

/// A catalogue to hold the image against: a path, and "@MHZ" behind it where its frequency is not in the file.
struct AgainstInput {
  std::string path;
  double frequency_hz = std::numeric_limits<double>::quiet_NaN();
  std::optional<Catalogue> table = {};  ///< in place of what the path, then a name alone, has
};
[[nodiscard]] AgainstInput against_input(const std::string& word);

struct Comparison {
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::string path, name;  ///< name: of the file, without its ending
  std::string columns;     ///< what was taken for what
  std::string failure;     ///< why there is no comparison; empty where there is one
  MatchRadius radius;
  MatchSummary summary;                  ///< of the image's list, shifted, with the catalogue
  double shift_lon = 0, shift_lat = 0;   ///< arcsec, catalogue less image: taken out before pairing, for a large offset
  double d_lon = kNan, d_lat = kNan;     ///< median offsets in all, arcsec, catalogue less image
  double flux_factor = 1;                ///< that the catalogue's fluxes are multiplied with, for its frequency
  std::string flux_note;                 ///< about that
  std::vector<double> ratio, ratio_snr;  ///< image over catalogue, of the pairs that count
  Spread flux;                           ///< of them
  [[nodiscard]] double offset() const;
  [[nodiscard]] double e_offset() const;
};

/// Spectral index with which fluxes are taken from one frequency to another.
inline constexpr double kUsualIndex = -0.8;

/// Pairs as 'reber match' makes them. Where the wider pairs show a common offset that is more than a quarter of the
/// radius, the image's list is shifted by it first, so that an offset cannot hide itself.
///   image: the sources of the image   frequency_hz: its own; NaN where unknown
///   A catalogue that cannot be read or held against the image gives a `failure`.   throws Cancelled
[[nodiscard]] Comparison compare(const MatchInput& image, double frequency_hz, const AgainstInput& with,
                                 const Progress& progress);

}  // namespace reber
