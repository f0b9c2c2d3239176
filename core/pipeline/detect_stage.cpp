// SPDX-License-Identifier: BSD-3-Clause
// Scales, then the threshold, then labels.
#include "core/pipeline/detect_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/pipeline/background_stage.hpp"
#include "core/pipeline/detection_planes.hpp"
#include "core/pipeline/fdr.hpp"

namespace reber {
namespace {

void set_threshold_by_fdr(const Plane& plane, const BackgroundModel& background, std::optional<double> beam_px,
                          double rate, DetectOptions& options, StageWork& work) {
  const auto area =
      beam_px ? std::optional(std::numbers::pi / (4 * std::numbers::ln2) * *beam_px * *beam_px) : std::nullopt;
  const FdrThreshold found = measure_fdr(work.backend, plane, background, rate, area, work.job);
  options.seed = std::nextafter(static_cast<float>(found.sigma), 0.0f);
  options.flood = std::min(options.flood, options.seed);
  work.fact("threshold", fmt::format("{:.4g} sigma: {} of {} pixels, of which a part of {:g} is false (c = {:.3g})",
                                     found.sigma, found.detected, found.pixels, rate, found.correction));
}

}  // namespace

DetectOptions options_of_negative(const Detected& positive) {
  DetectOptions options = positive.options;
  options.negative = !options.negative;
  return options;
}

Detected run_detect(const MeasuredPlane& in, const DetectOptions& options, const Request& request, StageWork& work) {
  // Before the islands: on a device two label maps at a time could be one too many.
  Detected made{nullptr, options, std::make_shared<KnownPixels>(known_pixels(work.backend, in.plane, work.job))};
  const std::optional<double> beam_px = beam_pixels(in.header, in.beam);
  const Plane* plane = &in.plane;
  const BackgroundModel* background = &in.background;
  DetectionPlane scales;
  const BackgroundModel unit = BackgroundModel::constant(plane->shape(), 0, 1);
  if (request.scales.any()) {
    scales = make_detection_plane(work.backend, *plane, *background, request.scales, *request.background, beam_px,
                                  options.negative, work.job);
    if (!options.negative)
      for (const std::string& note : scales.notes) {
        work.fact("detection", note);
        work.note(note);
      }
    plane = scales.snr.get();
    background = &unit;
  }
  if (request.fdr > 0 && !options.negative)
    set_threshold_by_fdr(*plane, *background, beam_px, request.fdr, made.options, work);
  const DetectOptions& used = made.options;
  made.islands = work.backend.label(*plane, *background, used, work.job);
  work.algorithm = fmt::format("seed {:g}, flood {:g} sigma, {}-connected, at least {} px: {} islands", used.seed,
                               used.flood, static_cast<int>(used.connectivity), used.min_area, made.islands->count());
  return made;
}

}  // namespace reber
