// SPDX-License-Identifier: BSD-3-Clause
// Pixel sources over plain bytes and over memory.
#include "core/files/fits/pixel_sources.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"
#include "core/sky/model/rectangle_source.hpp"

namespace reber::fits {
namespace {

/// Longest piece of a strided row that is read at once.
constexpr std::int64_t kSpanBytes = std::int64_t{4} << 20;

void check_rows(Shape shape, std::int64_t y0, std::int64_t ny) {
  if (y0 < 0 || ny < 0 || y0 > shape.ny - ny) throw InternalError("read_rows: rows outside the plane");
}

class PlainSource final : public PixelSource, public RectangleSource {
 public:
  PlainSource(const ByteSource& bytes, std::int64_t data_offset, PlaneLayout layout, PixelFormat format)
      : bytes_(bytes), data_offset_(data_offset), layout_(layout), format_(format) {}

  [[nodiscard]] Shape shape() const override { return layout_.shape; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  [[nodiscard]] const RectangleSource* rectangle_source() const override { return this; }

  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    check_rows(layout_.shape, y0, ny);
    const std::int64_t size = bytes_of(format_.type);
    const std::int64_t row_bytes = layout_.shape.nx * size;
    const bool gapless = layout_.x_step == 1 && (layout_.y_step == layout_.shape.nx || layout_.shape.ny == 1);
    if (gapless) {
      bytes_.read(place(y0), out, ny * row_bytes);
      return;
    }
    for (std::int64_t y = y0; y < y0 + ny; ++y, out += row_bytes) {
      if (layout_.x_step == 1) {
        bytes_.read(place(y), out, row_bytes);
      } else {
        read_strided(place(y), layout_.shape.nx, out, size);
      }
    }
  }

  void read_rectangle(const Rect& where, std::byte* out) const override {
    check_rows(layout_.shape, where.y0, where.ny);
    if (where.x0 < 0 || where.nx < 0 || where.x0 > layout_.shape.nx - where.nx)
      throw InternalError("read_rectangle: columns outside the plane");
    const std::int64_t size = bytes_of(format_.type), row_bytes = where.nx * size;
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y, out += row_bytes) {
      const std::int64_t from = place(y) + where.x0 * layout_.x_step * size;
      if (layout_.x_step == 1) {
        bytes_.read(from, out, row_bytes);
      } else {
        read_strided(from, where.nx, out, size);
      }
    }
  }

  [[nodiscard]] bool read_planes(std::span<const RectangleSource* const> planes, std::int64_t y0, std::int64_t ny,
                                 std::span<std::byte* const> out) const override {
    check_rows(layout_.shape, y0, ny);
    if (layout_.x_step == 1 || planes.size() < 2) return false;
    std::vector<std::int64_t> firsts;
    for (const RectangleSource* const one : planes) {
      const auto* const plane = dynamic_cast<const PlainSource*>(one);
      if (plane == nullptr || &plane->bytes_ != &bytes_ || plane->layout_.x_step != layout_.x_step) return false;
      firsts.push_back(plane->layout_.first);
    }
    const auto [low, high] = std::ranges::minmax(firsts);
    if (high - low >= layout_.x_step) return false;  // they do not lie between two pixels of this one
    const std::int64_t size = bytes_of(format_.type), nx = layout_.shape.nx;
    for (std::int64_t y = y0; y < y0 + ny; ++y)
      spans(place(y) + (low - layout_.first) * size, nx, (high - low + 1) * size,
            [&](std::int64_t x, std::int64_t count, const std::byte* span) {
              for (std::size_t k = 0; k < planes.size(); ++k)
                gather(span + (firsts[k] - low) * size, count, size, out[k] + ((y - y0) * nx + x) * size);
            });
    return true;
  }

  void will_need(std::int64_t y0, std::int64_t ny) const override {
    check_rows(layout_.shape, y0, ny);
    if (layout_.x_step == 1 && ny > 0)
      bytes_.will_need(place(y0), place(y0 + ny - 1) - place(y0) + layout_.shape.nx * bytes_of(format_.type));
  }

