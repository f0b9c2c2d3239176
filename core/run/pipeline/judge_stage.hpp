// SPDX-License-Identifier: BSD-3-Clause
// Stage: makes sources of sums and fits, and judges them by the negative detections.
#pragma once

#include <optional>
#include <vector>

#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/source.hpp"
#include "core/run/pipeline/detect_stage.hpp"

namespace reber {

/// What one image gave.
struct FoundInputs {
  const Detected& detected;
  const std::vector<SourceRow>& rows;
};
struct JudgeInputs {
  const ImageHeader& header;
  BeamField beams;
  FoundInputs positive;
  std::optional<FoundInputs> negative;
};
/// Sources in the order of the catalogue; negative ones after them where they are wanted.
[[nodiscard]] std::vector<Source> run_judge(const JudgeInputs& in, const Request& request, StageWork& work);

}  // namespace reber
