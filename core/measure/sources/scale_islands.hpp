// SPDX-License-Identifier: BSD-3-Clause
// Islands of several scales: the image's own islands inside them, and rows for the emission around these.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"

namespace reber {

/// The islands that the image by itself has inside islands of several scales: compact sources are measured there, as
/// they are without other scales.
struct InnerIslands {
  IslandPixels pixels;              ///< labelled 1, 2, ...
  std::vector<IslandSums> sums;     ///< one per island
  std::vector<std::int64_t> outer;  ///< label of the island of scales that holds it
};

/// outer: pixels of every island of scales
[[nodiscard]] InnerIslands inner_islands(const IslandPixels& outer, const DetectOptions& options);

/// Sums of the pixels of one island, as measure() has them.   which: entry of the islands
[[nodiscard]] IslandSums sums_of(const IslandPixels& all, std::size_t which, bool negative);

/// Gives every row of an inner island the label, the pixels and the sum of the island of scales that it is in.
void move_outward(std::vector<SourceRow>& rows, const InnerIslands& inner, const IslandPixels& outer,
                  const DetectOptions& options);

/// What is known where Gaussians were tried: the added rows are flagged as not fitted then.
struct FittedRows {
  const IslandPixels& around;                           ///< what surrounds the islands of wide rows
  const std::function<bool(const SourceRow&)>& is_sum;  ///< such a row, if it is alone, takes what it leaves itself
};

/// Adds a row with plain sums for each island of scales that holds emission which none of its rows does: above 3
/// errors. Order of the rows before: any; then island by island.
///   area: half the pixels over which noise is one, the beam's for white noise that it has smoothed
///   fitted: null where none was tried
///   waves: SourceRow::wave of the added rows, by label - 1; empty: 0
void add_scale_rows(std::vector<SourceRow>& rows, const IslandPixels& outer, const DetectOptions& options, double area,
                    std::span<const std::int64_t> waves = {}, const FittedRows* fitted = nullptr);

}  // namespace reber
