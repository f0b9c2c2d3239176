// SPDX-License-Identifier: BSD-3-Clause
// The rectangle of an image that its cells are laid on: a frame of blank pixels moves none.
#pragma once

#include "core/seam/compute/backend.hpp"

namespace reber {

/// The least rectangle that holds all finite pixels; the whole image where there are none. Images without a blank rim
/// cost nine rows, those with one the strips that are blank.   throws as Backend::render
[[nodiscard]] Rect measured_part(Backend& backend, const Plane& plane, const Job& job);

}  // namespace reber
