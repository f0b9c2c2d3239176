// SPDX-License-Identifier: BSD-3-Clause
// The HISTORY lines of a run, in the order of its stages.
#include "core/pipeline/history.hpp"

#include <fmt/format.h>

#include "core/pipeline/parameters.hpp"

namespace reber {
namespace {

void add_convolution(const HistoryFacts& run, std::vector<std::string>& lines) {
  if (run.convolution == nullptr) return;
  const ConvolutionSpec& spec = run.convolution->spec;
  lines.push_back(fmt::format("convolved: {}, {}x{} weights, {}, boundary {}, blanks {} (least weight {:g}){}",
                              spec.kernel.text, spec.kernel.shape.nx, spec.kernel.shape.ny,
                              to_string(run.choice->algorithm), to_string(spec.boundary), to_string(spec.nan),
                              spec.min_weight, spec.keep_blanks ? ", blank pixels kept" : ""));
  for (const std::string& note : run.convolution->notes) lines.push_back("convolved: " + note);
}

void add_detection(const HistoryFacts& run, std::vector<std::string>& lines) {
  const Request& request = run.request;
  if (!request.detect) return;
  const DetectOptions& options = *request.detect;
  lines.push_back(fmt::format("detect: seed {:g} sigma, flood {:g} sigma, {}-connected, at least {} pixels{}",
                              options.seed, options.flood, static_cast<int>(options.connectivity), options.min_area,
                              request.negative_too ? ", negative as well" : ""));
  if (request.fdr > 0) lines.push_back(fmt::format("detect: seed set by a false discovery rate of {:g}", request.fdr));
  for (const auto& [name, text] : run.report.facts)
    if (name == "detection") lines.push_back("detect: " + text);
  if (request.reliability) lines.emplace_back("reliability: by the negative detections");
  lines.push_back(request.deblend.on ? fmt::format("deblend: contrast {:g}, prominence {:g} sigma",
                                                   request.deblend.contrast, request.deblend.prominence)
                                     : std::string("deblend: off"));
  for (const std::string& line : run.fit) lines.push_back("fit: " + line);
  const Calibration& known = request.calibration;
  if (known != Calibration{})
    lines.push_back(fmt::format("calibration: clean bias {:g} Jy/beam, error {:g} of the flux and {:g} arcsec",
                                known.clean_bias, known.flux_error, known.position_error * 3600));
}

}  // namespace

std::vector<std::string> history_lines(const HistoryFacts& run) {
  std::vector<std::string> lines{run.request.program + ", input " + run.request.input,
                                 fmt::format("backend {} ({})", run.report.backend, run.report.device)};
  for (const std::string& option : options_in_force(run.request)) lines.push_back("option: " + option);
  add_convolution(run, lines);
  for (const std::string& line : run.background) lines.push_back("background: " + line);
  add_detection(run, lines);
  return lines;
}

}  // namespace reber