 private:
  [[nodiscard]] std::int64_t place(std::int64_t y) const {
    return data_offset_ + (layout_.first + y * layout_.y_step) * bytes_of(format_.type);
  }

  void read_strided(std::int64_t from, std::int64_t nx, std::byte* out, std::int64_t size) const {
    spans(from, nx, size, [&](std::int64_t x, std::int64_t count, const std::byte* span) {
      gather(span, count, size, out + x * size);
    });
  }

  /// Reads a strided row in pieces: use(first pixel, pixels, bytes from the first one on).   last: bytes from the place
  /// of the last pixel on
  template <class Use>
  void spans(std::int64_t from, std::int64_t nx, std::int64_t last, Use use) const {
    const std::int64_t step = layout_.x_step * bytes_of(format_.type);
    const std::int64_t at_once = std::max<std::int64_t>(1, kSpanBytes / step);
    std::vector<std::byte> span;
    for (std::int64_t x = 0; x < nx; x += at_once) {
      const std::int64_t count = std::min(at_once, nx - x);
      span.resize(static_cast<std::size_t>((count - 1) * step + last));
      bytes_.read(from + x * step, span.data(), static_cast<std::int64_t>(span.size()));
      use(x, count, span.data());
    }
  }

  void gather(const std::byte* span, std::int64_t count, std::int64_t size, std::byte* out) const {
    const std::int64_t step = layout_.x_step * size;
    for (std::int64_t i = 0; i < count; ++i, out += size)
      std::memcpy(out, span + i * step, static_cast<std::size_t>(size));
  }

  const ByteSource& bytes_;
  std::int64_t data_offset_;
  PlaneLayout layout_;
  PixelFormat format_;
};

class DecodedSource final : public PixelSource {
 public:
  explicit DecodedSource(std::shared_ptr<const DecodedPlane> plane) : plane_(std::move(plane)) {}
  [[nodiscard]] Shape shape() const override { return plane_->shape; }
  [[nodiscard]] PixelFormat format() const override { return plane_->format; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    check_rows(plane_->shape, y0, ny);
    const std::int64_t row_bytes = plane_->shape.nx * bytes_of(plane_->format.type);
    std::memcpy(out, plane_->pixels->data() + y0 * row_bytes, static_cast<std::size_t>(ny * row_bytes));
  }

 private:
  std::shared_ptr<const DecodedPlane> plane_;
};

}  // namespace

std::vector<std::int64_t> plane_position(const std::vector<std::int64_t>& axes, int x_axis, int y_axis,
                                         std::int64_t plane) {
  std::vector<std::int64_t> position(axes.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (static_cast<int>(i) == x_axis || static_cast<int>(i) == y_axis) continue;
    position[i] = plane % axes[i];
    plane /= axes[i];
  }
  return position;
}

PlaneLayout plane_layout(const std::vector<std::int64_t>& axes, int x_axis, int y_axis, std::int64_t plane) {
  const auto position = plane_position(axes, x_axis, y_axis, plane);
  PlaneLayout layout;
  std::int64_t step = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (static_cast<int>(i) == x_axis) {
      layout.x_step = step;
      layout.shape.nx = axes[i];
    } else if (static_cast<int>(i) == y_axis) {
      layout.y_step = step;
      layout.shape.ny = axes[i];
    } else {
      layout.first += position[i] * step;
    }
    step *= axes[i];
  }
  return layout;
}

PixelType pixel_type(int bitpix) {
  switch (bitpix) {
    case 8:
      return PixelType::u8;
    case 16:
      return PixelType::i16;
    case 32:
      return PixelType::i32;
    case 64:
      return PixelType::i64;
    case -64:
      return PixelType::f64;
    default:
      return PixelType::f32;
  }
}

std::unique_ptr<PixelSource> plain_source(const ByteSource& bytes, std::int64_t data_offset, PlaneLayout layout,
                                          PixelFormat format) {
  return std::make_unique<PlainSource>(bytes, data_offset, layout, format);
}

std::unique_ptr<PixelSource> decoded_source(std::shared_ptr<const DecodedPlane> plane) {
  return std::make_unique<DecodedSource>(std::move(plane));
}

}  // namespace reber::fits
