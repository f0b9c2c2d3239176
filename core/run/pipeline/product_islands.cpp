// SPDX-License-Identifier: BSD-3-Clause
// Islands drawn from their runs where these fit into memory, else by the backend.
#include "core/run/pipeline/product_islands.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/trace.hpp"

namespace reber {
namespace {

/// Rows [y0, y0 + ny) of a map of islands, with value(label) in each.
template <class Pixel, class Value>
void draw_runs(const LabelRuns& labels, std::int64_t y0, std::int64_t ny, Pixel* pixels, const Value& value) {
  const std::int64_t nx = labels.shape.nx;
  std::fill_n(pixels, ny * nx, Pixel{0});
  for (auto run = std::ranges::lower_bound(labels.runs, y0, {}, &LabelRuns::Run::y);
       run != labels.runs.end() && run->y < y0 + ny; ++run)
    std::fill_n(pixels + (run->y - y0) * nx + run->x0, run->x1 - run->x0, value(run->label));
}

/// The islands' runs, which the backend is asked for once, so that it is left to the maps that it alone can make. Null
/// for an image too large for the device, whose runs may be many.
std::shared_ptr<const LabelRuns> runs_of(const ProductSource& of) {
  const TilingPlan& tiling = of.result.outcomes.planned->value.tiling;
  if (!tiling.resident || tiling.in_source) return nullptr;
  const std::lock_guard turn(of.turn);
  return std::make_shared<const LabelRuns>(of.result.backend->label_runs(*of.result.islands(), of.job));
}

void ask_for_labels(const ProductSource& of, std::int64_t y0, std::int64_t ny, std::int32_t* labels) {
  const std::lock_guard turn(of.turn);
  const trace::Span render("copy", "render");
  of.result.backend->label_rows(*of.result.islands(), y0, ny, labels, of.job);
}

}  // namespace

IntRows label_rows(const ProductSource& source) {
  return [of = source, runs = runs_of(source)](std::int64_t y0, std::int64_t ny, std::int32_t* pixels) {
    of.job.check();
    if (runs) return draw_runs(*runs, y0, ny, pixels, [](std::int32_t label) { return label; });
    ask_for_labels(of, y0, ny, pixels);
  };
}

ProductMap mask_map(const ProductSource& source) {
  if (!source.result.islands()) throw InputError("this run looked for no islands");
  const auto rows = [of = source, runs = runs_of(source)](std::int64_t y0, std::int64_t ny, float* pixels) {
    of.job.check();
    if (runs) return draw_runs(*runs, y0, ny, pixels, [](std::int32_t) { return 1.0f; });
    std::vector<std::int32_t> labels(static_cast<std::size_t>(ny * of.result.header().shape.nx));
    ask_for_labels(of, y0, ny, labels.data());
    std::ranges::transform(labels, pixels, [](std::int32_t label) { return label != 0 ? 1.0f : 0.0f; });
  };
  return {rows, {}, false};
}

}  // namespace reber
