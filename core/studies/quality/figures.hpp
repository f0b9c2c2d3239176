// SPDX-License-Identifier: BSD-3-Clause
// The figures of a quality report, as addresses that hold the picture itself.
#pragma once

#include <string>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/studies/quality/quality.hpp"

namespace reber {

struct Figure {
  std::string section;  ///< of the page
  std::string caption, alt;
  std::string uri;   ///< "data:image/..."
  bool plot = true;  ///< lines on white, else a map
};

/// Maps of the image and of its noise, and a plot of each thing that has been measured. None where nothing can draw
/// (core/show/picture/canvas.hpp); `missing` then says why.   throws Cancelled, DeviceError
[[nodiscard]] std::vector<Figure> draw_figures(const Quality& quality, const Result& result, const Progress& progress,
                                               std::string& missing);

}  // namespace reber
