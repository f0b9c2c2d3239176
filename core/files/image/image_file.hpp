// SPDX-License-Identifier: BSD-3-Clause
// An image in a file: what every reader offers, whatever the format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {

struct OpenOptions {
  std::optional<int> hdu;             ///< the first HDU with a 2-D image where empty
  std::optional<std::int64_t> plane;  ///< 0-based; needed where the image is a cube
  std::optional<std::string> unit;    ///< brightness unit, in place of BUNIT
  /// Largest inflated size of a compressed file.
  std::int64_t max_inflated_bytes = std::int64_t{64} << 30;
  bool check = false;  ///< refuse a file whose DATASUM or CHECKSUM does not fit its bytes, else warn
  bool operator==(const OpenOptions&) const = default;
};

/// Whether one plane is read, which a cube's options must name, or any number of them.
enum class Planes { one, many };

/// Where pixels are before they are read.
enum class Stored {
  plain,          ///< on the disk, as they are
  in_memory,      ///< inflated when the file was opened: reading waits for no disk
  coded_by_rows,  ///< decoded where rows are read, so that no memory holds a plane
  coded_whole,    ///< a plane is decoded whole when it is first asked for
};

/// Sums of its own bytes that a file states, to be compared with them.
class StatedSums {
 public:
  virtual ~StatedSums() = default;
  /// Whether verdict() has little left to read once the plane was read.
  [[nodiscard]] virtual bool cheap() const = 0;
  /// The same pixels, whose bytes are summed as they pass, each row once. `pixels` and this must outlive it. Null where
  /// rows are not the whole data: what passes says nothing.
  [[nodiscard]] virtual std::unique_ptr<PixelSource> watch(const PixelSource& pixels) = 0;
  /// Reads what did not pass yet. Empty where the sums agree, else what is wrong, in words.
  ///   throws DataError where the file cannot be read; Cancelled
  [[nodiscard]] virtual std::string verdict(const Progress& progress) = 0;
};

/// A file opened and checked once, with the axes of its planes chosen. Safe from several threads.
class ImageFile {
 public:
  virtual ~ImageFile() = default;
  [[nodiscard]] virtual std::int64_t planes() const = 0;  ///< product of the axes that are not x and y
  [[nodiscard]] virtual Shape shape() const = 0;          ///< of one plane
  [[nodiscard]] virtual PixelFormat format() const = 0;   ///< of pixels as stored
  [[nodiscard]] virtual Stored stored() const = 0;
  /// The header with beam, frequency and WCS of this plane.   throws InputError where there is no such plane
  [[nodiscard]] virtual ImageHeader header(std::int64_t plane) const = 0;
  /// The plane's pixels as stored, or decoded. Valid as long as this lives; pixels_of() keeps it open.
  ///   throws InputError where there is no such plane, DataError where decoding fails; Cancelled
  [[nodiscard]] virtual std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress) const = 0;

  // What a file can do in addition.
  /// Null where it states none. Valid as pixels() is.
  [[nodiscard]] virtual std::unique_ptr<StatedSums> sums() const { return nullptr; }
};

/// Opens a file by the first reader that knows it (core/files/readers/image_readers.hpp). Reads headers only, and
/// checks that the file holds the pixels they promise. The name is taken literally: no sections, no URLs, no wildcards.
///   options.plane: with Planes::many a cube needs none
///   throws DataError for a file that is missing, of no known format, damaged, or without an image (the message says
///   which); InputError where it is a cube and no plane was chosen, or the HDU or plane is not there, or a reader that
///   is needed is missing here; Cancelled while a compressed file is inflated
[[nodiscard]] std::shared_ptr<const ImageFile> open_image_file(const std::string& path, const OpenOptions& options,
                                                               Planes planes, const Progress& progress = {});

/// ImageFile::pixels(), which keep their file open.
[[nodiscard]] std::shared_ptr<const PixelSource> pixels_of(std::shared_ptr<const ImageFile> file, std::int64_t plane,
                                                           const Progress& progress);

/// One plane of an image in a file.
class ImagePlane {
 public:
  /// throws as open_image_file
  static ImagePlane open(const std::string& path, const OpenOptions& options = {}, const Progress& progress = {});

  [[nodiscard]] const ImageHeader& header() const { return header_; }
  /// They keep their file open.   throws as ImageFile::pixels
  [[nodiscard]] std::shared_ptr<const PixelSource> pixels(const Progress& progress = {}) const {
    return pixels_of(file_, header_.plane, progress);
  }
  /// Whether the pixels are not read from the disk but inflated or decoded into memory.
  [[nodiscard]] bool in_memory() const {
    return file_->stored() == Stored::in_memory || file_->stored() == Stored::coded_whole;
  }
  /// Null where the file states none. Valid as long as this lives.
  [[nodiscard]] std::unique_ptr<StatedSums> sums() const { return file_->sums(); }

 private:
  std::shared_ptr<const ImageFile> file_;
  ImageHeader header_;
};

/// Source over pixels in memory (native byte order), for tests and simulated skies. Does not copy.
[[nodiscard]] std::unique_ptr<PixelSource> memory_source(const float* pixels, Shape shape);

}  // namespace reber
