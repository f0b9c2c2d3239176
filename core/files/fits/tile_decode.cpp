// SPDX-License-Identifier: BSD-3-Clause
// Tile-compressed images through CFITSIO, in child processes side by side: damaged RICE, PLIO and HCOMPRESS streams
// carry nothing that could be checked beforehand, and make CFITSIO read and write outside its memory or never return.
#include "core/files/fits/tile_decode.hpp"

#include <fitsio.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>
#include <system_error>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/fits/caged_children.hpp"
#include "core/files/fits/cfitsio_status.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/fits/tile_guard.hpp"

namespace reber::fits {
namespace {

/// The box of pixels to read, 1-based, as CFITSIO takes it.
struct Box {
  std::vector<long> low, high, step;
};

/// Runs in the child, where nothing but CFITSIO and memory may be used.   box: CFITSIO takes it as one to be written
void decode(const char* path, int hdu, int type, Box& box, void* out) {
  fitsfile* file = nullptr;
  int status = 0, any = 0;
  const float float_blank = std::numeric_limits<float>::quiet_NaN();
  const double double_blank = std::numeric_limits<double>::quiet_NaN();
  const void* const blank = type == TFLOAT ? static_cast<const void*>(&float_blank) : &double_blank;
  errno = 0;
  fits_open_diskfile(&file, path, READONLY, &status);
  const int error = errno;
  if (status == FILE_NOT_OPENED && error != 0) throw NotOpened{error};
  if (!close_cage() && status == 0) status = FILE_NOT_OPENED;
  errno = error;
  if (status == 0) fits_movabs_hdu(file, hdu + 1, nullptr, &status);
  if (status == 0) {
    fits_read_subset(file, type, box.low.data(), box.high.data(), box.step.data(), const_cast<void*>(blank), out, &any,
                     &status);
  }
  check_cfitsio(status);
}

/// A plane in boxes of whole tiles, one a child, in the order of their pixels in memory.
struct Shares {
  std::vector<Box> boxes;
  std::int64_t pixels = 0;  ///< of each box but the last, which may be smaller
};

Shares shares_of(const Hdu& hdu, int x_axis, int y_axis, std::int64_t plane, std::int64_t pixel_bytes) {
  constexpr std::int64_t kLeastBytes = 4 << 20, kMostChildren = 64;
  const auto slow = static_cast<std::size_t>(std::max(x_axis, y_axis));
  const std::int64_t row = hdu.axes[static_cast<std::size_t>(std::min(x_axis, y_axis))], rows = hdu.axes[slow];
  const std::int64_t worth = rows * row * pixel_bytes / kLeastBytes;
  const std::int64_t children =
      std::clamp<std::int64_t>(worth, 1, std::min<std::int64_t>(usable_threads(), kMostChildren));
  const std::int64_t tile = hdu.layout.tile[slow], tiles = (rows - 1) / tile + 1;
  const std::int64_t height = ((tiles - 1) / children + 1) * tile;
  Box box;
  const auto position = plane_position(hdu.axes, x_axis, y_axis, plane);
  for (std::size_t i = 0; i < hdu.axes.size(); ++i) {
    const bool whole = static_cast<int>(i) == x_axis || static_cast<int>(i) == y_axis;
    box.low.push_back(whole ? 1 : position[i] + 1);
    box.high.push_back(whole ? hdu.axes[i] : position[i] + 1);
    box.step.push_back(1);
  }
  Shares shares{{}, height * row};
  for (std::int64_t first = 0; first < rows; first += height) {
    box.low[slow] = first + 1;
    box.high[slow] = std::min(first + height, rows);
    shares.boxes.push_back(box);
  }
  return shares;
}

}  // namespace

std::shared_ptr<const DecodedPlane> decode_tiles(const ByteSource& bytes, const Hdu& hdu, int x_axis, int y_axis,
                                                 std::int64_t plane, const std::string& name,
                                                 const Progress& progress) {
  const std::string where = fmt::format("'{}', HDU {}: ", name, hdu.index);
  // The open file by its descriptor: the same file that was checked, and a name without special characters.
  const std::string path = bytes.reopen_path();
  if (path.empty()) {
    throw DataError(where + "a tile-compressed image inside a gzip or bzip2 file is not read; unpack it first");
  }
  check_streams(bytes, hdu, name);
  auto out = std::make_shared<DecodedPlane>();
  out->shape = {hdu.axes[static_cast<std::size_t>(y_axis)], hdu.axes[static_cast<std::size_t>(x_axis)]};
  // Integers as double: their scaled values then keep every digit.
  const bool single = hdu.bitpix == -32;
  out->format.type = single ? PixelType::f32 : PixelType::f64;
  out->format.big_endian = std::endian::native == std::endian::big;
  const std::int64_t pixel_bytes = out->shape.count() * bytes_of(out->format.type);
  Shares shares = shares_of(hdu, x_axis, y_axis, plane, bytes_of(out->format.type));
  auto memory = std::make_shared<SharedMemory>(shares.boxes.size(), pixel_bytes);
  const auto share = [&](std::size_t i) {
    std::byte* const pixels =
        memory->bytes() + static_cast<std::int64_t>(i) * shares.pixels * bytes_of(out->format.type);
    decode(path.c_str(), hdu.index, single ? TFLOAT : TDOUBLE, shares.boxes[i], pixels);
  };
  // Tiles as integers and as floats, and what CFITSIO keeps of them.
  constexpr std::int64_t kLeastBytes = std::int64_t{512} << 20, kCopies = 4;
  ChildLimits limits;
  limits.seconds = patience_seconds(pixel_bytes);
  limits.descriptor = std::atoi(path.c_str() + path.rfind('/') + 1);
  limits.bytes = static_cast<std::uint64_t>(kLeastBytes + kCopies * pixel_bytes);
  CagedChildren children(where);
  for (std::size_t started = 0, ended = 0; ended < shares.boxes.size(); ++ended) {
    while (started < shares.boxes.size() && children.start(limits, memory->answer(started), [&] { share(started); }))
      ++started;
    // Where there are no more processes, those that run end first.
    if (started == ended)
      throw DeviceError(where + "no process for the decoder: " + std::generic_category().message(errno));
    const std::string trouble = children.wait(progress);
    if (!trouble.empty())
      throw DataError(fmt::format("{}decompression fails: {}; the compressed data are damaged", where, trouble));
  }
  out->pixels = std::move(memory);
  return out;
}

}  // namespace reber::fits
