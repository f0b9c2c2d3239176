// SPDX-License-Identifier: BSD-3-Clause
// Region files as masks, and masks as region files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/wcs.hpp"
#include "core/sky/regions/region_rows.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

/// Whether it can be the text of regions, which has brackets.
[[nodiscard]] bool is_region_text(const std::string& file_or_text);

/// The shapes of a DS9 or CRTF file in pixels of an image; or of the text itself, where it is no file's name but holds
/// a shape: "fk5; circle(10, 20, 30\")", "circle[[10deg, 20deg], 30arcsec]". Points, lines, annotations and shapes that
/// are not known are left out.
///   warn   is told how many are left out, with the line of the first
///   throws InputError for a number or unit that cannot be read, a place off the image's sky, or where no shape has an
///   area; DataError for a file that cannot be read or holds no shape; Cancelled
[[nodiscard]] std::vector<Region> read_regions(const std::string& file_or_text, const Wcs& wcs,
                                               const std::function<void(const std::string&)>& warn = {},
                                               const Progress& progress = {});

/// for_each_row() of the regions.
///   warn   is told of regions that hold no pixel of the image   throws Cancelled
void for_each_row_inside(const std::vector<Region>& regions, Shape shape,
                         const std::function<void(std::int64_t y, const PixelRuns& inside)>& take,
                         const std::function<void(const std::string&)>& warn, const Progress& progress);
/// The same as a mask of ones.
[[nodiscard]] Mask mask_of(const std::vector<Region>& regions, Shape shape,
                           const std::function<void(const std::string&)>& warn = {}, const Progress& progress = {});

/// The outlines of the islands along the sides of their pixels, one polygon per outline; outlines of holes are marked
/// as excluded. Read back on the same grid they give the same mask.
[[nodiscard]] std::vector<Region> outlines_of(const Mask& mask);

}  // namespace reber
