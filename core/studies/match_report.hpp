// SPDX-License-Identifier: BSD-3-Clause
// What a match says: text, JSON, plots and the matched table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/show/picture/panels.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/studies/match.hpp"

namespace reber {

/// A catalogue with its recognised columns.
struct MatchInput {
  std::string path;
  Catalogue table;
  SkyList list;
};

[[nodiscard]] std::string to_text(const MatchInput& a, const MatchInput& b, const MatchRadius& radius,
                                  const MatchSummary& summary);
[[nodiscard]] std::string to_json(const MatchInput& a, const MatchInput& b, const MatchRadius& radius,
                                  const MatchSummary& summary);
/// Columns that matched_catalogue() would have.
[[nodiscard]] std::size_t matched_columns(const MatchInput& a, const MatchInput& b);

/// One row per pair: RA, DEC of A, Separation, dRA, dDEC, flux ratios, then all columns of A with _1 behind their names
/// and of B with _2.
[[nodiscard]] Catalogue matched_catalogue(const MatchInput& a, const MatchInput& b, const MatchSummary& summary);
/// The rows of a list that are in no pair.
[[nodiscard]] Catalogue unmatched_catalogue(const MatchInput& list, const MatchSummary& summary, bool of_a);

/// Values of pairs against S/N, with a reference line at one value and medians in steps of a third of a decade.
[[nodiscard]] Panel along_snr(const char* title, const char* label, const std::vector<double>& snr,
                              const std::vector<double>& values, double reference, std::pair<double, double> range);
/// Offsets, flux against flux, flux ratio against S/N, offsets over their errors.   throws as write_catalogue
void write_match_plot(const std::string& path, const MatchInput& a, const MatchInput& b, const MatchRadius& radius,
                      const MatchSummary& summary, bool overwrite);

}  // namespace reber
