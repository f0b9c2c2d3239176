// SPDX-License-Identifier: BSD-3-Clause
// How a row of the catalogue came about: peaks of its island, fits that were
// tried, refinements that changed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace reber {

struct SourceRow;

/// A peak of an island above the seed threshold that joined a greater one where the two met.
struct JoinedPeak {
  std::int64_t y = 0, x = 0, into_y = 0, into_x = 0;  ///< brightest pixels
  double peak = 0,
         level = 0;     ///< above background, in rms at the peak; where they met
  bool itself = false;  ///< it is the lesser one that does not stand, else the greater
};

/// What a fit is: with weights for correlated noise or ordinary ones; with a component more where most was left, two
/// beams in place of a wide one, all shapes free, or the beam's shape; the beam against the measured noise.
enum class FitRung { correlated, plain, residual, pair, shapes, beam_shape, significance, finished };

/// A fit that was tried on an island or on a part of it.
struct FitAttempt {
  enum class Of { island, part, core, parts_together } of = Of::island;
  FitRung rung = FitRung::finished;
  std::size_t components = 0;
  std::int64_t pixels = 0;  ///< fitted ones
  bool correlated = false;  ///< weights are those of correlated noise
  double chi2 = 0;
  enum class Outcome { taken, refused, unsettled } outcome = Outcome::unsettled;
};

/// A row as it was before a refinement.
struct RowChange {
  std::size_t refinement = 0;  ///< entry of refinements()
  std::shared_ptr<const SourceRow> before;
};

/// Null where there is nothing to tell. Rows of one island share the first two.
struct RowStory {
  std::shared_ptr<const std::vector<JoinedPeak>> joined;
  std::shared_ptr<const std::vector<FitAttempt>> attempts;
  std::vector<RowChange> changes = {};
};

}  // namespace reber
