// SPDX-License-Identifier: BSD-3-Clause
// CASA's images: folders of tables, read by casacore in a module that is opened on demand.
#pragma once

#include <memory>
#include <string>

#include "core/files/image/image_file.hpp"

namespace reber {

/// Whether the path is a folder that holds a CASA table of the kind "Image".
[[nodiscard]] bool is_casa_image(const std::string& path);

/// A row of image_readers().   returns null for what is no folder with a CASA table
///   throws as open_image_file; InputError that names the package where the module is missing
[[nodiscard]] std::shared_ptr<const ImageFile> open_casa_image(const std::string& path, const OpenOptions& options,
                                                               Planes planes, const Progress& progress);

}  // namespace reber
