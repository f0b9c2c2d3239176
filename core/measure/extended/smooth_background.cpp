// SPDX-License-Identifier: BSD-3-Clause
// The passes of measure_background() on fewer pixels, in boxes of as many fewer.
#include "core/measure/extended/smooth_background.hpp"

#include <algorithm>
#include <cmath>

#include "core/run/pipeline/background_stage.hpp"

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

namespace {

/// Boxes that were asked for hold enough of the image's beams, not of a level's: smaller ones are chosen anew.
BackgroundRequest for_beam(BackgroundRequest request, double beam_px) {
  constexpr double kLeastBeams = 10;
  const auto few = [&](std::int64_t side) { return side > 0 && static_cast<double>(side) < kLeastBeams * beam_px; };
  if (few(request.box)) request.box = request.step = 0;
  if (few(request.bright_box)) request.bright_box = request.bright_step = 0;
  return request;
}

}  // namespace

BackgroundModel thinned_background(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                   double beam_px, std::int64_t n, const Job& job) {
  constexpr std::int64_t kLeastSide = 16;
  const BackgroundRequest own = for_beam(request, beam_px);
  const BoxChoice boxes = choose_boxes(own, plane.shape(), beam_px);
  n = std::min(n, (own.bright_box > 0 ? own.bright_box : boxes.box) / kLeastSide);
  if (n <= 1 || own.method == BackgroundRequest::Method::clip)
    return measure_background(backend, plane, own, beam_px, job).model;
  BackgroundRequest fewer = own;
  const auto part = [n](std::int64_t side) { return (side + n / 2) / n; };
  fewer.box = part(boxes.box), fewer.step = std::max<std::int64_t>(part(boxes.step), 1);
  fewer.bright_box = part(own.bright_box);
  fewer.bright_step = own.bright_step > 0 ? std::max<std::int64_t>(part(own.bright_step), 1) : 0;
  const auto pixels = backend.derive(EveryNth{plane, n}, job);
  return of_whole(measure_background(backend, *pixels, fewer, beam_px / static_cast<double>(n), job).model, n,
                  plane.shape());
}

}  // namespace reber
