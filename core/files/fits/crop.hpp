// SPDX-License-Identifier: BSD-3-Clause
// The header of a rectangle of an image's pixels.
#pragma once

#include "core/base/shape.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Shape, axes and WCS of the same rectangle of every plane. In its cards CRPIX of x and y, of all descriptions, CNPIX
/// and LTV count from the rectangle's first pixel; LTV, stated where it was not, says where the pixels come from (DS9's
/// physical ones). All other cards are kept.
///   where: within the plane, one pixel or more
///   throws InputError where it is not, and for distortions by tables, which lie in other HDUs
[[nodiscard]] ImageHeader cropped(const ImageHeader& header, const Rect& where);

}  // namespace reber
