// SPDX-License-Identifier: BSD-3-Clause
// Tile-compressed images through CFITSIO.
#include <fitsio.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>
#include <mutex>

#include "core/base/error.hpp"
#include "core/io/pixel_sources.hpp"

namespace reber::fits {
namespace {

/// CFITSIO's table of open files and its stack of messages are one a process: opening, closing and taking messages
/// happen under this lock.
std::mutex& cfitsio_lock() {
  static std::mutex lock;
  return lock;
}

std::string messages(int status) {
  std::array<char, FLEN_STATUS> text{};
  fits_get_errstatus(status, text.data());
  std::string out = text.data();
  std::array<char, FLEN_ERRMSG> line{};
  for (int i = 0; i < 8 && fits_read_errmsg(line.data()) != 0; ++i) out += std::string("; ") + line.data();
  fits_clear_errmsg();
  return restrict_to_ascii(out);
}

class OpenFile {
 public:
  OpenFile(const ByteSource& bytes, int hdu, std::string where) : where_(std::move(where)) {
    const std::lock_guard<std::mutex> lock(cfitsio_lock());
    int status = 0;
    // The open file by its descriptor: the same file that was checked, and a name without special characters.
    fits_open_diskfile(&file_, bytes.reopen_path().c_str(), READONLY, &status);
    if (status == 0) fits_movabs_hdu(file_, hdu + 1, nullptr, &status);
    if (status != 0) {
      const std::string words = messages(status);
      close();
      throw DataError(where_ + "decompression fails: " + words);
    }
  }
  ~OpenFile() {
    const std::lock_guard<std::mutex> lock(cfitsio_lock());
    close();
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void read(int type, std::vector<long>& low, std::vector<long>& high, void* out) {
    std::vector<long> step(low.size(), 1);
    const float float_blank = std::numeric_limits<float>::quiet_NaN();
    const double double_blank = std::numeric_limits<double>::quiet_NaN();
    const void* blank = type == TFLOAT ? static_cast<const void*>(&float_blank) : &double_blank;
    int status = 0, any = 0;
    fits_read_subset(file_, type, low.data(), high.data(), step.data(), const_cast<void*>(blank), out, &any, &status);
    if (status != 0) {
      const std::lock_guard<std::mutex> lock(cfitsio_lock());
      throw DataError(where_ + "decompression fails: " + messages(status));
    }
  }

 private:
  void close() {
    int status = 0;
    if (file_ != nullptr) fits_close_file(file_, &status);
    file_ = nullptr;
  }
  fitsfile* file_ = nullptr;
  std::string where_;
};

}  // namespace

std::shared_ptr<const DecodedPlane> decode_tiles(const ByteSource& bytes, const Hdu& hdu, int x_axis, int y_axis,
                                                 std::int64_t plane, const std::string& name) {
  const std::string where = fmt::format("'{}', HDU {}: ", name, hdu.index);
  if (bytes.reopen_path().empty()) {
    throw DataError(where + "a tile-compressed image inside a gzip or bzip2 file is not read; unpack it first");
  }
  check_streams(bytes, hdu, name);
  const auto position = plane_position(hdu.axes, x_axis, y_axis, plane);
  std::vector<long> low, high;
  for (std::size_t i = 0; i < hdu.axes.size(); ++i) {
    const bool whole = static_cast<int>(i) == x_axis || static_cast<int>(i) == y_axis;
    low.push_back(whole ? 1 : position[i] + 1);
    high.push_back(whole ? hdu.axes[i] : position[i] + 1);
  }
  auto out = std::make_shared<DecodedPlane>();
  out->shape = {hdu.axes[static_cast<std::size_t>(y_axis)], hdu.axes[static_cast<std::size_t>(x_axis)]};
  // Integers as double: their scaled values then keep every digit.
  const bool single = hdu.bitpix == -32;
  out->format.type = single ? PixelType::f32 : PixelType::f64;
  out->format.big_endian = std::endian::native == std::endian::big;
  out->pixels.resize(static_cast<std::size_t>(out->shape.count() * bytes_of(out->format.type)));
  OpenFile file(bytes, hdu.index, where);
  file.read(single ? TFLOAT : TDOUBLE, low, high, out->pixels.data());
  return out;
}

}  // namespace reber::fits
