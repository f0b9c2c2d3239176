// SPDX-License-Identifier: BSD-3-Clause
// What a background is made of: one table of terms, in the order in which they are asked, and the passes over it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/background/background_pixels.hpp"
#include "core/measure/background/cell_trends.hpp"
#include "core/measure/background/fine_cells.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Islands grown by what surrounds some of them, by a model of the background.
using GrownIslands = std::function<std::unique_ptr<IslandMap>(const BackgroundModel& model)>;
/// Tells how islands of a model are to be grown; nothing where they are not.
using FindSurroundings = std::function<GrownIslands(const BackgroundModel& model, const MaskedIslands& islands)>;

/// How a background is measured.
struct BackgroundSetup {
  MeshGrid grid;                  ///< of the cells
  MeshOptions options;            ///< of the first pass; in the others the centre is the median
  std::optional<FineCells> fine;  ///< near bright sources
  std::int64_t least_side = 0;    ///< of cells that follow waves or a trend of the noise; 0: of those that there are
  int passes = 2;
  double bright_sigma = 0;  ///< in rms: sources above it have fine cells, or sidelobes
  std::optional<double> beam_px;
  bool levels = false;                     ///< whether those under compact sources are looked for
  std::optional<DetectOptions> next = {};  ///< what will be looked for in the plane; no result depends on it
  FindSurroundings surroundings = {};      ///< asked after the last of two passes or more, where the beam is known
};

/// A background that is being measured: what terms are told, and what they change.
struct Measuring {
  const BackgroundSetup& setup;
  const BackgroundPixels& image;
  const BackgroundPixels* pixels;  ///< that this pass looks at: the image, or it without the islands of the pass before
  int pass = 0;
  CellTrends trends = {};                    ///< what cells are measured without
  std::optional<MeshCells> known = {};       ///< cells about these trends; nothing: not measured yet
  BackgroundModel model = {};                ///< of the cells, as far as terms have made it
  std::vector<BrightSource> bright = {};     ///< with fine cells, or with sidelobes
  std::vector<BrightSource> sources = {};    ///< islands that the last pass left out, where the beam is known
  std::optional<BackgroundModel> even = {};  ///< the model before nodes about sources were added
  std::vector<std::string> words = {};       ///< what the report says of the terms that there are

  [[nodiscard]] const MeshGrid& grid() const { return trends.noise ? trends.noise->cells : setup.grid; }
  [[nodiscard]] MeshOptions options() const;
  /// Cells of any grid about trends.
  [[nodiscard]] MeshCells measured(const MeshGrid& cells_of, const CellTrends& without) const;
  /// Those of grid() about the trends that there are, measured where they are not known.
  [[nodiscard]] MeshCells& cells();
};

/// A row of the table.
struct BackgroundTerm {
  std::string_view name, what;                  ///< as the documents have them
  enum class Asked { every_pass, last } asked;  ///< in every pass, or once after the last
  void (*apply)(Measuring& background);  ///< finds the term and applies it; where there is none it changes no bit
};

/// In the order in which they are asked.
[[nodiscard]] std::span<const BackgroundTerm> background_terms();

/// Does all passes. The first sees all pixels and takes the mode of each cell; each further one leaves out the islands
/// (5 sigma, down to 3) of the pass before, grown by half a beam, and takes the median. Where islands have surroundings
/// to be left out, three more leave out these.
///   returns false, and no model, where no cell is usable   throws DeviceError, Cancelled
[[nodiscard]] bool measure_passes(Measuring& background);

}  // namespace reber
