// SPDX-License-Identifier: BSD-3-Clause
// Maps of many planes, each kind as one cube.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/fits/cube_writer.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/run/request/request.hpp"

namespace reber {

/// Cubes of the input's own shape and axes: planes that were not measured are blank. x and y must be the first axes.
/// Each file appears whole in finish(), or not at all.
class MapCubes {
 public:
  /// like: any plane of the cube   maps: products of kind `map`   history: of all files
  ///   throws as CubeWriter
  MapCubes(std::shared_ptr<const ImageHeader> like, std::vector<ProductFile> maps,
           const std::vector<std::string>& history, bool overwrite);
  ~MapCubes();

  /// The maps of a finished run on one plane, drawn by its backend, on its thread.   throws DataError, Cancelled
  void write(std::int64_t plane, const Result& result, const Progress& progress);
  /// Blanks what is left and shows the files.   returns their paths
  std::vector<std::string> finish(const Progress& progress);

 private:
  std::shared_ptr<const ImageHeader> like_;
  std::vector<ProductFile> maps_;
  std::vector<std::unique_ptr<CubeWriter>> writers_;
  std::vector<bool> written_;
};

}  // namespace reber
