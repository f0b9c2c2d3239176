// SPDX-License-Identifier: BSD-3-Clause
// Completeness, flux and position errors of an image, measured with sources of known flux put into it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/pipeline/pipeline.hpp"
#include "core/show/picture/panels.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/unit.hpp"
#include "core/studies/match.hpp"

namespace reber {

struct CompletenessOptions {
  std::int64_t per_bin = 100;    ///< sources injected in each bin
  std::int64_t bins = 12;        ///< equal in log S/N
  double low = 2.5, high = 100;  ///< S/N: injected peak over the local rms
  /// Jy/beam, of images per beam alone: peaks are drawn between these instead, bins stay in S/N.
  std::optional<double> low_flux, high_flux;
  std::uint64_t seed = 1;
  double separation = 8;  ///< between injected sources of one round, FWHMs of the beam
  double size_deg = 0;    ///< FWHM of the sources before the beam; 0: points
  bool residual = false;  ///< into the image less its sources
  std::int64_t most_rounds = 1000;
};

/// A part of a number of trials with its Wilson (1927) interval at one sigma.
struct Fraction {
  std::int64_t hits = 0, trials = 0;
  [[nodiscard]] double value() const;
  [[nodiscard]] double low() const;
  [[nodiscard]] double high() const;
};

struct CompletenessBin {
  double low = 0, high = 0;        ///< S/N
  Fraction all, clear;             ///< found of injected; clear: of those on no source of the image
  Fraction reliable;               ///< 1 - negative / positive detections of the image itself, by their own S/N
  Spread total_ratio, peak_ratio;  ///< found over injected, clear ones
  Spread d_lon, d_lat;             ///< found - injected, arcsec
  Spread pull_total, pull_peak, pull_x, pull_y;  ///< over the catalogue's errors
};

struct CompletenessResult {
  std::vector<CompletenessBin> bins;
  std::int64_t rounds = 0, injected = 0, on_sources = 0;
  double fwhm_px = 0, median_rms = 0;       ///< rms: in `unit` without its prefix
  Unit unit;                                ///< of the image; `unknown` where it has none
  double threshold = 0;                     ///< of detection, as used
  std::int64_t positive = 0, negative = 0;  ///< detections of the image itself
  double snr_50 = 0, snr_90 = 0;  ///< S/N at which clear completeness reaches a half and nine tenths; NaN: not reached
  std::string image_text;         ///< "the image" or "the image less its sources"
};

/// Runs `request` on the image, then on the image with sources added, until every bin has its number of them. They are
/// Gaussians of the beam's shape, or of a size before the beam, at places drawn uniformly over the known pixels. Places
/// come of Philox counters: a seed gives the same answer on every backend and any number of threads.
/// An injected source is found where a source lies within half a FWHM of it, and not nearer to one that the image had
/// before. Its output files are not written.
///   throws InputError without a beam on a sky grid, and with fluxes of another unit than the image's; Cancelled
[[nodiscard]] CompletenessResult measure_completeness(Request request, const CompletenessOptions& options,
                                                      std::shared_ptr<Backend> backend, const Progress& progress,
                                                      const LogSink& log);

[[nodiscard]] std::string to_text(const CompletenessResult& result);
[[nodiscard]] std::string to_json(const CompletenessResult& result);
/// One row per bin.
[[nodiscard]] Catalogue completeness_table(const CompletenessResult& result, const std::vector<std::string>& history);
/// Completeness, reliability, flux ratio and pulls against S/N.
[[nodiscard]] std::vector<Panel> completeness_panels(const CompletenessResult& result);
/// The same as a file.   throws as write_catalogue
void write_completeness_plot(const std::string& path, const CompletenessResult& result, const std::string& title,
                             bool overwrite);

}  // namespace reber
