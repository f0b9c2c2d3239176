// SPDX-License-Identifier: BSD-3-Clause
// Headers of cubes that are made of cubes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/log.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Changes an axis that is not x or y: it has `count` pixels, of which pixel i lies at pixel offset + step i of the
/// axis before (both from 0). CRPIX moves, CDELT or the column of the matrix is stretched, of all descriptions.
void resample_axis(ImageHeader& header, int axis, std::int64_t count, double offset, double step);

/// The beam of all planes, or the one of median length where they differ, which is warned of. Empty where none has one.
[[nodiscard]] std::optional<Beam> median_beam(const std::vector<std::optional<Beam>>& beams, const LogSink& log);

}  // namespace reber
