// SPDX-License-Identifier: BSD-3-Clause
// Stages that are on.
#include "core/run/request/expected_stages.hpp"

namespace reber {

std::vector<std::string> expected_stages(const Request& request) {
  std::vector<std::string> stages{"read"};
  const auto add = [&](bool wanted, const char* stage) {
    if (wanted) stages.emplace_back(stage);
  };
  add(request.convolve.has_value(), "convolve");
  add(request.background.has_value(), "background");
  add(request.detect.has_value(), "detect");
  add(request.detect && request.fit.method != FitRequest::Method::moments, "fit");
  add(!request.output.file_of("picture").empty(), "drawing");
  add(!request.output.files().empty(), "writing");
  return stages;
}

}  // namespace reber
