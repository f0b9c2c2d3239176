// SPDX-License-Identifier: BSD-3-Clause
// Bilinear values of one mesh at the nodes of another.
#include "core/measure/background/mesh_nodes.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

/// Where a coordinate lies among nodes at the centres of spans: the nodes on both sides and the weight of the second.
struct Place {
  std::int64_t node = 0, next = 0;
  double weight = 0;
};

/// Of the nodes of `wanted`, which ascend, among those of `spans`.
std::vector<Place> places_among(const std::vector<PixelSpan>& spans, const std::vector<PixelSpan>& wanted) {
  const auto last = static_cast<std::int64_t>(spans.size()) - 1;
  std::vector<Place> places;
  std::int64_t node = 0;
  for (const PixelSpan& one : wanted) {
    const double position = centre_of(one);
    while (node < last && position >= centre_of(spans[node + 1])) ++node;
    const double centre = centre_of(spans[node]);
    const bool between = node < last && position > centre;
    places.push_back(
        {node, std::min(node + 1, last), between ? (position - centre) / (centre_of(spans[node + 1]) - centre) : 0.0});
  }
  return places;
}

}  // namespace

std::int64_t side_of(const MeshGrid& grid) { return std::min(grid.rows.front().size(), grid.cols.front().size()); }

double centre_of(const PixelSpan& span) { return 0.5 * static_cast<double>(span.begin + span.end - 1); }

std::pair<std::int64_t, std::int64_t> nodes_near(const std::vector<PixelSpan>& spans, double place, double distance) {
  const auto first = std::ranges::lower_bound(spans, place - distance, {}, centre_of);
  const auto last = std::ranges::upper_bound(spans, place + distance, {}, centre_of);
  return {first - spans.begin(), last - spans.begin()};
}

BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid, ThreadPool* pool) {
  const std::vector<Place> rows = places_among(model.grid.rows, grid.rows),
                           cols = places_among(model.grid.cols, grid.cols);
  const std::int64_t nx = model.grid.nx(), ny_wanted = std::ssize(rows), nx_wanted = std::ssize(cols);
  BackgroundModel out{std::move(grid), {}, {}, nullptr, nullptr};
  const auto draw_row = [&](const std::vector<float>& values, const Place& y, float* to) {
    const float *const above = values.data() + y.node * nx, *const below = values.data() + y.next * nx;
    std::vector<double> line(static_cast<std::size_t>(nx));
    for (std::int64_t i = 0; i < nx; ++i)
      line[i] = (1 - y.weight) * static_cast<double>(above[i]) + y.weight * static_cast<double>(below[i]);
    for (const Place& x : cols) *to++ = static_cast<float>((1 - x.weight) * line[x.node] + x.weight * line[x.next]);
  };
  out.mean.resize(static_cast<std::size_t>(ny_wanted * nx_wanted));
  out.rms.resize(out.mean.size());
  const auto draw = [&](std::int64_t row) {
    draw_row(model.mean, rows[row], out.mean.data() + row * nx_wanted);
    draw_row(model.rms, rows[row], out.rms.data() + row * nx_wanted);
  };
  if (pool != nullptr) {
    pool->for_each(ny_wanted, draw);
  } else {
    for (std::int64_t row = 0; row < ny_wanted; ++row) draw(row);
  }
  return out;
}

namespace {

/// Bits in the order of the values.
std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

float middle_of_few(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle, {}, ordered);
  return *middle + 0.0f;  // no negative zero
}

}  // namespace

float middle_value(const std::vector<float>& values) {
  // Their order by the upper half of their bits first: a dense grid has millions of nodes.
  constexpr std::int64_t kChunk = 1 << 17, kFew = 1 << 13;
  const auto upper = [](float value) { return ordered(value) >> 16; };
  const std::int64_t count = std::ssize(values), chunks = (count + kChunk - 1) / kChunk;
  if (count <= kFew) return middle_of_few(values);
  ThreadPool pool(chunks > 1 ? 0 : 1);
  struct Worker {
    std::vector<std::uint32_t> counts;
    std::vector<float> alike;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(pool.threads()));
  const auto each = [&](const auto& work) {
    pool.for_each_worker(chunks, [&](std::int64_t chunk, int worker) {
      const std::int64_t first = chunk * kChunk, last = std::min(first + kChunk, count);
      work(std::span(values).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
           workers[static_cast<std::size_t>(worker)]);
    });
  };
  each([&](std::span<const float> part, Worker& worker) {
    if (worker.counts.empty()) worker.counts.resize(1 << 16);
    for (const float value : part) ++worker.counts[upper(value)];
  });
  std::vector<std::size_t> counts(1 << 16);
  for (const Worker& worker : workers)
    for (std::size_t bin = 0; bin < worker.counts.size(); ++bin) counts[bin] += worker.counts[bin];
  std::size_t rank = values.size() / 2;
  std::uint32_t bin = 0;
  while (rank >= counts[bin]) rank -= counts[bin++];
  each([&](std::span<const float> part, Worker& worker) {
    std::ranges::copy_if(part, std::back_inserter(worker.alike), [&](float value) { return upper(value) == bin; });
  });
  std::vector<float> alike;
  for (const Worker& worker : workers) alike.insert(alike.end(), worker.alike.begin(), worker.alike.end());
  const auto middle = alike.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(alike.begin(), middle, alike.end());
  return *middle + 0.0f;  // no negative zero
}

std::array<NodePart, 4> nodes_about(const MeshGrid& grid, std::int64_t y, std::int64_t x) {
  const Place row = places_among(grid.rows, {{y, y + 1}})[0], col = places_among(grid.cols, {{x, x + 1}})[0];
  return {{{row.node, col.node, (1 - row.weight) * (1 - col.weight)},
           {row.node, col.next, (1 - row.weight) * col.weight},
           {row.next, col.node, row.weight * (1 - col.weight)},
           {row.next, col.next, row.weight * col.weight}}};
}

}  // namespace reber
