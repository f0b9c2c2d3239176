// SPDX-License-Identifier: BSD-3-Clause
// What is chosen and shown of a cube beside its plane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace reber::gui {

struct Spectrum;

/// Of one document.
struct CubeView {
  /// Chosen in the spectrum: places on the played axis from 0, both included, low <= high.
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  std::uint64_t reading = 0;                 ///< counts up where the file was read again
  std::shared_ptr<const Spectrum> spectrum;  ///< the newest; null before the first
};

}  // namespace reber::gui
