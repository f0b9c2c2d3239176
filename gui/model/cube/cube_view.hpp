// SPDX-License-Identifier: BSD-3-Clause
// What is chosen and shown of a cube beside its plane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/words.hpp"

namespace reber::gui {

struct Spectrum;

/// What is shown in place of a plane: the linearly polarised intensity of Stokes Q and U (PolarisedFile), or nothing
/// else.
enum class LinearPolarisation { off, plain, debiased };
}  // namespace reber::gui

namespace reber {
template <>
inline constexpr auto words<gui::LinearPolarisation> =
    std::to_array<Word<gui::LinearPolarisation>>({{"off", gui::LinearPolarisation::off, "off"},
                                                  {"plain", gui::LinearPolarisation::plain, "P"},
                                                  {"debiased", gui::LinearPolarisation::debiased, "P, debiased"}});
}  // namespace reber

namespace reber::gui {

/// Of one document.
struct CubeView {
  /// Chosen in the spectrum: places on the played axis from 0, both included, low <= high.
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  LinearPolarisation linear = LinearPolarisation::off;
  std::uint64_t reading = 0;                 ///< counts up where the file was read again
  std::shared_ptr<const Spectrum> spectrum;  ///< the newest; null before the first
};

}  // namespace reber::gui
