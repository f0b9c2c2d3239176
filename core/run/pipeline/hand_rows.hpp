// SPDX-License-Identifier: BSD-3-Clause
// What a person asks of the rows of a result, and the rows with what came of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/words.hpp"
#include "core/measure/sources/source.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// How a row came into the list. refitted: found, and fitted again beside a row that a person asked for.
enum class Origin { found, refitted, added, merged, split, moved };
template <>
inline constexpr auto words<Origin> = std::to_array<Word<Origin>>({{"found", Origin::found, "found"},
                                                                   {"refitted", Origin::refitted, "fitted again"},
                                                                   {"added", Origin::added, "added"},
                                                                   {"merged", Origin::merged, "merged"},
                                                                   {"split", Origin::split, "split"},
                                                                   {"moved", Origin::moved, "moved"}});

/// A place on the grid, 0-based pixels.
struct HandPlace {
  double x = 0, y = 0;
  bool operator==(const HandPlace&) const = default;
};

inline constexpr std::int64_t kMostParts = 6;  ///< that a row is split into
inline constexpr double kLeastHandSnr = 3;     ///< peak of a row that is asked for, over its error

/// What a person asked for. Rows are known by their places, so that it holds for the next run as well.
struct HandFit {
  Origin kind = Origin::added;      ///< added, merged, split or moved
  std::vector<HandPlace> replaces;  ///< the rows it stands for: none added, two or more merged, one split or moved
  std::optional<HandPlace> start;   ///< where the fit begins, of one added or moved
  std::int64_t parts = 1;           ///< components, of one split: 2 to kMostParts
  bool operator==(const HandFit&) const = default;
};

/// Whether it has what its kind needs, in numbers that are finite.
[[nodiscard]] bool can_be(const HandFit& fit);

/// A result's rows with those asked for: the finder's first, in their order, then the others.
struct HandRows {
  std::size_t found = 0;               ///< number of the finder's rows
  std::vector<Source> sources;         ///< `row` of those behind the finder's is an entry of `rows`
  std::vector<Origin> origin;          ///< one per source
  std::vector<std::uint8_t> replaced;  ///< one per source: another row stands for it
  std::vector<HandFit> fits;           ///< that were asked for
  std::vector<std::size_t> fit;        ///< of each source behind the finder's: the entry that it came of
  std::vector<std::string> why_not;    ///< one per fit; empty where it is in force
  std::vector<SourceRow> rows;         ///< of those behind the finder's

  /// Sources that no other row stands for, in order.
  [[nodiscard]] std::vector<Source> standing() const;
};

/// How far a row may move and still be the same: half the beam's minor axis, in pixels; one pixel without a beam.
[[nodiscard]] double same_row_px(const ImageHeader& header, const std::optional<Beam>& beam);

}  // namespace reber
