// SPDX-License-Identifier: BSD-3-Clause
// What the cpu backend keeps: float pixels in recycled memory, rows without gaps.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"
#include "kernels/shared/background_of.hpp"

namespace reber::cpu {

class PixelMemory;

/// Owns floats of a PixelMemory and hands them back to it. kSlack floats past the end may be read and written, so
/// that loops over whole vectors need no tail.
class Pixels {
 public:
  static constexpr std::int64_t kSlack = 64;

  Pixels() = default;
  Pixels(std::shared_ptr<PixelMemory> memory, float* data, std::int64_t bytes)
      : memory_(std::move(memory)), data_(data), bytes_(bytes) {}
  Pixels(Pixels&& other) noexcept { swap(other); }
  Pixels& operator=(Pixels&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Pixels();

  [[nodiscard]] float* data() { return data_; }
  [[nodiscard]] const float* data() const { return data_; }

 private:
  void swap(Pixels& other) {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  std::shared_ptr<PixelMemory> memory_;
  float* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Memory for planes, in huge pages where the system has them. Keeps the two buffers freed last: the page faults of a
/// new 64 MB buffer cost as much as a small convolution (4 ms of 8).
class PixelMemory : public std::enable_shared_from_this<PixelMemory> {
 public:
  static std::shared_ptr<PixelMemory> make() { return std::make_shared<PixelMemory>(); }
  ~PixelMemory();

  /// Uninitialised, 64-byte aligned.   throws InputError where the memory is not there
  Pixels take(std::int64_t floats);

 private:
  friend class Pixels;
  void give(float* data, std::int64_t bytes);

  std::mutex mutex_;
  std::vector<std::pair<float*, std::int64_t>> kept_;
};

/// Pixels that are not finite as stored; of these, how many are infinite.
struct BlankCounts {
  std::int64_t blank = 0, infinite = 0;
};

class RowMaker;
class ChangedRows;

/// Pixels in memory (resident), or a way to make rows of them (streamed; kernels/cpu/row_maker.hpp). Copies share them.
class CpuPlane final : public Plane {
 public:
  CpuPlane(Shape plane_shape, Pixels pixels)
      : shape_(plane_shape), pixels_(std::make_shared<Pixels>(std::move(pixels))) {}
  explicit CpuPlane(std::shared_ptr<const RowMaker> maker);
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t blank() const override { return counts().blank; }
  [[nodiscard]] std::int64_t infinite() const override { return counts().infinite; }

  [[nodiscard]] bool resident() const { return pixels_ != nullptr; }
  /// Null where the plane is resident.
  [[nodiscard]] const std::shared_ptr<const RowMaker>& maker() const { return maker_; }

  /// What it is made of, where that is a resident plane with some pixels changed; else null.
  [[nodiscard]] const std::shared_ptr<const ChangedRows>& origin() const { return origin_; }
  void set_origin(std::shared_ptr<const ChangedRows> origin) { origin_ = std::move(origin); }

  // Of resident planes alone.
  void set_counts(BlankCounts counts) { counts_ = counts; }
  /// The same for all copies, and for no other plane while one of them lives.
  [[nodiscard]] const std::shared_ptr<Pixels>& pixels() const { return pixels_; }
  [[nodiscard]] float* data() { return pixels_->data(); }
  [[nodiscard]] const float* data() const { return std::as_const(*pixels_).data(); }
  [[nodiscard]] const float* row(std::int64_t y) const { return data() + y * shape_.nx; }

 private:
  [[nodiscard]] BlankCounts counts() const;

  Shape shape_;
  std::shared_ptr<Pixels> pixels_;
  std::shared_ptr<const RowMaker> maker_;
  std::shared_ptr<const ChangedRows> origin_;
  BlankCounts counts_;
};

/// A background whose maps are planes of this backend.
using CpuBackground = BackgroundOf<CpuPlane>;

}  // namespace reber::cpu
