// SPDX-License-Identifier: BSD-3-Clause
// One request, from file to catalogue, on one backend.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/compute/backend.hpp"
#include "core/pipeline/report.hpp"
#include "core/pipeline/request.hpp"
#include "core/plan/algorithm_choice.hpp"
#include "core/sources/source.hpp"

namespace reber {

/// What a run leaves in memory, for the viewer, the benchmark and the verification.
struct PipelineResult {
  Report report;
  std::shared_ptr<const FitsImage> image;
  std::shared_ptr<const Plane> plane;  ///< convolved where asked for
  std::optional<BackgroundModel> background;
  std::shared_ptr<const IslandMap> islands;
  std::vector<Source> sources;
  std::optional<Beam> beam;          ///< of `plane`
  std::vector<std::string> history;  ///< how it was made, one line a fact: HISTORY of every file
};

/// A convolution ready to be planned: the kernel on the pixel grid, the beam after it and the factor in its weights.
struct ResolvedConvolution {
  ConvolutionSpec spec;
  std::optional<Beam> beam_after;
  bool copy = false;               ///< the target is the image's own beam: nothing to do
  double flux_factor = 1;          ///< already in the weights
  std::vector<std::string> notes;  ///< for the report and HISTORY
};

/// Stages done before, for a caller that runs the same image again with other parameters (the viewer's LiveRun). What
/// is set is taken in place of being computed; what is computed is left here. The caller clears what its change makes
/// invalid.
struct PipelineCache {
  std::shared_ptr<const FitsImage> image;  ///< open
  std::shared_ptr<const Plane> input;      ///< read
  std::shared_ptr<const Plane> plane;      ///< convolve; with the two below
  std::optional<ResolvedConvolution> convolution;
  std::optional<AlgorithmChoice> choice;
  std::optional<BackgroundModel> background;  ///< background; with the history below
  std::vector<std::string> background_history;
};

/// Opens, plans, reads, convolves, measures the background, detects, measures, writes: what the request asks for.
/// cache: see PipelineCache; it is kept up to date when this throws, too.
///   throws InputError, DataError, DeviceError, Cancelled; files already written before stay, none is half-written
[[nodiscard]] PipelineResult run_pipeline(const Request& request, Backend& backend, const Progress& progress,
                                          const LogSink& log, PipelineCache* cache = nullptr);

/// Factor that keeps the flux scale on smoothing: brightness per beam grows with the beam, Omega_target / Omega_source;
/// K, Jy/sr and Jy/pixel keep their value.   throws InputError for an unknown unit
[[nodiscard]] double smoothing_flux_factor(const ImageHeader& header, const Beam& target, const Beam& source);

/// Kernel from the request and the image's beam, unit and geometry (at the image's centre, by WCSLIB).
/// Jy/beam data smoothed by a Gaussian or to a target beam are multiplied by Omega_new / Omega_old; K, Jy/sr by 1.
///   throws InputError where a beam, a sky geometry or a known unit is needed and missing, or the target is impossible
[[nodiscard]] ResolvedConvolution resolve_convolution(const ConvolveRequest& request, const ImageHeader& header,
                                                      const std::optional<Beam>& beam);

}  // namespace reber
