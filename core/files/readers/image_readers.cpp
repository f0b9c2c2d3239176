// SPDX-License-Identifier: BSD-3-Clause
// The table of readers.
#include "core/files/readers/image_readers.hpp"

#include <array>
#include <exception>

#include "core/base/error.hpp"
#include "core/files/fits/fits_file.hpp"
#include "core/files/foreign/casa_image.hpp"
#include "core/files/foreign/cfitsio_image.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/path_fence.hpp"

namespace reber {
namespace {

std::shared_ptr<const ImageFile> open_fits(const std::string& path, const OpenOptions& options, Planes planes,
                                           const Progress& progress) {
  return fits::FitsFile::open(path, options, planes, progress);
}

// Behind FITS stands who is asked where that reader finds a form that is not its own.
constexpr std::array kReaders{
    ImageReader{"casacore", "CASA images", open_casa_image},
    ImageReader{"FITS", "FITS, plain or compressed", open_fits},
    ImageReader{"CFITSIO", "FITS in compress files (.Z), other tiles than Rice inside gzip", open_by_cfitsio},
};

}  // namespace

std::span<const ImageReader> image_readers() { return kReaders; }

std::shared_ptr<const ImageFile> open_image_file(const std::string& path, const OpenOptions& options, Planes planes,
                                                 const Progress& progress) {
  check_fence(path);
  std::exception_ptr refused;  // the first word counts
  for (const ImageReader& reader : kReaders) {
    try {
      if (auto file = reader.open(path, options, planes, progress)) return file;
    } catch (const fits::ForeignForm&) {
      refused = std::current_exception();
    } catch (const DataError&) {
      if (refused) std::rethrow_exception(refused);
      throw;
    }
  }
  if (refused) std::rethrow_exception(refused);
  throw DataError("'" + path + "' is an image of no known format");
}

}  // namespace reber
