// SPDX-License-Identifier: BSD-3-Clause
// The cube whose planes the lanes of a batch work on.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/cube/plane_walk.hpp"
#include "core/run/request/request.hpp"

namespace reber::app {

/// Keeps the cube that was opened last, so that it is inflated, guarded and compared with its sums once for all of its
/// planes. Safe from several threads, which wait for each other while a file is opened.
class OpenCube {
 public:
  /// The file of request.input.   throws as CubeSource::open
  [[nodiscard]] CubeSource open(const Request& request, const Progress& progress, const LogSink& log);
  /// Plane request.open.plane of it, whose pixels keep the file open.   throws as CubeSource
  [[nodiscard]] CubePlane plane(const Request& request, const Progress& progress, const LogSink& log);

 private:
  std::mutex mutex_;
  std::string path_;
  std::optional<CubeSource> cube_;
};

}  // namespace reber::app
