// SPDX-License-Identifier: BSD-3-Clause
// A rectangle of an image, or of all planes of a cube, as a file of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/files/image/image_file.hpp"

namespace reber::gui {

struct SubImage {
  Rect where;                         ///< of each plane
  std::optional<std::int64_t> plane;  ///< from 0; empty: all of them
};

/// Writes it as FITS in single precision, whole or not at all: WCS by cropped(), unit and beam (of each plane, where
/// they differ) as they are, and a line of HISTORY. NaN stays NaN. One plane keeps its place on the other axes.
///   throws InputError where the file exists and may not be replaced, where it is the input, and as cropped();
///   DataError; Cancelled
void write_sub_image(const std::string& to, const ImageFile& file, const SubImage& part, bool overwrite,
                     const Progress& progress);

}  // namespace reber::gui
