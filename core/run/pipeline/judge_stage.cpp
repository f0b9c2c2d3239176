// SPDX-License-Identifier: BSD-3-Clause
// Calibrated sources, and their reliability.
#include "core/run/pipeline/judge_stage.hpp"

#include <fmt/format.h>

#include "core/measure/fitting/reliability.hpp"

namespace reber {
namespace {

std::vector<Source> sources_of(const FoundInputs& found, const JudgeInputs& in, const Request& request) {
  return make_sources(found.rows, found.detected.options, in.header, in.beams, request.calibration,
                      request.fit.threads);
}

}  // namespace

std::vector<Source> run_judge(const JudgeInputs& in, const Request& request, StageWork& work) {
  std::vector<Source> sources = sources_of(in.positive, in, request);
  if (in.negative) {
    const std::vector<Source> negative = sources_of(*in.negative, in, request);
    work.fact("negative detections", fmt::format("{}", negative.size()));
    if (request.reliability) {
      const double expected = set_reliabilities(sources, negative, in.negative->detected.options.seed);
      work.fact("reliability",
                fmt::format("{:.1f} of {} sources expected to be false{}", expected, sources.size(),
                            negative.empty() ? " (no negative detection: fewer than 3, with 95 % confidence)" : ""));
    }
    if (request.negative_too) merge_negative(sources, negative, in.positive.detected.islands->count());
  }
  work.fact("sources", fmt::format("{}", sources.size()));
  return sources;
}

}  // namespace reber
