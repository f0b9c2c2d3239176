// SPDX-License-Identifier: BSD-3-Clause
// Lines that the request tells, and those that the outcomes bring.
#include "core/run/pipeline/history.hpp"

#include <fmt/format.h>

#include "core/run/request/parameters.hpp"

namespace reber {
namespace {

/// The lines of one outcome, after its stage's word.
void add(const char* word, const std::shared_ptr<const StageRecord>& outcome, std::vector<std::string>& lines) {
  if (!outcome) return;
  for (const std::string& line : outcome->history) lines.push_back(fmt::format("{}: {}", word, line));
}

void add_detection(const Request& request, const Outcomes& outcomes, std::vector<std::string>& lines) {
  if (!request.detect) return;
  const DetectOptions& options = *request.detect;
  lines.push_back(fmt::format("detect: seed {:g} sigma, flood {:g} sigma, {}-connected, at least {} pixels{}",
                              options.seed, options.flood, static_cast<int>(options.connectivity), options.min_area,
                              request.negative_too ? ", negative as well" : ""));
  if (request.fdr > 0) lines.push_back(fmt::format("detect: seed set by a false discovery rate of {:g}", request.fdr));
  add("detect", outcomes.positive.detected, lines);
  if (request.reliability) lines.emplace_back("reliability: by the negative detections");
  lines.push_back(request.deblend.on ? fmt::format("deblend: contrast {:g}, prominence {:g} sigma",
                                                   request.deblend.contrast, request.deblend.prominence)
                                     : std::string("deblend: off"));
  const RunPlan& plan = outcomes.planned->value;
  if (plan.beam)
    lines.push_back(fmt::format("beam: {}", plan.beams.varies() ? "varies in pixels, by its place on the sky or its map"
                                                                : "constant in pixels"));
  add("fit", outcomes.positive.fitted, lines);
  add("fit", outcomes.negative.fitted, lines);
  const Calibration& known = request.calibration;
  if (known != Calibration{})
    lines.push_back(fmt::format("calibration: clean bias {:g} Jy/beam, error {:g} of the flux and {:g} arcsec",
                                known.clean_bias, known.flux_error, known.position_error_deg * 3600));
}

}  // namespace

std::vector<std::string> history_lines(const Request& request, const Result& result) {
  std::vector<std::string> lines{request.program + ", input " + request.input,
                                 fmt::format("backend {} ({})", result.report.backend, result.report.device)};
  for (const std::string& option : options_in_force(request)) lines.push_back("option: " + option);
  add("convolved", result.outcomes.convolved, lines);
  add("background", result.outcomes.background, lines);
  add_detection(request, result.outcomes, lines);
  return lines;
}

}  // namespace reber
