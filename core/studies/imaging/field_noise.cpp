// SPDX-License-Identifier: BSD-3-Clause
// Clipped pixels, or a look at a map.
#include "core/studies/imaging/field_noise.hpp"

#include <algorithm>
#include <cmath>

#include "core/run/cube/cube_source.hpp"
#include "core/seam/compute/statistics.hpp"

namespace reber {
namespace {

/// The noise of larger fields is measured on every so many pixels.
constexpr std::int64_t kThin = 4, kThinFrom = 1024;

}  // namespace

bool measure_noise(MosaicField& field, Backend& backend, const Progress& progress) {
  progress.check();
  if (field.noise)
    return any_pixel(
        *field.noise, [](float rms) { return std::isfinite(rms) && rms > 0; }, progress);
  if (!(field.rms > 0)) {
    const ClipOptions options;
    auto plane = plane_of(backend, field.pixels, progress);
    if (std::min(plane->shape().nx, plane->shape().ny) >= kThinFrom)
      plane = backend.derive(EveryNth{*plane, kThin}, progress);
    field.rms = backend.clip(*plane, options, progress).std / clip_bias(options.kappa);
  }
  return field.rms > 0;
}

}  // namespace reber
