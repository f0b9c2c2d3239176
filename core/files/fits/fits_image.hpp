// SPDX-License-Identifier: BSD-3-Clause
// Opens a FITS image: header first, pixels later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {
namespace fits {
class FileSums;
}

struct OpenOptions {
  std::optional<int> hdu;             ///< the first HDU with a 2-D image where empty
  std::optional<std::int64_t> plane;  ///< 0-based; needed where the image is a cube
  std::optional<std::string> unit;    ///< brightness unit, in place of BUNIT
  /// Largest inflated size of a compressed file.
  std::int64_t max_inflated_bytes = std::int64_t{64} << 30;
  bool check = false;  ///< refuse a file whose DATASUM or CHECKSUM does not fit its bytes, else warn
  bool operator==(const OpenOptions&) const = default;
};

/// An open FITS file, and one plane of it. The file name is taken literally: no sections, no URLs, no wildcards.
class FitsImage {
 public:
  /// Reads headers only and checks that the file holds the pixels they promise.
  ///   throws DataError for a file that is missing, not FITS, damaged, or without an image (the message says which),
  ///   InputError where it is a cube and no plane was chosen, or the HDU or plane is not there
  ///   Cancelled while a compressed file is inflated
  static FitsImage open(const std::string& path, const OpenOptions& options = {}, const Progress& progress = {});

  ~FitsImage();
  FitsImage(FitsImage&&) noexcept;
  FitsImage& operator=(FitsImage&&) noexcept;

  [[nodiscard]] const ImageHeader& header() const;

  /// The plane's pixels as stored. Plain files are read by position from several threads; compressed ones and planes
  /// whose axes are not the first two are decoded here. Valid for as long as this FitsImage lives.
  ///   throws DataError where decoding fails; Cancelled
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(const Progress& progress = {}) const;

  /// Whether the pixels are not read from the disk but inflated or decoded into memory.
  [[nodiscard]] bool in_memory() const;

  /// The sums of the image's HDU, to be compared with its bytes; null where it states none. Valid as pixels() is.
  [[nodiscard]] std::unique_ptr<fits::FileSums> sums() const;

 private:
  FitsImage();
  struct State;
  std::unique_ptr<State> state_;
};

/// Source over pixels in memory (native byte order), for tests and simulated skies. Does not copy.
[[nodiscard]] std::unique_ptr<PixelSource> memory_source(const float* pixels, Shape shape);

}  // namespace reber
