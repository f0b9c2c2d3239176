// SPDX-License-Identifier: BSD-3-Clause
// How long a FITS file can be, told from its headers as they are inflated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace reber::fits {

/// Asked again and again while a file comes out of its compression.
class FitsExtent {
 public:
  /// begin: the bytes so far.   returns how many bytes the file may have, and a little more for what pads it; of a file
  /// that is no FITS no bound, 2^62
  [[nodiscard]] std::int64_t operator()(std::span<const std::byte> begin);

 private:
  std::int64_t hdu_ = 0;   ///< where the header begins that is looked at
  std::int64_t card_ = 0;  ///< of its cards, where the next one to look at begins
};

}  // namespace reber::fits
