// SPDX-License-Identifier: BSD-3-Clause
// Images of images for Python: regridding, mosaics, cubes through steps.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "python/module/image_run.hpp"

namespace reber::python {

// Common to all:
//   words    the command's options by keyword; paths are texts, "" where there is none
//   call     lines for HISTORY
//   returns  a dict: history, warnings, and where they are known beam (degrees) and noise_gain

/// A file or cube onto a grid, into files.   name, among the words: what the file is called   throws as grid_of and
/// Regridding
[[nodiscard]] nanobind::dict regrid(const std::string& path, const nanobind::dict& words, const nanobind::dict& with,
                                    const std::optional<BeamTuple>& beam, const std::vector<std::string>& call,
                                    const nanobind::object& progress);

/// An image in memory onto a grid. pixels: an array, or lent_source()'s tuple; the result has `image`, an array where
/// the pixels are one, else a DeviceMap of the same card, and `cards`.
///   throws as grid_of and Regridding; InputError for pixels on a card in a unit per pixel
[[nodiscard]] nanobind::dict regrid_array(const nanobind::object& pixels, const std::string& cards,
                                          const nanobind::dict& words, const nanobind::dict& with,
                                          const std::optional<BeamTuple>& beam, const std::vector<std::string>& call,
                                          const nanobind::object& progress);

/// fields: (path, name, scale, east, north, rms or None)   throws as make_mosaic
[[nodiscard]] nanobind::dict mosaic(const nanobind::list& fields, const nanobind::dict& words,
                                    const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                    const std::vector<std::string>& call, const nanobind::object& progress);

/// name: what the cube is called; "": its path. The result has `outputs` and `planes` in addition.
///   throws as make_cube
[[nodiscard]] nanobind::dict cube(const std::string& path, const std::string& name,
                                  const std::vector<std::string>& steps, const nanobind::dict& words,
                                  const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                  const std::vector<std::string>& call, const nanobind::object& progress);

}  // namespace reber::python
