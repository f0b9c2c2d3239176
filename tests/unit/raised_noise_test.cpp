// SPDX-License-Identifier: BSD-3-Clause
// Whose errors are those of the noise without its own sidelobes: the fit of the bright source, and nothing beside it.
#include "core/measure/fitting/raised_noise.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace reber::testing {
namespace {

struct Row {
  std::int32_t y, x;
  double peak;  ///< 0: by moments
};

/// What the errors of places, or of peaks, are for, times 4; 0 without a fit.
std::vector<double> errors_of(const std::vector<Row>& rows, const std::vector<RaisedNoise>& raised, bool peaks = true,
                              double SourceFit::*error = &SourceFit::quiet) {
  std::vector<SourceRow> its(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    its[k].sums.peak_y = rows[k].y, its[k].sums.peak_x = rows[k].x;
    if (rows[k].peak == 0) continue;
    its[k].fit.gaussian.emplace();
    its[k].fit.gaussian->component.peak = rows[k].peak;
  }
  take_out_own_sidelobes(raised, its, peaks);
  std::vector<double> errors;
  for (const SourceRow& row : its) errors.push_back(row.fit.gaussian ? 4 * row.fit.*error : 0);
  return errors;
}

TEST(RaisedNoise, the_source_has_the_errors_of_quiet_noise_and_its_neighbours_keep_theirs) {
  const std::vector<RaisedNoise> raised{{90, 12, 0.5}, {20, 30, 0.25}};
  EXPECT_EQ(errors_of({{20, 30, 900}, {20, 32, 10}, {22, 30, 10}, {91, 11, 900}, {0, 0, 5}}, raised),
            (std::vector<double>{1, 4, 4, 2, 4}));
}

TEST(RaisedNoise, of_rows_at_one_place_it_is_the_highest) {
  EXPECT_EQ(errors_of({{20, 30, 0}, {20, 31, 10}, {20, 30, 900}, {20, 30, 40}}, {{20, 30, 0.25}}),
            (std::vector<double>{0, 4, 1, 4}));
}

TEST(RaisedNoise, ordinary_weights_keep_the_errors_of_peaks) {
  const std::vector<RaisedNoise> raised{{20, 30, 0.25}};
  EXPECT_EQ(errors_of({{20, 30, 900}}, raised, true, &SourceFit::quiet_peak), std::vector<double>{1});
  EXPECT_EQ(errors_of({{20, 30, 900}}, raised, false, &SourceFit::quiet_peak), std::vector<double>{4});
  EXPECT_EQ(errors_of({{20, 30, 900}}, raised, false, &SourceFit::quiet), std::vector<double>{1});
}

TEST(RaisedNoise, without_sidelobes_nothing_changes) {
  EXPECT_EQ(errors_of({{20, 30, 900}}, {}), std::vector<double>{4});
}

}  // namespace
}  // namespace reber::testing
