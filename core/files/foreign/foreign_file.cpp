// SPDX-License-Identifier: BSD-3-Clause
// Headers and pixels out of children, who may have been taken over by what they read: nothing they say is believed.
#include "core/files/foreign/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/caged_children.hpp"
#include "core/files/fits/card_header.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/foreign/described.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMessageBytes = std::int64_t{64} << 20;

/// The library's pixels: floats of floats, doubles of all else.
PixelFormat format_of(int bitpix) {
  PixelFormat format;
  format.type = bitpix == -32 ? PixelType::f32 : PixelType::f64;
  format.big_endian = std::endian::native == std::endian::big;
  return format;
}

class ForeignFile final : public ImageFile {
 public:
  ForeignFile(ForeignSource source, const OpenOptions& options, Planes planes, const Progress& progress)
      : source_(std::move(source)), name_(printable(source_.path)) {
    const Described found = describe(options.hdu.value_or(-1), progress);
    hdu_ = found.image.hdu;
    format_ = format_of(found.image.bitpix);
    header_.emplace(header_of(found, source_.path, source_.most_pixel_bytes, options, planes));
    if (plane_bytes() > options.max_inflated_bytes)
      throw DataError(fmt::format("'{}': its plane takes {} bytes, above the limit of {}", name_, plane_bytes(),
                                  options.max_inflated_bytes));
  }

  [[nodiscard]] std::int64_t planes() const override { return header_->common().planes; }
  [[nodiscard]] Shape shape() const override { return header_->common().shape; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  [[nodiscard]] Stored stored() const override { return Stored::coded_whole; }
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override { return header_->of(plane); }
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress) const override {
    header_->check(plane);
    return fits::decoded_source(decoded_.of(plane, [&] { return decode(plane, progress); }));
  }

 private:
  [[nodiscard]] std::int64_t plane_bytes() const { return shape().count() * bytes_of(format_.type); }

  /// Runs work in a child.   throws DataError with what is wrong
  void run(std::int64_t bytes, fits::ChildAnswer& answer, const std::function<void()>& work,
           const Progress& progress) const {
    fits::ChildLimits limits;
    limits.seconds = fits::patience_seconds(bytes);
    limits.descriptor = source_.bytes ? std::atoi(path().c_str() + path().rfind('/') + 1) : -1;
    limits.opens = source_.opens;
    limits.bytes = static_cast<std::uint64_t>(source_.library_bytes + 4 * bytes);
    limits.cage = source_.cage;
    limits.folders = source_.folders;
    fits::CagedChildren children(fmt::format("'{}': ", name_));
    if (!children.start(limits, answer, work))
      throw DeviceError(
          fmt::format("'{}': no process for its reader: {}", name_, std::generic_category().message(errno)));
    std::string trouble;
    try {
      trouble = children.wait(progress);
    } catch (const std::bad_alloc&) {
      trouble = fmt::format("it asks for more memory than an image of its size needs ({} MiB): it is damaged",
                            limits.bytes >> 20);
    }
    if (!trouble.empty()) throw DataError(fmt::format("'{}': {} ({})", name_, trouble, source_.reader.name()));
  }
  /// The open file by its descriptor: the one that was looked at, and a name without special characters.
  [[nodiscard]] std::string path() const { return source_.bytes ? source_.bytes->reopen_path() : source_.place; }
  static void close_cage() {
    if (!fits::close_cage()) throw std::runtime_error("the cage does not close");
  }

  [[nodiscard]] Described describe(int hdu, const Progress& progress) const {
    const fits::SharedMemory memory(1, kMessageBytes);
    run(
        0, memory.answer(0),
        [&] {
          Cards cards;
          const ForeignImage image = source_.reader.describe(path(), hdu, cards, close_cage);
          write_described(image, cards, {memory.bytes(), kMessageBytes});
        },
        progress);
    try {
      return read_described({memory.bytes(), kMessageBytes});
    } catch (const std::runtime_error& error) {
      throw DataError(fmt::format("'{}' cannot be read: {}", name_, error.what()));
    }
  }

  [[nodiscard]] std::shared_ptr<const fits::DecodedPlane> decode(std::int64_t plane, const Progress& progress) const {
    const ImageHeader& header = header_->common();
    ForeignBox box{fits::plane_position(header.axes, header.x_axis, header.y_axis, plane),
                   std::vector<std::int64_t>(header.axes.size(), 1)};
    for (const int axis : {header.x_axis, header.y_axis})
      box.count[static_cast<std::size_t>(axis)] = header.axes[static_cast<std::size_t>(axis)];
    const bool turned = header.x_axis > header.y_axis;
    const auto memory = std::make_shared<fits::SharedMemory>(1, plane_bytes());
    const auto work = [&] {
      source_.reader.read(path(), hdu_, box, memory->bytes(), close_cage);
      if (turned) turn(memory->bytes());
    };
    run(plane_bytes(), memory->answer(0), work, progress);
    return std::make_shared<const fits::DecodedPlane>(fits::DecodedPlane{shape(), format_, memory});
  }

  /// Of columns, rows.
  void turn(std::byte* pixels) const {
    const Shape to = shape();
    const std::int64_t size = bytes_of(format_.type);
    const std::vector<std::byte> columns(pixels, pixels + plane_bytes());
    for (std::int64_t y = 0; y < to.ny; ++y)
      for (std::int64_t x = 0; x < to.nx; ++x, pixels += size)
        std::memcpy(pixels, columns.data() + (x * to.ny + y) * size, static_cast<std::size_t>(size));
  }

  ForeignSource source_;
  std::string name_;
  int hdu_ = 0;
  PixelFormat format_;
  std::optional<fits::CardHeader> header_;
  mutable fits::LastDecoded decoded_;
};

}  // namespace

std::shared_ptr<const ImageFile> open_foreign(ForeignSource source, const OpenOptions& options, Planes planes,
                                              const Progress& progress) {
  return std::make_shared<const ForeignFile>(std::move(source), options, planes, progress);
}

}  // namespace reber
