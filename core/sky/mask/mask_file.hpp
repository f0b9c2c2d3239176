// SPDX-License-Identifier: BSD-3-Clause
// Masks as FITS images: read from any type of pixel, written on the axes of the image that they belong to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/words.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Pixels that are not 0 are inside, with their number where they hold whole ones; blank pixels are outside. Of several
/// planes the first is read.
///   throws as open_image_file; DataError for numbers beyond 2^31
struct MaskFile {
  ImageHeader header;
  Mask mask;
  bool whole = true;  ///< all pixels that are not blank hold whole numbers from 0
};
[[nodiscard]] MaskFile read_mask(const std::string& path, const Progress& progress = {});

/// The mask of a FITS file or of a file of regions, on the grid of an image.
///   warn   as mask_of()   throws InputError for a FITS mask of another size; as read_mask and read_regions
[[nodiscard]] Mask mask_for(const std::string& path, const ImageHeader& image,
                            const std::function<void(const std::string&)>& warn = {}, const Progress& progress = {});

/// The mask at another image's pixels: that of the nearest pixel on the sky, 0 beyond the mask. Numbers become 1.
///   throws InputError where either image has no sky positions; Cancelled
[[nodiscard]] Mask mask_on(const MaskFile& from, const ImageHeader& image, const Progress& progress = {});

/// keep: all axes of the image, the mask repeated over its planes; two: the plane's alone; four: keep, with axes of
/// length 1 for STOKES and FREQ where the image has fewer than four.
enum class MaskAxes { keep, two, four };
template <>
inline constexpr auto words<MaskAxes> = std::to_array<Word<MaskAxes>>({{"keep", MaskAxes::keep, "as the input's"},
                                                                       {"two", MaskAxes::two, "two"},
                                                                       {"four", MaskAxes::four, "four"}});

struct MaskOutput {
  const ImageHeader& like;
  std::string unit = "mask";  ///< BUNIT
  MaskAxes axes = MaskAxes::keep;
  std::vector<std::string> history;
  bool overwrite = false;
};
/// As floats.   throws as write_fits; InputError for numbers above 2^24, which floats do not hold
void write_mask(const Mask& mask, const MaskOutput& output, const std::string& path, const Progress& progress = {});
/// Any plane of floats in the same way.
void write_plane_like(const std::vector<float>& pixels, const MaskOutput& output, const std::string& path,
                      const Progress& progress = {});

}  // namespace reber
