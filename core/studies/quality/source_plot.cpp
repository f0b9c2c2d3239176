// SPDX-License-Identifier: BSD-3-Clause
// Three stamps of a source on one canvas.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/show/picture/canvas.hpp"
#include "core/studies/quality/source_stamps.hpp"

namespace reber {
namespace {

constexpr double kSide = 300, kGap = 16, kTop = 52, kLine = 19;
constexpr Ink kText{20, 20, 20}, kFrame{120, 120, 120}, kIts{90, 230, 255}, kOthers{255, 255, 255, 0.6};

/// Where pixels of stamps lie on the canvas.
struct Frame {
  const SourceStamps& stamps;
  Point corner;
  double scale;

  [[nodiscard]] DrawnEllipse ellipse(double x, double y, const Covariance& fwhm2) const {
    const double ny = static_cast<double>(stamps.data.shape().ny), s = 0.25 * scale * scale;
    const Point centre{corner.x + scale * (x - static_cast<double>(stamps.x0) + 0.5),
                       corner.y + scale * (ny - (y - static_cast<double>(stamps.y0) + 0.5))};
    return {centre, s * fwhm2.xx, -s * fwhm2.xy, s * fwhm2.yy};
  }
};

/// Ellipses at half of the peaks; those of the others thinner.
void outline_fits(Canvas& canvas, const Frame& frame, const Result& result, std::int64_t row) {
  std::vector<DrawnEllipse> others;
  const std::vector<Source>& sources = result.sources();
  const double reach = static_cast<double>(frame.stamps.data.shape().ny);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const Source& one = sources[k];
    const DrawnEllipse at = frame.ellipse(one.x, one.y, one.model.fwhm2);
    if (static_cast<std::int64_t>(k) == row)
      canvas.outlines({at}, kIts, 1.5);
    else if (std::hypot(one.x - sources[static_cast<std::size_t>(row)].x,
                        one.y - sources[static_cast<std::size_t>(row)].y) < reach)
      others.push_back(at);
  }
  canvas.outlines(others, kOthers, 1);
}

/// FWHM^2 on the grid, at a source.
std::optional<Covariance> beam_at(const Result& result, const Source& one) {
  if (const BeamField beams = result.beams(); beams.varies()) return beams.at(one.x, one.y).pixels;
  const std::optional<Beam> beam = result.beam();
  const std::optional<Matrix2> here = result.header().wcs.sky_per_pixel(one.x, one.y);
  if (!beam || !here) return std::nullopt;
  return to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *here);
}

/// In the lower left corner.
void outline_beam(Canvas& canvas, const Frame& frame, const Covariance& beam) {
  constexpr double kFromCorner = 0.8;  // of the beam's larger axis
  const double off = kFromCorner * ellipse_of(beam).major;
  canvas.outlines(
      {frame.ellipse(static_cast<double>(frame.stamps.x0) + off, static_cast<double>(frame.stamps.y0) + off, beam)},
      {255, 255, 255}, 1.5);
}

}  // namespace

void write_source_plot(const std::string& path, const Result& result, std::int64_t row, bool overwrite,
                       const Progress& progress) {
  const std::vector<Source>& sources = result.sources();
  if (row < 0 || row >= std::ssize(sources)) throw InputError(fmt::format("there is no source {}", row));
  const Source& one = sources[static_cast<std::size_t>(row)];
  const auto made = stamps_of(result, ModelMap(sources, result.header().shape), one, progress);
  if (!made) throw InputError(fmt::format("source {} is off the image", row));
  const std::optional<Covariance> beam = beam_at(result, one);
  SourceWords words = words_of(result.header(), one);
  words.lines.push_back(fmt::format("largest residual within its width: {:.1f} times the noise", made->largest_rest));
  words.lines.push_back(fmt::format("squares of {} pixels; ellipses: fits at half of their peaks{}",
                                    made->data.shape().nx, beam ? ", the beam in the corner" : ""));
  const double height = kTop + kSide + kGap + kLine * static_cast<double>(words.lines.size());
  const std::string title = fmt::format("Source {}: {}", row, words.title);
  const auto canvas = make_canvas(path, 3 * kSide + 4 * kGap, height, {255, 255, 255}, title);
  canvas->text({kGap, 18}, title, 11, kText);
  ThreadPool pool(1);
  const std::array<std::pair<const char*, const Image*>, 3> parts{
      {{"Image", &made->data}, {"Model", &made->model}, {"Residual", &made->rest}}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Frame frame{*made,
                      {kGap + static_cast<double>(k) * (kSide + kGap), kTop},
                      kSide / static_cast<double>(made->data.shape().nx)};
    std::vector<Rgb> room;
    canvas->text({frame.corner.x, kTop - 12}, parts[k].first, 9, kText);
    canvas->image(painted(*parts[k].second, made->limits, pool, room), frame.corner, kSide, kSide);
    canvas->clip(frame.corner, kSide, kSide);
    outline_fits(*canvas, frame, result, row);
    if (k == 1 && beam) outline_beam(*canvas, frame, *beam);
    canvas->unclip();
    canvas->rectangle(frame.corner, kSide, kSide, kFrame);
  }
  for (std::size_t k = 0; k < words.lines.size(); ++k)
    canvas->text({kGap, kTop + kSide + kGap + kLine * static_cast<double>(k)}, words.lines[k], 9, kText);
  save(*canvas, path, {overwrite}, {1, progress});
}

}  // namespace reber
