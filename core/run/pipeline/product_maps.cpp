// SPDX-License-Identifier: BSD-3-Clause
// Makers of the maps that the backend draws, and of those drawn of the sources' Gaussians.
#include <fmt/format.h>

#include <memory>
#include <mutex>

#include "core/base/trace.hpp"
#include "core/measure/sources/model_map.hpp"
#include "core/run/pipeline/product_table.hpp"

namespace reber {
namespace {

void render(const ProductSource& of, MapKind kind, std::int64_t y0, std::int64_t ny, float* pixels) {
  const std::lock_guard turn(of.turn);
  const trace::Span span("copy", "render");
  of.result.backend->render_rows(kind, *of.result.plane(), kind == MapKind::image ? nullptr : of.result.background(),
                                 y0, ny, pixels, of.job);
}

std::shared_ptr<const ModelMap> model_of(const ProductSource& of) {
  return std::make_shared<const ModelMap>(of.result.sources(), of.result.header().shape);
}

std::vector<std::string> history_of(const ModelMap& model, const ProductSource& of) {
  return {fmt::format("model: {} Gaussians of {} sources", model.drawn(), of.result.sources().size())};
}

}  // namespace

template <MapKind kind>
ProductMap seam_map(const ProductSource& source) {
  return {[of = source](std::int64_t y0, std::int64_t ny, float* pixels) { render(of, kind, y0, ny, pixels); }};
}
template ProductMap seam_map<MapKind::image>(const ProductSource&);
template ProductMap seam_map<MapKind::mean>(const ProductSource&);
template ProductMap seam_map<MapKind::rms>(const ProductSource&);
template ProductMap seam_map<MapKind::snr>(const ProductSource&);

ProductMap model_map(const ProductSource& source) {
  const auto model = model_of(source);
  return {[model](std::int64_t y0, std::int64_t ny, float* pixels) { model->rows(y0, ny, pixels); },
          history_of(*model, source)};
}

ProductMap residual_map(const ProductSource& source) {
  const auto model = model_of(source);
  const auto rows = [model, of = source](std::int64_t y0, std::int64_t ny, float* pixels) {
    std::vector<float> drawn(static_cast<std::size_t>(ny * of.result.header().shape.nx));
    model->rows(y0, ny, drawn.data());
    render(of, MapKind::image, y0, ny, pixels);
    for (std::size_t i = 0; i < drawn.size(); ++i) pixels[i] -= drawn[i];
  };
  return {rows, history_of(*model, source)};
}

}  // namespace reber
