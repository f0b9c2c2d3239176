// SPDX-License-Identifier: BSD-3-Clause
// Sources of one image plane's pixels: from plain bytes, and decoded in memory.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/fits/fits_guard.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber::fits {

/// Where a plane's pixels lie in the array: element index = first + y * y_step + x * x_step.
struct PlaneLayout {
  Shape shape;
  std::int64_t first = 0;
  std::int64_t x_step = 1;
  std::int64_t y_step = 0;
};

/// Layout of plane number `plane` (the other axes counted with the first of them fastest) for x_axis < y_axis.
[[nodiscard]] PlaneLayout plane_layout(const std::vector<std::int64_t>& axes, int x_axis, int y_axis,
                                       std::int64_t plane);
/// 0-based position of that plane along every axis; 0 along x and y.
[[nodiscard]] std::vector<std::int64_t> plane_position(const std::vector<std::int64_t>& axes, int x_axis, int y_axis,
                                                       std::int64_t plane);

[[nodiscard]] PixelType pixel_type(int bitpix);

/// Pixels read by position; `bytes` must outlive the source.
[[nodiscard]] std::unique_ptr<PixelSource> plain_source(const ByteSource& bytes, std::int64_t data_offset,
                                                        PlaneLayout layout, PixelFormat format);

/// Memory that holds decoded pixels.
class PixelMemory {
 public:
  virtual ~PixelMemory() = default;
  [[nodiscard]] virtual const std::byte* data() const = 0;
};

/// One plane, decoded: native byte order, scaled, blanks as NaN.
struct DecodedPlane {
  Shape shape;
  PixelFormat format;
  std::shared_ptr<const PixelMemory> pixels;
};
[[nodiscard]] std::unique_ptr<PixelSource> decoded_source(std::shared_ptr<const DecodedPlane> plane);

/// The plane that was decoded last, for as long as somebody uses it. Safe from several threads.
class LastDecoded {
 public:
  /// decode: called where it is another plane   throws what it throws
  std::shared_ptr<const DecodedPlane> of(std::int64_t plane,
                                         const std::function<std::shared_ptr<const DecodedPlane>()>& decode) {
    const std::lock_guard lock(mutex_);
    auto decoded = plane == plane_ ? decoded_.lock() : nullptr;
    if (!decoded) decoded_ = decoded = decode();
    plane_ = plane;
    return decoded;
  }

 private:
  std::mutex mutex_;
  std::int64_t plane_ = -1;
  std::weak_ptr<const DecodedPlane> decoded_;
};

}  // namespace reber::fits
