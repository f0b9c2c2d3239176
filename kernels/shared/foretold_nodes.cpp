// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are final, and where pixels were compared with others.
#include "kernels/shared/foretold_nodes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace reber {
namespace {

/// Pieces side by side in one rectangle; part of an image, at most, that is read again by rectangles.
constexpr std::int64_t kPiecesTogether = 4, kMostAstray = 3;

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

}  // namespace

std::int64_t final_rows(std::int64_t cells, std::int64_t measured, int filter) {
  return measured == cells ? measured : std::max<std::int64_t>(measured - filter / 2, 0);
}

std::int64_t rows_between(const MeshAxis& rows, std::int64_t known, std::int64_t cells) {
  if (known >= cells) return static_cast<std::int64_t>(rows.node.size());
  return std::ranges::partition_point(rows.node, [&](std::int32_t node) { return node + 1 < known; }) -
         rows.node.begin();
}

ForetoldNodes::ForetoldNodes(MeshGrid grid, std::vector<float> mean, std::vector<float> rms,
                             const DetectOptions& options)
    : grid_(std::move(grid)), mean_(std::move(mean)), rms_(std::move(rms)), options_(options) {}

bool ForetoldNodes::are_of(const BackgroundModel& model, const DetectOptions& wanted) const {
  return !model.mean_map && !model.rms_map && options_.seed == wanted.seed && options_.flood == wanted.flood &&
         options_.negative == wanted.negative && model.grid.image == grid_.image && model.grid.rows == grid_.rows &&
         model.grid.cols == grid_.cols && model.mean.size() == mean_.size() && model.rms.size() == rms_.size();
}

bool ForetoldNodes::is_other(const BackgroundModel& model, std::int64_t row, std::int64_t first,
                             std::int64_t last) const {
  for (std::int64_t k = row * grid_.nx() + first; k <= row * grid_.nx() + last; ++k)
    if (!same_bits(mean_[k], model.mean[k]) || !same_bits(rms_[k], model.rms[k])) return true;
  return false;
}

std::optional<std::vector<Rect>> ForetoldNodes::astray(const BackgroundModel& model, std::int64_t piece) const {
  const Shape image = grid_.image;
  const MeshAxis rows = mesh_axis(grid_.rows, image.ny), cols = mesh_axis(grid_.cols, image.nx);
  std::vector<Rect> found;
  std::int64_t pixels = 0;
  for (std::int64_t y = 0, end = 0; y < image.ny; y = end) {
    const std::int64_t above = rows.node[y], below = std::min(above + 1, grid_.ny() - 1);
    while (end < image.ny && rows.node[end] == above) ++end;
    for (std::int64_t x = 0; x < image.nx; x += piece) {
      const std::int64_t x1 = std::min(x + piece, image.nx);
      const std::int64_t left = cols.node[x], right = std::min<std::int64_t>(cols.node[x1 - 1] + 1, grid_.nx() - 1);
      if (!is_other(model, above, left, right) && !is_other(model, below, left, right)) continue;
      pixels += (end - y) * (x1 - x);
      const bool joins = !found.empty() && found.back().y0 == y && found.back().x0 + found.back().nx == x &&
                         found.back().nx < kPiecesTogether * piece;
      if (joins)
        found.back().nx += x1 - x;
      else
        found.push_back({y, x, end - y, x1 - x});
    }
  }
  if (pixels > image.count() / kMostAstray) return std::nullopt;
  return found;
}

}  // namespace reber
