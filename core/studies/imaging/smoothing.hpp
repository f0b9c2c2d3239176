// SPDX-License-Identifier: BSD-3-Clause
// Many images or planes smoothed to one beam: their beams, the target, what it takes, and the work itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/cube/cube_source.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

/// One plane of an input and what smoothing it takes.
struct SmoothPlane {
  std::int64_t plane = 0;
  std::optional<Beam> own;  ///< nothing for a blank plane, which stays blank
  std::optional<Beam> target;
  Beam kernel;        ///< zero minor axis for a line, both zero where the plane is copied
  Ellipse kernel_px;  ///< FWHMs on the grid, pixels
  double flux_factor = 1;
  double noise_factor = 1;  ///< expected rms after over before; noise_factor() of core/sky/model/common_beam.hpp
  bool limiting = false;    ///< the common beam could be smaller without it
  std::string left_out;     ///< why the plane, which had a beam, stays blank; empty else
};

struct SmoothInput {
  std::string path;
  ImageHeader header;
  std::vector<SmoothPlane> planes;
  bool cube = false;  ///< written as a cube; else the one plane is an image
  /// The open file, so that smooth() neither opens nor inflates it again; may be let go, as inflated bytes stay with
  /// it.
  std::optional<CubeSource> file;
};

/// Header and beams of one file: all planes, or the one that options name. own: in place of the header's beams.
///   throws InputError where no plane has a beam, the unit is unknown or there is no sky geometry; as CubeSource::open
[[nodiscard]] SmoothInput read_smooth_input(const std::string& path, const OpenOptions& options,
                                            const std::optional<Beam>& own, const Progress& progress = {});

/// The common beam of all planes of all inputs; or, per_plane, of the planes of one number in all inputs.
///   max_major_deg  planes with a longer beam are left out and stay blank. Empty: of eight beams or more, those that
///   are
///                  more than 3 times as long as the median one.
///   returns        a sentence per plane that was left out
///   throws InputError where per_plane inputs differ in their number of planes
std::vector<std::string> aim_at_common_beam(std::span<SmoothInput> inputs, bool per_plane,
                                            const std::optional<double>& max_major_deg = {});
void aim_at(std::span<SmoothInput> inputs, const Beam& target);

/// Kernels, flux scales and expected noise for the targets that were set.
///   throws InputError where a target cannot be reached
void plan_smoothing(SmoothInput& input);

/// Smooths one input into `output`. base: everything but input, beam, kernel and outputs (backend's memory, boundary,
/// blanks, program, options). A cube is read, convolved and written plane by plane,
/// the next plane read meanwhile.
///   group: takes the output, for its owner to commit; null: it appears here, whole or not at all
///   throws InputError, DataError, DeviceError, Cancelled
/// One report per plane.
std::vector<Report> smooth(const SmoothInput& input, const Request& base, const std::string& output,
                           const std::shared_ptr<Backend>& backend, const Progress& progress, const LogSink& log,
                           CommitGroup* group = nullptr);

}  // namespace reber
