// SPDX-License-Identifier: BSD-3-Clause
// Images that are made of a cube: collapsed ones and moments, cuts along a line, grids of channel maps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/cube/collapse.hpp"
#include "gui/model/cube/spectrum.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/model/tables/source_shapes.hpp"

namespace reber::gui {

/// How such an image is labelled and saved.
struct MadeOfCube {
  /// One plane of a grid of channel maps.
  struct Cell {
    Rect where;  ///< in the image
    std::int64_t plane = 0;
    std::string text;                  ///< "-12.5 km/s"
    std::vector<SourceShape> sources;  ///< of the plane, in the pixels of the grid
    std::string no_sources;            ///< why it was not searched; empty where it was
  };
  /// Axes of a cut: offset along the line from 0 on, and the coordinate of each row.
  struct Cut {
    double step_arcsec = 1;
    std::vector<double> at;
    std::string unit;   ///< "km/s", "GHz", or empty of channels
    std::string label;  ///< "velocity (km/s), LSRK"
  };
  std::int64_t document = -1;  ///< of the cube
  double seconds = 0;          ///< that making it took
  std::vector<Cell> cells;
  std::string sources_told;  ///< whose sources the cells show; empty where they show none
  std::optional<Cut> cut;
  /// Writes the image as FITS; null where it has no file of its own.   throws as write_fits
  std::function<void(const std::string& path, bool overwrite)> save;
};

/// "offset 12.3 arcsec   -30.1 km/s": a place of a cut, or the plane of a channel map; empty elsewhere.
[[nodiscard]] std::string place_text(const MadeOfCube& made, PixelPosition at);

struct CubeImage {
  std::string name;
  std::shared_ptr<const ImageHeader> header;
  std::shared_ptr<const Pyramid> pixels;
  std::shared_ptr<MadeOfCube> about;
  bool smooth = false;  ///< coordinates, not brightness: shown by all their range
};

/// Of the planes that the request names, or of a region of them: blank outside, on the cube's own pixels. The noise of
/// a region, and of polarised intensities, is that of the whole planes, by SpectrumCube::measure_noise().
///   throws as collapse and RegionFile
[[nodiscard]] CubeImage collapsed_image(const SpectrumCube& cube, CollapseRequest request,
                                        const std::optional<Region>& region, Backend& backend,
                                        const Progress& progress);

/// Rows are the channels of the spectrum.   throws as SpectrumCube::cut
[[nodiscard]] CubeImage cut_image(const SpectrumCube& cube, const PvLine& line, const Progress& progress);

/// Sources of single planes, for channel maps (gui/model/plane_sources.hpp).
struct PlaneSources {
  std::string told;  ///< whose they are: "rows of list.csv by its column Plane"
  /// Of a plane, in its pixels.   throws DataError where it cannot be searched; Cancelled
  std::function<std::vector<SourceShape>(std::int64_t plane, const Progress&)> of;
};

/// The same part of each plane, row by row from the upper left; a gap of blank pixels between them.
///   channels: places on the played axis   columns: of the grid   part: inside the image
///   sources: drawn over each map; a plane that cannot be searched says why
///   throws DataError, Cancelled
[[nodiscard]] CubeImage channel_maps(const SpectrumCube& cube, const std::vector<std::int64_t>& channels,
                                     std::int64_t columns, const Rect& part, const std::optional<PlaneSources>& sources,
                                     const Progress& progress);

}  // namespace reber::gui
