// SPDX-License-Identifier: BSD-3-Clause
// The one table of what a quality report measures: name, unit, words, and which other metric explains a bad value.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/studies/quality/levels.hpp"

namespace reber {

struct MetricRow {
  std::string_view name;  ///< in JSON, VOTable and levels; never changes
  std::string_view title;
  std::string_view unit;  ///< "JY/BEAM" stands for the image's own unit; empty: a pure number
  std::string_view text;  ///< how it is measured, in a sentence
  /// Names of metrics, with blanks between them. Where one of them is flagged, a flag of this one is its consequence.
  std::string_view follows = "";
};

namespace metric_rows {
// clang-format off
inline constexpr auto kRows = std::to_array<MetricRow>({
    {"beam", "Restoring beam", "", "1 where the header or --beam states one."},
    {"sky", "Sky coordinates", "", "1 where the header has a celestial coordinate system that can be used."},
    {"blank", "Blank pixels", "", "Part of the image that is blank or exactly 0. The corners outside the convex hull of the other pixels do not count, since round fields leave them."},
    {"noise_known", "Noise known", "", "Part of the pixels that are not blank whose noise could be measured.", "blank"},
    {"beam_sampling", "Pixels per beam", "pixels", "Minor FWHM of the beam in the middle of the image.", "beam sky"},
    {"beam_ratio", "Beam axis ratio", "", "Major over minor FWHM of the beam.", "beam"},
    {"median_rms", "Median noise", "JY/BEAM", "Median of the noise map.", "blank beam"},
    {"rms_ratio", "Noise range", "", "95 % over 5 % quantile of the noise map."},
    {"rms_quadrants", "Noise of the quadrants", "", "Largest over smallest median of the noise map in the four quadrants of the image.", "blank"},
    {"background", "Background", "", "Median of (pixel - background) / noise."},
    {"snr_width", "Width of the noise", "", "Median less 15.87 % quantile of (pixel - background) / noise: 1 where the noise is right.", "ripple"},
    {"ripple", "Strongest wave", "", "Power of the strongest plane wave in the image without its sources over that of others and over ln(number of waves): about 1 where there is noise alone."},
    {"ripple_amplitude", "Amplitude of the wave", "sigma", "Amplitude of that wave, in units of the noise.", "ripple"},
    {"sources", "Sources", "", "Number of sources found.", "beam blank"},
    {"negatives", "Negative detections", "", "Sources found in the negative image over those found in the image.", "ripple snr_width rms_quadrants"},
    {"dynamic_range", "Dynamic range", "", "Largest peak over the median noise.", "median_rms"},
    {"resolved", "Resolved sources", "", "Part of the sources whose total flux over peak is beyond what noise makes of a point.", "beam ripple"},
    {"complete_50", "Half complete at", "", "S/N at which half of the injected sources are found, over the threshold of detection.", "beam ripple blank snr_width"},
    {"complete_90", "90 % complete at", "JY/BEAM", "Peak at which nine tenths of the injected sources are found, at the median noise.", "beam ripple blank median_rms"},
    {"recovered_flux", "Recovered flux", "", "Median of found over injected total flux of the injected sources above S/N 20.", "beam ripple"},
    {"counts_chi2", "Source counts", "", "Reduced chi^2 of the corrected Euclidean counts against those of Hopkins et al. (2003), taken to 1.4 GHz by a spectral index of -0.8.", "flux_ratio median_rms"},
    {"pairs", "Pairs", "", "Sources that are in both lists, as 'reber match' pairs them."},
    {"offset", "Position offset", "arcsec", "Length of the median offset, catalogue less image.", "sky"},
    {"offset_beams", "Offset in beams", "", "The same over the geometric mean of the beam's FWHMs.", "sky beam offset"},
    {"offset_scatter", "Position scatter", "arcsec", "Root of the sum of the squared scatters of both offsets (1.4826 x median distance from the median).", "sky beam median_rms"},
    {"flux_ratio", "Flux ratio", "", "Median of image over catalogue total flux, of pairs above S/N 10 where there are ten of them.", "beam"},
    {"flux_scatter", "Flux scatter", "", "Scatter of that ratio (1.4826 x median distance from the median).", "beam flux_ratio median_rms ripple"},
});
// clang-format on
}  // namespace metric_rows

inline constexpr const auto& kMetrics = metric_rows::kRows;

/// Null where there is no such row.
[[nodiscard]] const MetricRow* metric_row(std::string_view name);

struct Metric {
  /// told: it has no level. unmeasured: `reason` says why.
  enum class Status { pass, uncertain, fail, told, unmeasured };

  const MetricRow* row = nullptr;
  std::string of;  ///< the catalogue that it is against; empty else
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = 0;  ///< 1 sigma; 0: not known
  std::string reason = {};
  Status status = Status::told;
  std::string because_of = {};  ///< titles of the flagged metrics that explain this flag; empty: it is a cause itself
  [[nodiscard]] bool flagged() const { return status == Status::uncertain || status == Status::fail; }
};
[[nodiscard]] std::string_view word_of(Metric::Status status);

/// Sets status and because_of of each.
void judge(std::vector<Metric>& metrics, const Levels& levels);

/// "0.9 to 1.1", "at most 2", "at least 3"; empty for an interval that holds everything.
[[nodiscard]] std::string words_of(const Interval& interval);

/// The table as Markdown, with the levels that Reber ships, for docs/report.md.
[[nodiscard]] std::string metrics_document();

}  // namespace reber
