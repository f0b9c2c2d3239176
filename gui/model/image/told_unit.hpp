// SPDX-License-Identifier: BSD-3-Clause
// The unit in which the values of an image are told, where it is not the file's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/sky/model/image_header.hpp"

namespace reber::gui {

/// One of those offered.
struct ToldUnit {
  std::string_view word;  ///< "mJy/beam": of menus, sessions and scripts
  Unit::Kind kind;
  std::string_view prefix;  ///< "m", whatever the size of a value
  double times;             ///< a value without the prefix has so many of them
};
[[nodiscard]] std::span<const ToldUnit> told_units();
/// Whether it is one of those offered.
[[nodiscard]] bool is_told_unit(std::string_view word);

struct Told {
  /// Of unknown kind: a value of the image times its factor is told with its text, whatever its size. The image's own
  /// where no other is asked for, or where that cannot be.
  Unit unit;
  std::string why_not;  ///< empty where it can, and where no other is asked for
};
/// The image's unit made another one, by core's brightness_factor(). What is summed over stays: "Jy beam-1 km s-1" is
/// told in "K km s-1".
///   beam: of the layer   word: of told_units(); others, the empty one among them, leave the unit as it is
[[nodiscard]] Told told_in(const ImageHeader& header, const std::optional<Beam>& beam, std::string_view word);

}  // namespace reber::gui
