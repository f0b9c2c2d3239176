// SPDX-License-Identifier: BSD-3-Clause
// Region files as masks, and masks as region files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/wcs.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

/// The shapes of a DS9 or CRTF file in pixels of an image; or of the text itself, where it is no file's name but holds
/// a shape: "fk5; circle(10, 20, 30\")".
///   throws InputError for a number or unit that cannot be read, a shape without an area, or a place off the image's
///   sky; DataError for a file that cannot be read or holds no shape
[[nodiscard]] std::vector<Region> read_regions(const std::string& file_or_text, const Wcs& wcs);

/// 1 where a pixel is in one of the shapes (for_each_span()) and in none that is excluded; where all are excluded,
/// everything else is inside.
///   warn   is told of regions that hold no pixel of the image   throws Cancelled
[[nodiscard]] Mask mask_of(const std::vector<Region>& regions, Shape shape,
                           const std::function<void(const std::string&)>& warn = {}, const Progress& progress = {});

/// The outlines of the islands along the sides of their pixels, one polygon per outline; outlines of holes are marked
/// as excluded. Read back on the same grid they give the same mask.
[[nodiscard]] std::vector<Region> outlines_of(const Mask& mask);

}  // namespace reber
