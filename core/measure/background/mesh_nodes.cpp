// SPDX-License-Identifier: BSD-3-Clause
// Bilinear values of one mesh at the nodes of another.
#include "core/measure/background/mesh_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"

namespace reber {
std::int64_t side_of(const MeshGrid& grid) { return std::min(grid.rows.front().size(), grid.cols.front().size()); }

double centre_of(const PixelSpan& span) { return 0.5 * static_cast<double>(span.begin + span.end - 1); }

std::pair<std::int64_t, std::int64_t> nodes_near(const std::vector<PixelSpan>& spans, double place, double distance) {
  const auto first = std::ranges::lower_bound(spans, place - distance, {}, centre_of);
  const auto last = std::ranges::upper_bound(spans, place + distance, {}, centre_of);
  return {first - spans.begin(), last - spans.begin()};
}

Between between(const std::vector<PixelSpan>& spans, double place) {
  if (spans.size() < 2) return {0, 0, (place - centre_of(spans[0])) / static_cast<double>(spans[0].size()), 0};
  const auto after = std::ranges::upper_bound(spans, place, {}, centre_of) - spans.begin();
  const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, std::ssize(spans) - 2));
  const double from = (place - centre_of(spans[k])) / (centre_of(spans[k + 1]) - centre_of(spans[k]));
  return {k, k + 1, from, std::clamp(from, 0.0, 1.0)};
}

BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid) {
  std::vector<Between> cols;
  for (const PixelSpan& one : grid.cols) cols.push_back(between(model.grid.cols, centre_of(one)));
  const std::int64_t nx = model.grid.nx(), ny_wanted = grid.ny(), nx_wanted = grid.nx();
  BackgroundModel out{std::move(grid), {}, {}, nullptr, nullptr};
  out.mean.resize(static_cast<std::size_t>(ny_wanted * nx_wanted));
  out.rms.resize(out.mean.size());
  const auto draw_row = [&](const std::vector<float>& values, const Between& y, float* to) {
    const float *const above = values.data() + y.first * nx, *const below = values.data() + y.second * nx;
    std::vector<double> line(static_cast<std::size_t>(nx));
    for (std::int64_t i = 0; i < nx; ++i)
      line[i] = (1 - y.weight) * static_cast<double>(above[i]) + y.weight * static_cast<double>(below[i]);
    for (const Between& x : cols)
      *to++ = static_cast<float>((1 - x.weight) * line[x.first] + x.weight * line[x.second]);
  };
  ThreadPool pool(out.mean.size() > kFewNodes ? 0 : 1);
  pool.for_each(ny_wanted, [&](std::int64_t row) {
    const Between y = between(model.grid.rows, centre_of(out.grid.rows[static_cast<std::size_t>(row)]));
    draw_row(model.mean, y, out.mean.data() + row * nx_wanted);
    draw_row(model.rms, y, out.rms.data() + row * nx_wanted);
  });
  return out;
}

float middle_value(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle + 0.0f;  // no negative zero
}

std::array<NodePart, 4> nodes_about(const MeshGrid& grid, std::int64_t y, std::int64_t x) {
  const Between row = between(grid.rows, static_cast<double>(y)), col = between(grid.cols, static_cast<double>(x));
  return {{{row.first, col.first, (1 - row.weight) * (1 - col.weight)},
           {row.first, col.second, (1 - row.weight) * col.weight},
           {row.second, col.first, row.weight * (1 - col.weight)},
           {row.second, col.second, row.weight * col.weight}}};
}

}  // namespace reber
