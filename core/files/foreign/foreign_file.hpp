// SPDX-License-Identifier: BSD-3-Clause
// An image that a library of others reads, in caged children: one for the header, one for each plane.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/files/fits/decoder_cage.hpp"
#include "core/files/foreign/foreign_reader.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber {

/// What is read, and how far the library is trusted.
struct ForeignSource {
  const ForeignReader& reader;
  std::string place;                              ///< by which a folder is opened; a file is by its descriptor
  std::string path;                               ///< as the user gave it
  std::shared_ptr<const fits::ByteSource> bytes;  ///< a file that the child keeps open; null for a folder
  std::int64_t most_pixel_bytes = 0;              ///< what pixels can be there at the most, by the size of the file
  fits::Cage cage = fits::Cage::half;
  std::vector<std::string> folders{};                  ///< beneath which it opens files, for a folder
  int opens = 2;                                       ///< files that the library has open at a time
  std::int64_t library_bytes = std::int64_t{1} << 30;  ///< of addresses that it may take beyond the pixels
};

/// Reads the header as one of FITS, from the cards that the library makes of it.
///   throws as open_image_file; DataError also where the library crashes or hangs
[[nodiscard]] std::shared_ptr<const ImageFile> open_foreign(ForeignSource source, const OpenOptions& options,
                                                            Planes planes, const Progress& progress);

}  // namespace reber
