// SPDX-License-Identifier: BSD-3-Clause
// The table of readers.
#include "core/files/readers/image_readers.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/fits_file.hpp"

namespace reber {
namespace {

std::shared_ptr<const ImageFile> open_fits(const std::string& path, const OpenOptions& options, Planes planes,
                                           const Progress& progress) {
  return fits::FitsFile::open(path, options, planes, progress);
}

// FITS is the last, since its reader says what is wrong with a file that no reader knows.
constexpr std::array kReaders{
    ImageReader{"FITS", "FITS, plain or compressed", open_fits},
};

}  // namespace

std::span<const ImageReader> image_readers() { return kReaders; }

std::shared_ptr<const ImageFile> open_image_file(const std::string& path, const OpenOptions& options, Planes planes,
                                                 const Progress& progress) {
  for (const ImageReader& reader : kReaders)
    if (auto file = reader.open(path, options, planes, progress)) return file;
  throw DataError(fmt::format("'{}' is an image of no known format", printable(path)));
}

}  // namespace reber
