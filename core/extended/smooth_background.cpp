// SPDX-License-Identifier: BSD-3-Clause
// The passes of measure_background() on fewer pixels, in boxes of as many fewer.
#include "core/extended/smooth_background.hpp"

#include <algorithm>
#include <cmath>

#include "core/compute/every_nth.hpp"
#include "core/pipeline/background_stage.hpp"

namespace reber {

std::int64_t pixels_apart(double wide_px) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(wide_px / 2)), 1);
}

BackgroundModel of_whole(BackgroundModel model, std::int64_t n, Shape image) {
  for (PixelSpan& span : model.grid.rows) span = {span.begin * n, std::min(span.end * n, image.ny)};
  for (PixelSpan& span : model.grid.cols) span = {span.begin * n, std::min(span.end * n, image.nx)};
  model.grid.image = image;
  for (RaisedNoise& raised : model.raised) raised.y = raised.y * n + (n - 1) / 2, raised.x = raised.x * n + (n - 1) / 2;
  return model;
}

BackgroundModel thinned_background(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                   double beam_px, std::int64_t n, const Job& job) {
  constexpr std::int64_t kLeastSide = 16;
  const BoxChoice boxes = choose_boxes(request, plane.shape(), beam_px);
  n = std::min(n, (request.bright_box > 0 ? request.bright_box : boxes.box) / kLeastSide);
  if (n <= 1 || request.method == BackgroundRequest::Method::clip)
    return measure_background(backend, plane, request, beam_px, job).model;
  BackgroundRequest fewer = request;
  const auto part = [n](std::int64_t side) { return (side + n / 2) / n; };
  fewer.box = part(boxes.box), fewer.step = std::max<std::int64_t>(part(boxes.step), 1);
  fewer.bright_box = part(request.bright_box);
  fewer.bright_step = request.bright_step > 0 ? std::max<std::int64_t>(part(request.bright_step), 1) : 0;
  const auto pixels = every_nth(backend, plane, n, job);
  return of_whole(measure_background(backend, *pixels, fewer, beam_px / static_cast<double>(n), job).model, n,
                  plane.shape());
}

}  // namespace reber
