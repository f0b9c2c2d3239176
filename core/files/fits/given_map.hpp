// SPDX-License-Identifier: BSD-3-Clause
// Maps of background and noise that a user gives for an image: whether they are of its size, sky and unit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/fits/mesh_map.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// A map whose pixels are still in its file, or its nodes.
struct GivenMap {
  std::shared_ptr<const ImagePlane> file;
  std::optional<MeshMap> nodes;  ///< in the image's unit
  double factor = 1;             ///< the file's values times this are in the image's unit
  std::vector<std::string> warnings, notes;
};

/// Opens a map of the image: of its size, on its sky and in its unit, or in one that differs by a prefix alone. Of a
/// cube with as many planes as the image's, the image's plane. Warns of a map without sky coordinates and of one of
/// another OBJECT.   what: "mean" or "rms"
///   throws InputError for a map of another size, sky or unit; as ImagePlane::open
[[nodiscard]] GivenMap open_given_map(const std::string& path, const char* what, const ImageHeader& image,
                                      const Progress& progress = {});

/// What the values of a map are multiplied with to be in the image's unit: 1 where either states none.
///   returns nothing where they measure different things
[[nodiscard]] std::optional<double> unit_factor(const Unit& map, const Unit& image);

/// How far apart the two headers place the image's corners and its middle on the sky, at most, in pixels of the image
/// (the longer side): NaN where nothing can be compared, infinite where the map has no sky at one of them.
///   nodes: the places of the map's pixels in the image; null where they are the image's
[[nodiscard]] double pixels_apart(const ImageHeader& map, const MeshMap* nodes, const ImageHeader& image);

}  // namespace reber
