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

namespace reber::gui {

/// How such an image is labelled and saved.
struct MadeOfCube {
  /// One plane of a grid of channel maps.
  struct Cell {
    Rect where;  ///< in the image
    std::int64_t plane = 0;
    std::string text;  ///< "-12.5 km/s"
  };
  /// Axes of a cut: offset along the line from 0 on, and the coordinate of each row.
  struct Cut {
    double step_arcsec = 1;
    std::vector<double> at;
    std::string unit;   ///< "km/s", "GHz", or empty of channels
    std::string label;  ///< "velocity (km/s), LSRK"
  };
  std::int64_t document = -1;  ///< of the cube
  std::vector<Cell> cells;
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

/// throws as CubeSource::open and collapse
[[nodiscard]] CubeImage collapsed_image(const std::string& path, const OpenOptions& options,
                                        const CollapseRequest& request, Backend& backend, const Progress& progress);

/// Rows are the channels of the spectrum.   throws as SpectrumCube::cut
[[nodiscard]] CubeImage cut_image(const SpectrumCube& cube, const PvLine& line, const Progress& progress);

/// The same part of each plane, row by row from the upper left; a gap of blank pixels between them.
///   channels: places on the played axis   columns: of the grid   part: inside the image
///   throws DataError, Cancelled
[[nodiscard]] CubeImage channel_maps(const SpectrumCube& cube, const std::vector<std::int64_t>& channels,
                                     std::int64_t columns, const Rect& part, const Progress& progress);

}  // namespace reber::gui
