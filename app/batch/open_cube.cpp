// SPDX-License-Identifier: BSD-3-Clause
// One open file, for as long as its planes follow each other.
#include "app/batch/open_cube.hpp"

namespace reber::app {

CubeSource OpenCube::open(const Request& request, const Progress& progress, const LogSink& log) {
  const std::lock_guard lock(mutex_);
  if (!cube_ || path_ != request.input) {
    cube_.reset();  // an inflated one makes room first
    cube_ = CubeSource::open(request.input, request.open, progress, log);
    path_ = request.input;
  }
  return *cube_;
}

CubePlane OpenCube::plane(const Request& request, const Progress& progress, const LogSink& log) {
  const CubeSource cube = open(request, progress, log);
  const std::int64_t number = request.open.plane.value_or(0);
  return {number, cube.header(number), cube.pixels(number, progress)};
}

}  // namespace reber::app
