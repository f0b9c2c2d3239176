// SPDX-License-Identifier: BSD-3-Clause
// The formats of images that are read, tried in order.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/files/image/image_file.hpp"

namespace reber {

/// One way to open an image file.
struct ImageReader {
  const char* name;     ///< of the reader
  const char* formats;  ///< what it reads, in words
  /// Null where the file is not of its kind: the next reader is asked, as it is for a fits::ForeignForm.
  ///   throws as open_image_file
  std::shared_ptr<const ImageFile> (*open)(const std::string& path, const OpenOptions& options, Planes planes,
                                           const Progress& progress);
};

/// In the order in which they are asked.
[[nodiscard]] std::span<const ImageReader> image_readers();

}  // namespace reber
