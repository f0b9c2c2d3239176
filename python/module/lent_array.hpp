// SPDX-License-Identifier: BSD-3-Clause
// Arrays on a card there and back: what reber/_devices.py has read of another library's array, and maps for others.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>

#include "core/base/shape.hpp"
#include "core/seam/compute/lent_pixels.hpp"
#include "core/show/display/display_levels.hpp"

namespace reber::python {

/// What a DLPack capsule tells. It keeps the array alive.
class Borrowed {
 public:
  explicit Borrowed(nanobind::ndarray<nanobind::ro> array) : array_(std::move(array)) {}
  [[nodiscard]] std::uintptr_t pointer() const { return reinterpret_cast<std::uintptr_t>(array_.data()); }
  [[nodiscard]] nanobind::tuple shape() const;
  [[nodiscard]] nanobind::tuple strides() const;  ///< in bytes
  [[nodiscard]] std::string type() const;         ///< as NumPy writes it, "f4"; "" for what NumPy has no word for
  [[nodiscard]] nanobind::tuple device() const;   ///< (kind, number), as __dlpack_device__ has them

 private:
  nanobind::ndarray<nanobind::ro> array_;
};

/// The image of (pointer, (ny, nx), (row bytes, pixel bytes), "f4" or its like, card or None, stream or None).
///   throws InputError for a type of pixel that no image has
[[nodiscard]] std::shared_ptr<const LentSource> lent_source(const nanobind::tuple& told);

/// A map in a card's memory as other libraries take arrays. It may be kept after the run that made it.
class DeviceMap {
 public:
  /// integers: std::int32_t, else float.
  DeviceMap(std::shared_ptr<const DeviceTile> tile, Shape shape, bool integers)
      : tile_(std::move(tile)), shape_(shape), integers_(integers) {}
  ~DeviceMap();
  DeviceMap(const DeviceMap&) = delete;
  DeviceMap& operator=(const DeviceMap&) = delete;

  [[nodiscard]] nanobind::tuple shape() const { return nanobind::make_tuple(shape_.ny, shape_.nx); }
  [[nodiscard]] const char* type() const { return integers_ ? "<i4" : "<f4"; }
  [[nodiscard]] int card() const { return tile_->card(); }
  /// Version 3. No stream: the map is complete.
  [[nodiscard]] nanobind::dict interface() const;
  /// An array of nanobind's, which has __dlpack__; `self` is kept alive by it.
  [[nodiscard]] nanobind::object array(const nanobind::object& self) const;

 private:
  std::shared_ptr<const DeviceTile> tile_;
  Shape shape_;
  bool integers_;
};

}  // namespace reber::python
