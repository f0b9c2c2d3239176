// SPDX-License-Identifier: BSD-3-Clause
// A cube through all its steps: those on planes one after the other, then those on spectra in one walk.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/files/io/commit_group.hpp"
#include "core/run/cube/cube_run.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

struct CubeWork {
  Request base;      ///< input, open, beam, call, program, memory, durable
  std::string name;  ///< what the input is called; empty: its path
  std::vector<std::string> steps;
  std::string output, planes = "all";
  int threads = 0;
  bool overwrite = false;
};

/// What a cube's steps would do or have done.
struct CubeDone {
  Shape shape;
  std::int64_t cube_planes = 0;
  std::vector<std::int64_t> planes;  ///< that the steps take
  std::vector<std::string> outputs;  ///< paths
  std::vector<std::string> history;  ///< what was done; empty before the work
};

/// Calls the work with a backend, with another one where the first fails.
using OnBackend = std::function<void(const std::function<void(const std::shared_ptr<Backend>&)>& work)>;

/// Refuses what cannot be done by the header alone.   throws InputError as parse_cube_steps and check_cube
[[nodiscard]] CubeDone plan_cube(const CubeWork& work, const Progress& progress, const LogSink& log);

/// Does all of it. Files appear together at the end, or none; cubes between the steps lie beside the output and go.
///   throws as plan_cube, smooth, Regridding, feather and run_cube
[[nodiscard]] CubeDone make_cube(const CubeWork& work, const OnBackend& on_backend, const Progress& progress,
                                 const LogSink& log);

}  // namespace reber
