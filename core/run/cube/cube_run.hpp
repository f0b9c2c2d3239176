// SPDX-License-Identifier: BSD-3-Clause
// A cube through its steps: one walk over its spectra, and what is measured before it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/cube/cube_steps.hpp"

namespace reber {

struct CubeRequest {
  std::string output;                ///< the cube; maps are named after it: out.fits, out_mom0.fits
  std::vector<std::int64_t> planes;  ///< of one spectrum, on end, at least two
  std::optional<Beam> beam;          ///< the user's, in place of the planes'
  std::vector<CubeSource> smoothed;  ///< the cube at the further resolutions of a broad mask
  std::vector<std::string> history;  ///< lines before those of the steps
  std::int64_t memory_bytes = 0;     ///< for bands; 0: as SpectraWalk has it
  int threads = 0;                   ///< 0: all; the files are the same for any number
  FileOptions how;                   ///< a group of them takes the files
};

struct CubeMade {
  std::vector<std::string> outputs;  ///< paths
  std::vector<std::string> history;  ///< what was done
};

/// Whether run_cube() writes a cube: where a step changes it, or nothing else is made.
[[nodiscard]] bool writes_cube(const CubeSteps& steps);
/// Files that the steps will make: the cube where a step changes it, then maps and cuts.
[[nodiscard]] std::vector<std::string> cube_outputs(const CubeSteps& steps, const std::string& output);

/// Refuses what run_cube() would refuse, by the header alone. steps: of no use afterwards.   throws InputError
void check_cube(const CubeSource& cube, CubeSteps& steps, const CubeRequest& request);

/// The cube is read once, and written once where a step changes it. Masks and moments read a sample of its rows before,
/// twice, for the noise; a mask all of it once, at each of its resolutions. Steps on planes are not taken here. Flagged
/// planes (a table of beams without theirs) are blank. Files appear under their names at the end.   log: planes left
/// out, beams that differ
///   throws InputError where a step cannot be taken on this cube, before its pixels are read; DataError; Cancelled
[[nodiscard]] CubeMade run_cube(const CubeSource& cube, CubeSteps& steps, const CubeRequest& request,
                                const Progress& progress, const LogSink& log);

}  // namespace reber
