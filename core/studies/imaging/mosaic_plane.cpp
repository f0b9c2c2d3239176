// SPDX-License-Identifier: BSD-3-Clause
// Fields, band by band, into sums.
#include "core/studies/imaging/mosaic_plane.hpp"

#include <algorithm>
#include <cmath>

#include "core/files/fits/beam_map.hpp"

namespace reber {
namespace {

/// Pixels of the sums at a time.
constexpr std::int64_t kBandPixels = std::int64_t{1} << 20;

}  // namespace

MosaicPlane::MosaicPlane(const MosaicRequest& request, const std::string& beside)
    : request_(request), store_(request.grid.shape, beside) {}

void MosaicPlane::make(std::span<const std::unique_ptr<FieldOnGrid>> fields, const std::function<void(double)>& told,
                       const Progress& progress) {
  const Shape shape = store_.shape();
  ThreadPool pool(request_.threads);
  const std::int64_t most = std::max(kBandPixels / shape.nx / kPlaceBlock, std::int64_t{1}) * kPlaceBlock;
  largest_ = 0;
  std::vector<float> pairs;
  MosaicSums sums;
  for (std::int64_t y = 0; y < shape.ny; y += most) {
    progress.check();
    told(static_cast<double>(y) / static_cast<double>(shape.ny));
    sums.band = {y, 0, std::min(most, shape.ny - y), shape.nx};
    const auto count = static_cast<std::size_t>(sums.band.shape().count());
    sums.pixels.assign(count, 0), sums.weights.assign(count, 0);
    for (const auto& field : fields) field->add(sums, pool, progress);
    pairs.resize(2 * count);
    for (std::size_t k = 0; k < count; ++k) {
      const double weight = std::abs(sums.weights[k]);
      largest_ = std::max(largest_, weight);
      pairs[2 * k] = static_cast<float>(sums.pixels[k] / weight);
      pairs[2 * k + 1] = static_cast<float>(weight);
    }
    store_.put(y, sums.band.ny, pairs.data());
  }
  least_ = request_.final_cutoff * request_.final_cutoff * largest_;
}

bool MosaicPlane::counts(float weight) const { return weight > 0 && weight >= static_cast<float>(least_); }

FloatRows MosaicPlane::rows(Part part, double gain) const {
  return [this, part, gain, pairs = std::vector<float>()](std::int64_t y0, std::int64_t ny, float* out) mutable {
    const auto count = static_cast<std::size_t>(ny * store_.shape().nx);
    pairs.resize(2 * count);
    store_.get(y0, ny, pairs.data());
    const auto least = static_cast<float>(least_), blank = std::nanf("");
    const auto fill = [&](auto value) {
      for (std::size_t k = 0; k < count; ++k) {
        const float weight = pairs[2 * k + 1];
        out[k] = weight > 0 && weight >= least ? value(pairs[2 * k], weight) : blank;
      }
    };
    if (part == Part::image)
      fill([](float image, float) { return image; });
    else if (part == Part::weight)
      fill([](float, float weight) { return weight; });
    else
      fill([gain](float, float weight) { return static_cast<float>(gain / std::sqrt(static_cast<double>(weight))); });
  };
}

void MosaicPlane::mark(Mask& mask, const Progress& progress) const {
  const std::int64_t nx = store_.shape().nx;
  std::vector<float> pairs(static_cast<std::size_t>(2 * nx));
  for (std::int64_t y = 0; y < store_.shape().ny; ++y) {
    progress.check();
    store_.get(y, 1, pairs.data());
    for (std::int64_t x = 0; x < nx; ++x)
      if (counts(pairs[static_cast<std::size_t>(2 * x + 1)])) mask.pixels[static_cast<std::size_t>(y * nx + x)] = 1;
  }
}

std::vector<std::optional<Beam>> mean_beams(std::span<const std::unique_ptr<FieldOnGrid>> fields,
                                            const MosaicRequest& request, const Progress& progress) {
  const Shape nodes = beam_map_nodes(request.grid.shape);
  const auto count = static_cast<std::size_t>(nodes.count());
  std::vector<Covariance> sums(count);
  std::vector<double> weights(count, 0);
  for (const auto& one : fields) {
    const MosaicField& field = one->field();
    const BeamOnGrid beams(*field.header, *field.beam, beam_is(*field.header, request.beam_is), request.grid);
    const Rect& in = field.covered;
    for (std::int64_t row = 0; row < nodes.ny; ++row) {
      const std::int64_t y = row * kBeamMapStep;
      if (y < in.y0 || y >= in.y0 + in.ny) continue;
      progress.check();
      const std::vector<double> of_row = one->weights({y, in.x0, 1, in.nx}, progress);
      for (std::int64_t column = 0; column < nodes.nx; ++column) {
        const std::int64_t x = column * kBeamMapStep;
        if (x < in.x0 || x >= in.x0 + in.nx) continue;
        const double weight = of_row[static_cast<std::size_t>(x - in.x0)];
        const auto beam =
            weight > 0 ? beams.at({static_cast<double>(x), static_cast<double>(y)}) : std::optional<Beam>();
        if (!beam) continue;
        const auto i = static_cast<std::size_t>(row * nodes.nx + column);
        const Covariance own = sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg);
        sums[i] = sums[i] + Covariance{weight * own.xx, weight * own.xy, weight * own.yy};
        weights[i] += weight;
      }
    }
  }
  std::vector<std::optional<Beam>> means(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(weights[i] > 0)) continue;
    const Ellipse mean = ellipse_of({sums[i].xx / weights[i], sums[i].xy / weights[i], sums[i].yy / weights[i]});
    means[i] = Beam{mean.major, mean.minor, mean.pa_deg};
  }
  return means;
}

}  // namespace reber
