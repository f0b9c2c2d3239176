// SPDX-License-Identifier: BSD-3-Clause
// Bilinear interpolation between the cells' centres, a segment of columns between two nodes at a time.
#include "kernels/cpu/background_rows.hpp"

#include <algorithm>

#include "kernels/cpu/simd.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {

BackgroundRows::BackgroundRows(const CpuBackground& background)
    : model_(background.model),
      mean_map_(background.mean_map),
      rms_map_(background.rms_map),
      rows_(mesh_axis(model_.grid.rows, model_.grid.image.ny)),
      cols_(mesh_axis(model_.grid.cols, model_.grid.image.nx)),
      cells_y_(model_.grid.ny()),
      cells_x_(model_.grid.nx()) {
  const Shape image = background.image();
  segment_of_.resize(cols_.node.size());
  for (std::int64_t x = 0; x < image.nx; ++x) {
    const std::int64_t node = cols_.node[x];
    if (segments_.empty() || segments_.back().node != node)
      segments_.push_back({x, x, node, std::min(node + 1, cells_x_ - 1)});
    segments_.back().x1 = x + 1;
    segment_of_[x] = static_cast<std::int32_t>(segments_.size()) - 1;
  }
}

void BackgroundRows::hold(std::int64_t y0, std::int64_t ny, const JobThreads& threads) {
  const auto hold_map = [&](const CpuPlane* map, HeldRows& held) {
    if (map == nullptr) return;
    held = {};  // its memory serves the next rows
    held = hold_rows(*map, y0, ny, threads);
  };
  hold_map(mean_map_, mean_held_);
  hold_map(rms_map_, rms_held_);
}

float BackgroundRows::node_at(const std::vector<float>& nodes, std::int64_t y, std::int64_t column) const {
  const std::int64_t j0 = rows_.node[y], j1 = std::min(j0 + 1, cells_y_ - 1);
  return rules::lerp(nodes[j0 * cells_x_ + column], nodes[j1 * cells_x_ + column], rows_.weight[y]);
}

void BackgroundRows::mesh_row(const std::vector<float>& nodes, std::int64_t y, std::int64_t x0, std::int64_t x1,
                              std::vector<float>& line, std::vector<float>& out) const {
  if (out.empty()) out.resize(cols_.node.size() + Pixels::kSlack, 0.0f);
  if (x0 >= x1) return;
  const auto first_segment = segments_.begin() + segment_of_[x0],
             end_segment = segments_.begin() + segment_of_[x1 - 1] + 1;
  line.resize(static_cast<std::size_t>(cells_x_));
  const std::int64_t j0 = rows_.node[y], j1 = std::min(j0 + 1, cells_y_ - 1);
  const float *const above = nodes.data() + j0 * cells_x_, *const below = nodes.data() + j1 * cells_x_;
  const float down = rows_.weight[y];
  for (std::int64_t i = first_segment->node; i <= (end_segment - 1)->next; ++i)
    line[i] = rules::lerp(above[i], below[i], down);
  for (auto at = first_segment; at != end_segment; ++at) {
    const Segment& segment = *at;
    const float first = line[segment.node], rise = line[segment.next] - first;
    const float* weight = cols_.weight.data();
    std::int64_t x = segment.x0;
    for (; x + kLanes <= segment.x1; x += kLanes) store(&out[x], fma(load(weight + x), all(rise), all(first)));
    for (; x < segment.x1; ++x) out[x] = fmaf(weight[x], rise, first);
  }
}

const float* BackgroundRows::mean_row(std::int64_t y, std::int64_t x0, std::int64_t x1, Scratch& scratch) const {
  if (mean_map_ != nullptr) return mean_held_.row(y);
  mesh_row(model_.mean, y, x0, x1, scratch.nodes, scratch.mean);
  return scratch.mean.data();
}

const float* BackgroundRows::rms_row(std::int64_t y, std::int64_t x0, std::int64_t x1, Scratch& scratch) const {
  if (rms_map_ != nullptr) return rms_held_.row(y);
  mesh_row(model_.rms, y, x0, x1, scratch.nodes, scratch.rms);
  return scratch.rms.data();
}

void BackgroundRows::mean_part(std::int64_t y, std::int64_t x0, std::int64_t x1, float* out) const {
  for (std::int64_t x = x0; x < x1;) {
    const Segment& segment = segments_[static_cast<std::size_t>(segment_of_[x])];
    const float first = node_at(model_.mean, y, segment.node), next = node_at(model_.mean, y, segment.next);
    for (const std::int64_t end = std::min(segment.x1, x1); x < end; ++x)
      out[x - x0] = rules::lerp(first, next, cols_.weight[x]);
  }
}

float BackgroundRows::rms_at(std::int64_t y, std::int64_t x) const {
  const Segment& segment = segments_[static_cast<std::size_t>(segment_of_[x])];
  return rules::lerp(node_at(model_.rms, y, segment.node), node_at(model_.rms, y, segment.next), cols_.weight[x]);
}

void snr_row(const float* pixel, const float* mean, const float* rms, std::int64_t nx, float* to) {
  std::int64_t x = 0;
  for (; x + kLanes <= nx; x += kLanes) {
    const Floats noise = load(rms + x), above = load(pixel + x) - load(mean + x);
    store(to + x, where(noise > all(0), above / noise, all(rules::blank_value())));
  }
  for (; x < nx; ++x) to[x] = rules::snr(pixel[x] - mean[x], rms[x]);
}

}  // namespace reber::cpu
