// SPDX-License-Identifier: BSD-3-Clause
// A backend against the reference, stage by stage on the same inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// One comparison. passed is !(worst > bound) with NaN failing.
struct StageCheck {
  std::string stage;   ///< "convolve separable", "clip", "mesh rms", "labels" ...
  std::string metric;  ///< what `worst` measures, in words with its unit
  double worst = 0;
  double bound = 0;
  std::string where;  ///< pixel or source of the worst value
  bool passed = false;
};

struct VerificationReport {
  std::string input, backend, device;
  std::string against;  ///< "the reference", or a library and its version
  std::vector<StageCheck> checks;
  [[nodiscard]] bool passed() const;
};

/// Loads the image on both backends; convolves with every algorithm that can do the request's kernel (a default
/// Gaussian where it has none); clip, mesh, labels and sums, each stage fed to both from the same input.
[[nodiscard]] VerificationReport verify(const Request& request, Backend& tested, Backend& oracle,
                                        const Progress& progress);

/// The convolutions that a request is verified by: its own; without one a round Gaussian, which separable convolution
/// can do, and a rotated one beyond whose border the image is reflected. None where it asks for the image's own beam.
[[nodiscard]] std::vector<ConvolutionSpec> verified_convolutions(const Request& request, const ImageHeader& header);

[[nodiscard]] std::string to_text(const VerificationReport& report);
[[nodiscard]] std::string to_json(const VerificationReport& report);

}  // namespace reber
