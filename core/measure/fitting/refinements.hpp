// SPDX-License-Identifier: BSD-3-Clause
// What is done with rows once they are fitted: one table, in the order in which
// it is done.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/fitting/wide_fits.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/island_rows.hpp"
#include "core/sky/mask/searched_pixels.hpp"

namespace reber {

/// What refinements are told of an image and its rows.
struct Refining {
  Backend& backend;
  const Plane& plane;
  const BackgroundModel& background;
  const IslandPixels& pixels;  ///< of every island
  const DetectOptions& options;
  const SourceFitter& fitter;
  const BeamField& beams;
  const KnownPixels& known;
  const SearchedPixels* searched = nullptr;  ///< null: everywhere
  /// Of which islands these are. Sums of those inside an island of scales grow with the whole one, once all of its rows
  /// are there.
  enum class Islands { image, inside_scales, scales } islands = Islands::image;
  ThreadPool& pool;
  const Job& job;
  std::span<SourceRow> rows = {};           ///< all
  std::optional<IslandPixels> around = {};  ///< what surrounds wide islands, as the fits left these
};

/// A row of the table.
struct Refinement {
  std::string_view name, what;  ///< as the documents have them
  /// What it looks at: the rows alone, the pixels around their islands, or these where rows keep sums of pixels.
  enum class Looks { at_rows, around, around_sums } looks;
  bool (*applies)(std::span<const SourceRow> island, const Refining& in);
  /// Changes rows of islands to which it applies. It neither adds nor removes any.
  void (*refine)(std::span<const IslandRows> islands, Refining& in);
};

/// In the order in which they are done.
[[nodiscard]] std::span<const Refinement> refinements();

/// What fits with surroundings see, once `around` is fetched. Of images with a beam.
[[nodiscard]] WideFitInputs wide_inputs(const Refining& in);

/// Fetches `around`, of the islands that want it as their rows stand.   throws DeviceError, Cancelled
void look_around(std::span<const IslandRows> islands, Refining& in);

/// Does all of them. Rows that one changed keep what they were before (RowStory).   throws DeviceError, Cancelled
void refine_rows(std::span<SourceRow> rows, Refining& in);

}  // namespace reber
