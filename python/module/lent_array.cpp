// SPDX-License-Identifier: BSD-3-Clause
// Addresses, steps and types between DLPack, __cuda_array_interface__ and a source of pixels.
#include "python/module/lent_array.hpp"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <array>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

constexpr std::array<std::pair<const char*, PixelType>, 6> kTypes{{{"u1", PixelType::u8},
                                                                   {"i2", PixelType::i16},
                                                                   {"i4", PixelType::i32},
                                                                   {"i8", PixelType::i64},
                                                                   {"f4", PixelType::f32},
                                                                   {"f8", PixelType::f64}}};

PixelType type_of(const std::string& word) {
  for (const auto& [name, type] : kTypes)
    if (word == name) return type;
  throw InputError(fmt::format("pixels of type {} on a card; expected u1, i2, i4, i8, f4 or f8", word));
}

nb::tuple tuple_of(std::size_t count, const auto& value) {
  nb::list values;
  for (std::size_t i = 0; i < count; ++i) values.append(value(i));
  return nb::tuple(values);
}

}  // namespace

nb::tuple Borrowed::shape() const {
  return tuple_of(array_.ndim(), [&](std::size_t i) { return array_.shape(i); });
}

nb::tuple Borrowed::strides() const {
  const auto bytes = static_cast<std::int64_t>(array_.itemsize());
  return tuple_of(array_.ndim(), [&](std::size_t i) { return array_.stride(i) * bytes; });
}

std::string Borrowed::type() const {
  const nb::dlpack::dtype type = array_.dtype();
  if (type.lanes != 1 || type.bits % 8 != 0) return "";
  const auto word = [&](const char* letter) { return fmt::format("{}{}", letter, type.bits / 8); };
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)) return word("i");
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)) return word("u");
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) return word("f");
  return "";
}

nb::tuple Borrowed::device() const { return nb::make_tuple(array_.device_type(), array_.device_id()); }

std::shared_ptr<const LentSource> lent_source(const nb::tuple& told) {
  LentPixels pixels;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): arrays hand their addresses over as numbers
  pixels.first = reinterpret_cast<const std::byte*>(nb::cast<std::uintptr_t>(told[0]));
  const auto [ny, nx] = nb::cast<std::pair<std::int64_t, std::int64_t>>(told[1]);
  std::tie(pixels.row_bytes, pixels.pixel_bytes) = nb::cast<std::pair<std::int64_t, std::int64_t>>(told[2]);
  PixelFormat format;
  format.type = type_of(nb::cast<std::string>(told[3]));
  if (!told[4].is_none()) pixels.card = nb::cast<int>(told[4]);
  if (!told[5].is_none()) pixels.stream = nb::cast<std::uintptr_t>(told[5]);
  return std::make_shared<const LentSource>(pixels, Shape{ny, nx}, format);
}

// The card of the caller's thread stays the one that other libraries have chosen there.
DeviceMap::~DeviceMap() {
  const nb::gil_scoped_release without_lock;
  run_beside([this] { tile_.reset(); }).wait();
}

nb::dict DeviceMap::interface() const {
  nb::dict told;
  told["shape"] = shape();
  told["typestr"] = type();
  told["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(tile_->address()), false);
  told["strides"] = nb::none();
  told["stream"] = nb::none();
  told["version"] = 3;
  return told;
}

nb::object DeviceMap::array(const nb::object& self) const {
  const std::array<std::size_t, 2> shape{static_cast<std::size_t>(shape_.ny), static_cast<std::size_t>(shape_.nx)};
  const nb::dlpack::dtype type = integers_ ? nb::dtype<std::int32_t>() : nb::dtype<float>();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): whoever has the map may write it
  auto* const first = const_cast<void*>(tile_->address());
  return nb::ndarray<nb::device::cuda>(first, 2, shape.data(), self, nullptr, type, nb::device::cuda::value, card())
      .cast();
}

}  // namespace reber::python
