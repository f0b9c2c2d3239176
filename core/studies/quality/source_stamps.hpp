// SPDX-License-Identifier: BSD-3-Clause
// One source: its surroundings in the image, in the model and in what is left, and what it is in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/sources/model_map.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/show/display/display_scale.hpp"
#include "core/show/picture/rgb_view.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// Squares about a source's centre, in the image's unit.
struct SourceStamps {
  Image data, model, rest;      ///< model: of all sources, on the background's mean. NaN off the image
  std::int64_t y0 = 0, x0 = 0;  ///< pixel of the image that is the first one here; may be off it
  DisplayLimits limits;         ///< colours of all three: from 3 rms on the other side of the mean to the peak
  double largest_rest = 0;      ///< largest residual within a FWHM of the centre, sigma
};

/// FWHM of a source, pixels: the geometric mean of its axes; 5 where it has none.
[[nodiscard]] double width_px(const Source& one);

/// model: of the result's sources   returns nothing for a source off the image   throws Cancelled, DeviceError
[[nodiscard]] std::optional<SourceStamps> stamps_of(const Result& result, const ModelMap& model, const Source& one,
                                                    const Progress& progress);

/// A stamp in the sky's colours, its first row at the bottom.   room: what the view points into
[[nodiscard]] RgbView painted(const Image& stamp, const DisplayLimits& limits, ThreadPool& pool,
                              std::vector<Rgb>& room);

/// Place, S/N, fluxes with errors, size.
struct SourceWords {
  std::string title;
  std::vector<std::string> lines;
};
[[nodiscard]] SourceWords words_of(const ImageHeader& header, const Source& one);

/// Image, model and residual of one source side by side, with the ellipses of the fits at half of their peaks, the
/// beam, and what the source is in words.
///   path: .png, .pdf or .svg   row: entry of the result's sources, which is the Source_id
///   throws InputError where there is no such row or it is off the image; as make_canvas() and save()
void write_source_plot(const std::string& path, const Result& result, std::int64_t row, bool overwrite,
                       const Progress& progress);

}  // namespace reber
