// SPDX-License-Identifier: BSD-3-Clause
// What a backend can be beside: one of several processes that share every image.
#pragma once

#include <cstdint>

namespace reber {

class SharesImage {
 public:
  virtual ~SharesImage() = default;
  /// Processes that share an image, each of which reads a part of it; 1 where the backend works alone.
  [[nodiscard]] virtual std::int64_t processes() const = 0;
};

}  // namespace reber
