// SPDX-License-Identifier: BSD-3-Clause
// Float images on the host: an owner and its views. A blank pixel is NaN.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/shape.hpp"

namespace reber {

/// Read-only view of rows of float pixels. Copies are shallow; it must not outlive what it points into.
struct ConstImageView {
  const float* pixels = nullptr;
  Shape shape;
  std::int64_t stride = 0;  ///< floats from one row to the next

  [[nodiscard]] const float* row(std::int64_t y) const { return pixels + y * stride; }
};

/// Writable view of rows of float pixels.
struct ImageView {
  float* pixels = nullptr;
  Shape shape;
  std::int64_t stride = 0;

  [[nodiscard]] float* row(std::int64_t y) const { return pixels + y * stride; }
  operator ConstImageView() const { return {pixels, shape, stride}; }  // NOLINT: a view of mutable pixels reads too
};

/// Owns the float pixels of one image, rows without gaps, uninitialised when made. Move-only: clone() copies.
class Image {
 public:
  Image() = default;
  explicit Image(Shape shape)
      : shape_(shape), pixels_(std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(shape.count()))) {}

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] float* data() { return pixels_.get(); }
  [[nodiscard]] const float* data() const { return pixels_.get(); }
  [[nodiscard]] float& at(std::int64_t y, std::int64_t x) { return pixels_[y * shape_.nx + x]; }
  [[nodiscard]] float at(std::int64_t y, std::int64_t x) const { return pixels_[y * shape_.nx + x]; }
  [[nodiscard]] ImageView view() { return {pixels_.get(), shape_, shape_.nx}; }
  [[nodiscard]] ConstImageView view() const { return {pixels_.get(), shape_, shape_.nx}; }

  [[nodiscard]] Image clone() const {
    Image copy(shape_);
    for (std::int64_t i = 0; i < shape_.count(); ++i) copy.pixels_[i] = pixels_[i];
    return copy;
  }

 private:
  Shape shape_;
  std::unique_ptr<float[]> pixels_;
};

}  // namespace reber
