// SPDX-License-Identifier: BSD-3-Clause
// Stage: convolves the plane, alone or by several kernels at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/pipeline/open_stage.hpp"

namespace reber {

/// The plane that later stages work on; the one that was read, without its padding, where nothing is convolved.
struct Convolved {
  std::shared_ptr<const Plane> plane;
  std::optional<Beam> beam;  ///< of the plane
};

struct ConvolveInputs {
  std::shared_ptr<const Plane> plane;
  const RunPlan& plan;
  const ImageHeader& header;
  bool rows_once = false;  ///< RunEvents::rows_once
};

/// Whether there is something to do: a kernel is asked for that is no copy.
[[nodiscard]] bool convolves(const RunPlan& plan);

/// Where sources are asked for and the plane has no beam, the beam is estimated, with a warning.
///   throws DeviceError, Cancelled
[[nodiscard]] Convolved run_convolve(const ConvolveInputs& in, const Request& request, StageWork& work);

/// One of several convolutions of one plane.
struct ConvolutionOfMany {
  const Request& request;
  const RunPlan& plan;
  StageWork& work;  ///< of this one: facts, warnings and history
};
/// The same planes as run_convolve() makes one by one, made by one Backend::convolve(): what plans share is done
/// once, and all results are held at a time. range: peak over noise of the plane, measured where it is needed.
[[nodiscard]] std::vector<Convolved> run_convolve_each(const std::shared_ptr<const Plane>& plane,
                                                       std::span<const ConvolutionOfMany> each,
                                                       std::optional<double>& range, const Job& job);

}  // namespace reber
