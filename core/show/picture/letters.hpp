// SPDX-License-Identifier: BSD-3-Clause
// Text as straight strokes, before anything is drawn.
#pragma once

#include <string>
#include <vector>

#include "core/show/picture/ink.hpp"

namespace reber {

struct Stroke {
  Point from, to;
};

/// The strokes of a line of text: (0, 0) is where it begins on the line that it stands on, capitals reach up to y =
/// -size, units of the size. "^" raises the next character or {group}; degree sign, micro sign and ASCII are known, all
/// else is "?". Shapes: Hershey's Roman Simplex.
[[nodiscard]] std::vector<Stroke> text_strokes(const std::string& text, double size);

/// Where the next character would begin; 0 of an empty text.
[[nodiscard]] double text_width(const std::string& text, double size);

}  // namespace reber
