// SPDX-License-Identifier: BSD-3-Clause
// Source counts of an image, with what is missed and misplaced by noise put right.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/studies/completeness.hpp"
#include "core/studies/quality/field.hpp"

namespace reber {

struct CountBin {
  double low = 0, high = 0;               ///< Jy
  std::int64_t found = 0, negative = 0;   ///< sources, and detections of the negative image
  double factor = 1;                      ///< true over found sources of such a bin
  double number = 0, e_number = 0;        ///< (found - negative) factor
  double raw = 0;                         ///< S^2.5 dN/dS of `found`, Jy^1.5 / sr
  double euclidean = 0, e_euclidean = 0;  ///< the same of `number`
};

struct SourceCounts {
  std::vector<CountBin> bins;  ///< rising
  double slope = 2;            ///< of dN/dS ~ S^-slope, by the bright sources
  double area_sr = 0;
  double chi2 = std::numeric_limits<double>::quiet_NaN();  ///< reduced, against hopkins_counts()
  std::string none;                                        ///< why there are no counts; empty where there are
};

/// S^2.5 dN/dS at 1.4 GHz in Jy^1.5 / sr; NaN outside of 0.05 mJy to 1 Jy.   Hopkins et al. (2003), AJ 125, 465
[[nodiscard]] double hopkins_counts(double flux_jy);

/// Bins of a fifth of a decade in flux: peaks of unresolved sources, totals of resolved ones. The factor of a bin is
///   int n(S) dS over int n(S) <C(S / rms) P(found flux in the bin | S, rms)>_rms dS,    n(S) ~ S^-slope,
/// with C, the ratio of found to true peak and its scatter from the injected sources, and the mean over the noise map.
/// slope: by maximum likelihood of the sources above S/N 10 over 95 % of the area; 2 for fewer than ten of these.
///   completeness: null: the factors are 1
[[nodiscard]] SourceCounts count_sources(const Result& result, const FieldNumbers& field,
                                         const CompletenessResult* completeness);

}  // namespace reber
