// SPDX-License-Identifier: BSD-3-Clause
// A cube opened once: inflated, scanned and guarded once, its sums compared once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/files/image/image_file.hpp"

namespace reber {

/// The planes of one image HDU, with axes in any order; an image is a cube of one plane. Copies share the file.
class CubeSource {
 public:
  /// options.plane is not looked at. The bytes are compared with DATASUM and CHECKSUM where options.check asks for it.
  ///   log: warnings of the file
  ///   throws as open_image_file; DataError where options.check finds other bytes than were summed
  static CubeSource open(const std::string& path, const OpenOptions& options, const Progress& progress = {},
                         const LogSink& log = {});

  /// The planes of an image that is open already, or of one in memory.
  static CubeSource of(std::shared_ptr<const ImageFile> file);

  [[nodiscard]] std::int64_t planes() const { return file_->planes(); }
  [[nodiscard]] Shape shape() const { return file_->shape(); }
  [[nodiscard]] const ImageFile& file() const { return *file_; }

  /// With the plane's own beam, frequency and WCS.   throws InputError where there is no such plane
  [[nodiscard]] std::shared_ptr<const ImageHeader> header(std::int64_t plane) const;
  /// As stored; keeps the file open.   throws as ImageFile::pixels
  [[nodiscard]] std::shared_ptr<const PixelSource> pixels(std::int64_t plane, const Progress& progress = {}) const;

 private:
  std::shared_ptr<const ImageFile> file_;
};

/// Whether there is such a pixel. Reads rows until there is.   throws as PixelSource::read_rows, Cancelled
[[nodiscard]] bool any_pixel(const PixelSource& pixels, bool (*is)(float), const Progress& progress = {});
/// Whether no pixel is finite. Reads rows until one is.   throws as PixelSource::read_rows; Cancelled
[[nodiscard]] bool all_blank(const PixelSource& pixels, const Progress& progress = {});

}  // namespace reber
