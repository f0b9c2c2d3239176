// SPDX-License-Identifier: BSD-3-Clause
// FITS as CFITSIO reads it, in caged children: for forms that the own reader leaves to it, and as a second opinion.
#pragma once

#include <memory>
#include <string>

#include "core/files/image/image_file.hpp"

namespace reber {

/// A row of image_readers(), asked where FITS stands in a form of its own: compress files (NAME.Z), tiles of other
/// kinds than Rice inside gzip or bzip2. It states no sums.   throws as open_image_file
[[nodiscard]] std::shared_ptr<const ImageFile> open_by_cfitsio(const std::string& path, const OpenOptions& options,
                                                               Planes planes, const Progress& progress);

/// CFITSIO and its version.
[[nodiscard]] std::string cfitsio_name();

}  // namespace reber
