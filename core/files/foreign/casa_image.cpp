// SPDX-License-Identifier: BSD-3-Clause
// What the folder looks like, before casacore looks into it.
#include "core/files/foreign/casa_image.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/module.hpp"
#include "core/base/printable.hpp"
#include "core/files/foreign/foreign_file.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

bool is_table(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown) && fs::is_regular_file(fs::path(path) / "table.dat", unknown);
}

/// The line "Type = Image" of table.info, without "Type = "; empty where there is none.
std::string type_of(const std::string& path) {
  constexpr std::int64_t kLooked = 200;
  const std::string info = (fs::path(path) / "table.info").string();
  std::error_code unknown;
  if (!fs::is_regular_file(info, unknown)) return {};
  std::string line = fits::read_start(info, kLooked);
  line = line.substr(0, line.find('\n'));
  constexpr std::string_view kType = "Type = ";
  return line.starts_with(kType) ? line.substr(kType.size()) : "";
}

/// Of all files in the folder: images keep their pixels in one of them.
///   throws DataError for a folder of thousands of files, which no image is
std::int64_t bytes_in(const std::string& path) {
  constexpr int kMostFiles = 10'000;
  std::error_code error;
  std::int64_t bytes = 0;
  int files = 0;
  for (auto at = fs::directory_iterator(path, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (++files > kMostFiles) throw DataError(fmt::format("'{}' holds too many files for an image", printable(path)));
    std::error_code unknown;
    if (!at->is_regular_file(unknown)) continue;
    if (const auto size = at->file_size(unknown); !unknown) bytes += static_cast<std::int64_t>(size);
  }
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  if (error) throw DataError(fmt::format("cannot read the folder '{}': {}", printable(path), error.message()));
  return bytes;
}

}  // namespace

bool is_casa_image(const std::string& path) {
  try {
    return is_table(path) && type_of(path) == "Image";
  } catch (const DataError&) {
    return false;
  }
}

std::shared_ptr<const ImageFile> open_casa_image(const std::string& path, const OpenOptions& options, Planes planes,
                                                 const Progress& progress) {
  constexpr int kOpens = 24;  // files of the image, its mask and casacore's own tables
  if (!is_table(path)) return nullptr;
  const std::string name = printable(path);
  if (const std::string type = type_of(path); type != "Image")
    throw DataError(fmt::format("'{}' is a CASA table of the type '{}', and no image", name, printable(type)));
  const std::int64_t bytes = bytes_in(path);
  const auto entry = reinterpret_cast<ForeignReaderEntry>(module_function(
      "casacore", "reber_reader",
      fmt::format(
          "'{}' is a CASA image, which is read by casacore (Debian: build Reber where casacore-dev is installed)",
          name)));
  const std::string place = fs::absolute(path).string();
  ForeignSource source{*entry(), place, path, nullptr, bytes, fits::Cage::paths};
  source.opens = kOpens;
  source.folders = {place, "/usr", "/var/lib/casacore", "/etc", "/proc"};  // casacore's tables of telescopes
  return open_foreign(std::move(source), options, planes, progress);
}

}  // namespace reber
