// SPDX-License-Identifier: BSD-3-Clause
// Pixels, primary beam and noise of a field by the places of the grid's pixels.
#include "core/studies/imaging/field_on_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/studies/imaging/grid_choice.hpp"

namespace reber {
namespace {

Rect common(const Rect& a, const Rect& b) {
  const std::int64_t y0 = std::max(a.y0, b.y0), x0 = std::max(a.x0, b.x0);
  const std::int64_t y1 = std::min(a.y0 + a.ny, b.y0 + b.ny), x1 = std::min(a.x0 + a.nx, b.x0 + b.nx);
  return y1 > y0 && x1 > x0 ? Rect{y0, x0, y1 - y0, x1 - x0} : Rect{};
}

}  // namespace

std::shared_ptr<const ResampleTable> WeightTables::of(Interpolation how, const std::optional<Covariance>& beam_px) {
  constexpr double kSame = 1e-6;
  const auto near = [](double a, double b) { return std::abs(a - b) <= kSame * (std::abs(a) + std::abs(b) + 1); };
  for (const auto& [known, table] : made_) {
    if (known.has_value() != beam_px.has_value()) continue;
    if (!known || (near(known->xx, beam_px->xx) && near(known->xy, beam_px->xy) && near(known->yy, beam_px->yy)))
      return table;
  }
  made_.emplace_back(beam_px, std::make_shared<const ResampleTable>(resample_table(how, beam_px)));
  return made_.back().second;
}

FieldOnGrid::FieldOnGrid(MosaicField measured, const MosaicRequest& request, const std::shared_ptr<Backend>& backend,
                         WeightTables& tables, const Progress& progress)
    : field_(std::move(measured)), request_(request), table_(request.primary, field_.frequency_hz, request.cutoff) {
  const MosaicField& field = field_;
  const auto like = std::make_shared<const ImageHeader>(on_grid(*field.header, request.grid));
  std::optional<Covariance> beam_px;
  const auto geometry = field.header->centre_geometry();
  if (field.beam && geometry)
    beam_px = to_pixels(sky_covariance(field.beam->major_deg, field.beam->minor_deg, field.beam->pa_deg), *geometry);
  const auto weights = tables.of(request.how, beam_px);
  image_ =
      std::make_unique<RegridNode>(backend, plane_of(*backend, field.pixels, progress), like, field.places, weights);
  gain_ = noise_gain(*weights, beam_px);
  const auto map = [&](const std::shared_ptr<const PixelSource>& pixels, std::shared_ptr<const ImageHeader> header) {
    return std::make_unique<RegridNode>(
        backend, plane_of(*backend, pixels, progress), std::move(header), field.places,
        std::make_shared<const ResampleTable>(resample_table(Interpolation::bilinear, {})));
  };
  if (field.primary) {
    // Of its own unit: not multiplied by areas of pixels, as a map of the noise is.
    auto plain = std::make_shared<ImageHeader>(*like);
    plain->unit = {};
    primary_ = map(field.primary, std::move(plain));
  }
  if (field.noise) noise_ = map(field.noise, like);
  noise_scale_ = field.noise_scale * field.scale;
  // The map of an image that was divided by its beam is that of the flat noise divided by the beam.
  by_beam_ = !(request.corrected && field.noise);
  squared_ = request.corrected && by_beam_;
  inverse_ = 1 / (field.rms * field.rms * field.scale * field.scale);
}

/// Fills values_ (where pixels are wanted), beams_ and noises_ as far as they come from images.
void FieldOnGrid::read(const Rect& part, const Progress& progress, bool pixels) {
  const auto count = static_cast<std::size_t>(part.shape().count());
  const auto render = [&](const std::unique_ptr<RegridNode>& node, std::vector<float>& out) {
    if (!node) return;
    out.resize(count);
    node->render(part, out.data(), progress);
  };
  if (pixels) render(image_, values_);
  render(primary_, beams_);
  render(noise_, noises_);
  distances_.reset();
  if (request_.primary.needs_frequency()) distances_.emplace(request_.grid.wcs, field_.pointing, part);
}

void FieldOnGrid::beams_of_row(const Rect& part, std::int64_t row, double* out) const {
  if (distances_) {
    distances_->row(part.y0 + row, part.x0, part.nx, out);
    for (std::int64_t k = 0; k < part.nx; ++k) out[k] = table_.at(out[k]);
  } else if (primary_) {
    std::copy_n(beams_.begin() + row * part.nx, part.nx, out);
  } else {
    std::fill_n(out, part.nx, 1.0);
  }
}

double FieldOnGrid::inverse_at(float noise) const {
  const double s = static_cast<double>(noise) * noise_scale_;
  return s > 0 ? 1 / (s * s) : std::numeric_limits<double>::quiet_NaN();
}

bool FieldOnGrid::flag_edges(const PlaceView& places, std::int64_t y, std::int64_t x0,
                             std::span<unsigned char> flags) const {
  constexpr double kBefore = 3, kBehind = 4, kWhole = 1e-3;
  const Shape shape = field_.header->shape;
  const auto near = [](double at, std::int64_t size) {
    return (at < kBefore || at >= static_cast<double>(size) - kBehind) && std::abs(at - std::round(at)) > kWhole;
  };
  const auto far = [&](PixelPosition at) {
    return at.x > kBehind && at.y > kBehind && at.x < static_cast<double>(shape.nx) - kBehind - 1 &&
           at.y < static_cast<double>(shape.ny) - kBehind - 1;
  };
  const auto count = static_cast<std::int64_t>(flags.size());
  bool any = false;
  for (std::int64_t from = 0; from < count; from += kPlaceBlock) {
    const std::int64_t to = std::min(from + kPlaceBlock, count);
    if (far(place_of(places, y, x0 + from)) && far(place_of(places, y, x0 + to - 1))) continue;
    for (std::int64_t k = from; k < to; ++k) {
      const PixelPosition at = place_of(places, y, x0 + k);
      const bool edge = near(at.x, shape.nx) || near(at.y, shape.ny);
      flags[static_cast<std::size_t>(k)] = edge ? 1 : 0;
      any = any || edge;
    }
  }
  return any;
}

void FieldOnGrid::add(MosaicSums& sums, ThreadPool& pool, const Progress& progress) {
  const Rect part = common(sums.band, field_.covered);
  if (part.shape().count() == 0) return;
  read(part, progress, true);
  const auto places = field_.places->of(part);
  pool.for_each(part.ny, [&](std::int64_t row) {
    std::vector<double> beam(static_cast<std::size_t>(part.nx));
    beams_of_row(part, row, beam.data());
    std::vector<unsigned char> edges;
    if (request_.how == Interpolation::fitted) {
      edges.resize(static_cast<std::size_t>(part.nx));
      if (!flag_edges(places->view(), part.y0 + row, part.x0, edges)) edges.clear();
    }
    const std::int64_t at = (part.y0 + row - sums.band.y0) * sums.band.nx + part.x0 - sums.band.x0;
    add_row(values_.data() + row * part.nx, noise_ ? noises_.data() + row * part.nx : nullptr, beam.data(), edges,
            part.nx, sums.pixels.data() + at, sums.weights.data() + at);
  });
}

void FieldOnGrid::add_row(const float* values, const float* noise, const double* beam,
                          std::span<const unsigned char> edges, std::int64_t count, double* pixels,
                          double* weights) const {
  for (std::int64_t k = 0; k < count; ++k) {
    const double p = beam[k], value = static_cast<double>(values[k]) * field_.scale;
    if (!std::isfinite(value) || !(p >= request_.cutoff)) continue;
    const double inverse = noise ? inverse_at(noise[k]) : inverse_;
    if (!std::isfinite(inverse)) continue;
    const double pixel = value * (squared_ ? p * p : by_beam_ ? p : 1) * inverse;
    const double weight = (by_beam_ ? p * p : 1) * inverse;
    if (!edges.empty() && edges[static_cast<std::size_t>(k)] != 0) {
      if (weights[k] > 0) continue;
      pixels[k] += pixel;
      weights[k] -= weight;
      continue;
    }
    if (weights[k] < 0) pixels[k] = weights[k] = 0;
    pixels[k] += pixel;
    weights[k] += weight;
  }
}

std::vector<double> FieldOnGrid::weights(const Rect& part, const Progress& progress) {
  std::vector<double> weights(static_cast<std::size_t>(part.shape().count()));
  read(part, progress, false);
  for (std::int64_t row = 0; row < part.ny; ++row) {
    double* const out = weights.data() + row * part.nx;
    beams_of_row(part, row, out);
    for (std::int64_t k = 0; k < part.nx; ++k) {
      const double p = out[k];
      const double inverse = noise_ ? inverse_at(noises_[static_cast<std::size_t>(row * part.nx + k)]) : inverse_;
      out[k] = p >= request_.cutoff && std::isfinite(inverse) ? (by_beam_ ? p * p : 1) * inverse : 0;
    }
  }
  return weights;
}

}  // namespace reber
