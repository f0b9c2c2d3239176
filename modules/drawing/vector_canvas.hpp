// SPDX-License-Identifier: BSD-3-Clause
// A canvas that becomes a PDF or SVG, by Cairo.
#pragma once

#include <memory>
#include <string>

#include "core/show/picture/canvas.hpp"

namespace reber::drawn {

/// title: of the document, in a PDF
[[nodiscard]] std::unique_ptr<Canvas> make_vector_canvas(bool pdf, double width, double height, Ink background,
                                                         const std::string& title);

}  // namespace reber::drawn
