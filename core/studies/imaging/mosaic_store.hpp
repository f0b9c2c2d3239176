// SPDX-License-Identifier: BSD-3-Clause
// Pixels and weights of a mosaic, from when they are made until they are written.
#pragma once

#include <memory>
#include <string>

#include "core/base/shape.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber {

/// Rows of pairs (pixel, weight): in memory where they are few, else in a file that never gets a name.
class MosaicStore {
 public:
  /// beside: the file is made in the folder of this one
  MosaicStore(Shape shape, const std::string& beside);
  [[nodiscard]] Shape shape() const { return shape_; }
  /// Rows [y0, y0 + ny), two floats a pixel. Each row once.
  void put(std::int64_t y0, std::int64_t ny, const float* pairs);
  void get(std::int64_t y0, std::int64_t ny, float* pairs) const;

 private:
  Shape shape_;
  std::unique_ptr<float[]> held_;  // NOLINT(modernize-avoid-c-arrays): not filled with zeros
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<fits::ByteSource> read_;
};

}  // namespace reber
