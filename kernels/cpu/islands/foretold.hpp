// SPDX-License-Identifier: BSD-3-Clause
// Runs of pixels above the thresholds of a streamed plane that are found in the walk which measures the background.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "kernels/cpu/islands/strips.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/foretold_nodes.hpp"

namespace reber::cpu {

/// The strips of an image, none of them scanned yet.
struct Scanned {
  explicit Scanned(const CpuPlane& plane);

  std::vector<Strip> strips;
  std::unique_ptr<PixelKeeper> keeper;
};

/// Strips that were scanned before anybody asked for them.
class Foretold {
 public:
  /// nodes: that the pixels were compared with
  Foretold(Scanned found, std::weak_ptr<const RowMaker> of, const DetectOptions& options, ForetoldNodes nodes);

  /// Makes these the strips of that plane, background and options: where a node has other bits than was foretold, the
  /// pixels about it are read and compared again.   returns false where they are of something else, or too many nodes
  /// are others: the strips are then of no use
  [[nodiscard]] bool become(const CpuPlane& plane, const CpuBackground& background, const DetectOptions& wanted,
                            const JobThreads& threads);
  [[nodiscard]] Scanned take() && { return std::move(found_); }

 private:
  /// Scans a strip again, with the pixels of these rectangles read.   returns false where they cannot be read alone
  [[nodiscard]] bool mend(std::int64_t number, const std::vector<Rect>& where, const CpuPlane& plane,
                          const BackgroundRows& rows, StripScratch& scratch);

  Scanned found_;
  std::weak_ptr<const RowMaker> of_;
  DetectOptions options_;
  ForetoldNodes nodes_;
};

/// Goes along with the walk that measures cells, and scans the rows whose nodes are known, as though no cell were
/// without a value.
class Foreteller {
 public:
  /// plane: whose islands will be looked for; streamed
  Foreteller(const CpuPlane& plane, const MeshGrid& grid, int filter, const DetectOptions& options);
  Foreteller(const Foreteller&) = delete;
  Foreteller& operator=(const Foreteller&) = delete;
  ~Foreteller() = default;

  /// Rows that stand in memory at a time where the walk takes these groups of rows of cells.
  ///   edges: first rows of cells of the groups, then the end
  [[nodiscard]] static std::int64_t rows_held(const MeshGrid& grid, int filter, const std::vector<std::int64_t>& edges);

  /// rows: [y0, y1) of the plane; they begin no later than those before end.   measured: rows of cells of `cells`
  void follow(HeldRows rows, std::int64_t y0, std::int64_t y1, const MeshCells& cells, std::int64_t measured,
              const JobThreads& threads);
  /// returns null where the walk did not come to its end
  [[nodiscard]] std::unique_ptr<Foretold> end();

 private:
  struct Group {
    HeldRows rows;
    std::int64_t y0, y1;
  };

  CpuPlane plane_;
  int filter_;
  DetectOptions options_;
  MeshAxis axis_;
  BackgroundModel model_;  ///< of the nodes that are known
  BackgroundRows rows_;    ///< of model_
  Scanned found_;
  std::vector<StripScratch> scratch_;
  std::deque<Group> held_;     ///< rows that are not all scanned
  std::int64_t filtered_ = 0;  ///< rows of nodes that are known
  std::int64_t done_ = 0;      ///< rows [0, done_) are scanned
};

}  // namespace reber::cpu
