// SPDX-License-Identifier: BSD-3-Clause
// A FITS file opened once, for one plane of it or for many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/files/fits/file_sums.hpp"
#include "core/files/fits/fits_image.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber::fits {

/// Whether one plane is read, which a cube's options must name, or any number of them.
enum class Planes { one, many };

/// A file opened, inflated, scanned and guarded once, with its HDU and the axes of its planes chosen. Headers and
/// pixels of planes are made of it. Safe from several threads.
class FitsFile {
 public:
  /// Reads headers only and checks that the file holds the pixels they promise.   options.plane: for Planes::one
  ///   throws as FitsImage::open; with Planes::many a cube needs no plane
  static std::shared_ptr<const FitsFile> open(const std::string& path, const OpenOptions& options, Planes planes,
                                              const Progress& progress = {});
  ~FitsFile();
  FitsFile(const FitsFile&) = delete;
  FitsFile& operator=(const FitsFile&) = delete;

  [[nodiscard]] std::int64_t planes() const;  ///< product of the axes that are not x and y
  [[nodiscard]] Shape shape() const;          ///< of one plane
  [[nodiscard]] PixelFormat format() const;   ///< of pixels as stored
  [[nodiscard]] bool in_memory() const;       ///< inflated: reading a plane waits for no disk
  [[nodiscard]] bool compressed() const;      ///< in tiles: reading a plane decodes it
  /// Whether tiles are decoded where rows are read, so that no memory holds a plane.
  [[nodiscard]] bool decodes_rows() const;

  /// The header with beam, frequency and WCS of this plane.   throws InputError where there is no such plane
  [[nodiscard]] ImageHeader header(std::int64_t plane) const;
  /// The plane's pixels as stored; those in tiles are decoded here, or as their rows are read. Valid as long as this
  /// lives.
  ///   throws InputError where there is no such plane, DataError where decoding fails; Cancelled
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress = {}) const;
  /// A plane of a file in tiles, decoded.   throws as pixels
  [[nodiscard]] std::shared_ptr<const DecodedPlane> decode(std::int64_t plane, const Progress& progress) const;
  /// The sums of the image's HDU, to be compared with its bytes; null where it states none. Valid as pixels() is.
  [[nodiscard]] std::unique_ptr<FileSums> sums() const;

 private:
  FitsFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber::fits
