// SPDX-License-Identifier: BSD-3-Clause
// Islands of an image whose bands lie with several backends: those inside a band are found there, the others about the
// border that they cross.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/banded/plane.hpp"
#include "kernels/shared/background_of.hpp"

namespace reber::banded {

using BandedBackground = BackgroundOf<BandedPlane>;

/// Islands of some rows of the image, as a member keeps them.
struct IslandGroup {
  std::size_t part = 0;                  ///< whose they are
  Rows rows;                             ///< of the image
  Rows reach{0, 0};                      ///< that the wanted islands have pixels in, from rows.begin on
  LabelRuns runs;                        ///< of all islands of the group, of which not all need be wanted
  std::vector<std::int32_t> label;       ///< of each island in the image, or 0 where another group has it
  const Backend* by = nullptr;           ///< who made the map
  std::shared_ptr<const IslandMap> map;  ///< null while nobody has
};

class BandedIslands final : public IslandMap {
 public:
  BandedIslands(std::shared_ptr<Members> members, Shape image, const DetectOptions& options, std::int64_t islands,
                std::vector<IslandGroup> groups);
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] const DetectOptions& options() const override { return options_; }
  [[nodiscard]] const void* home() const { return members_.get(); }

  /// All runs of the image's islands, in raster order.
  [[nodiscard]] const std::shared_ptr<const LabelRuns>& runs() const { return runs_; }
  [[nodiscard]] std::vector<IslandGroup>& groups() const { return groups_; }

 private:
  std::shared_ptr<Members> members_;
  Shape shape_;
  DetectOptions options_;
  std::int64_t count_;
  mutable std::vector<IslandGroup> groups_;
  std::shared_ptr<const LabelRuns> runs_;
};

/// Backend::islands_of(): each island with one member.   margin: of the plane that will be measured
[[nodiscard]] std::unique_ptr<BandedIslands> islands_of_runs(const std::shared_ptr<Members>& members,
                                                             const LabelRuns& runs, std::int64_t count,
                                                             const DetectOptions& options, std::int64_t margin);

/// Backend::measure() and Backend::island_pixels().
[[nodiscard]] std::vector<IslandSums> measure_islands(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                                      const BackgroundModel& background, const BandedIslands& islands,
                                                      const Job& job);
[[nodiscard]] IslandPixels gather_pixels(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                         const BackgroundModel& background, const BandedIslands& islands,
                                         std::int64_t min_pixels, const Job& job);

/// Rows [rows.begin, rows.end) of the runs of an image, as those of an image of these rows, all of one island.
[[nodiscard]] LabelRuns clipped(const LabelRuns& runs, Rows rows);

/// Backend::draw_labels().
void draw_labels(const LabelRuns& runs, const Rect& where, std::int32_t* out);

}  // namespace reber::banded
