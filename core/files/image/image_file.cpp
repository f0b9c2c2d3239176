// SPDX-License-Identifier: BSD-3-Clause
// Pixels that keep their file open, and pixels that were never in one.
#include "core/files/image/image_file.hpp"

#include <bit>
#include <cstring>

#include "core/base/error.hpp"

namespace reber {
namespace {

class MemorySource final : public PixelSource {
 public:
  MemorySource(const float* pixels, Shape shape) : pixels_(pixels), shape_(shape) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override {
    PixelFormat format;
    format.big_endian = std::endian::native == std::endian::big;
    return format;
  }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    if (y0 < 0 || ny < 0 || y0 > shape_.ny - ny) throw InternalError("read_rows: rows outside the plane");
    std::memcpy(out, pixels_ + y0 * shape_.nx, static_cast<std::size_t>(ny * shape_.nx) * sizeof(float));
  }

 private:
  const float* pixels_;
  Shape shape_;
};

}  // namespace

std::shared_ptr<const PixelSource> pixels_of(std::shared_ptr<const ImageFile> file, std::int64_t plane,
                                             const Progress& progress) {
  struct Open {
    std::shared_ptr<const ImageFile> file;
    std::unique_ptr<const PixelSource> pixels;  // gone before the file
  };
  auto pixels = file->pixels(plane, progress);
  const auto open = std::make_shared<const Open>(Open{std::move(file), std::move(pixels)});
  return {open, open->pixels.get()};
}

ImagePlane ImagePlane::open(const std::string& path, const OpenOptions& options, const Progress& progress) {
  ImagePlane image;
  image.file_ = open_image_file(path, options, Planes::one, progress);
  image.header_ = image.file_->header(options.plane.value_or(0));
  return image;
}

std::unique_ptr<PixelSource> memory_source(const float* pixels, Shape shape) {
  return std::make_unique<MemorySource>(pixels, shape);
}

}  // namespace reber
