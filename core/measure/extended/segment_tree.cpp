// SPDX-License-Identifier: BSD-3-Clause
// One walk from the finest level to the coarsest; each level asks what is new in its islands.
#include "core/measure/extended/segment_tree.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/significance.hpp"
#include "core/measure/sources/island_rest.hpp"
#include "core/sky/mask/mask.hpp"

namespace reber {
namespace {

/// What islands of one level hold: nodes that no other holds so far, and compact sources.
struct Held {
  std::vector<std::vector<std::size_t>> nodes;  ///< of each island, by label - 1
  std::vector<double> compact;
  std::vector<int> compacts;
};

class Tree {
 public:
  Tree(std::span<const SegmentLevel> levels, std::span<const CompactSum> compact, const SegmentRules& rules)
      : levels_(levels), compact_(compact), rules_(rules) {}

  std::vector<SegmentNode> make() {
    for (std::size_t k = 0; k < levels_.size(); ++k) add(k);
    return in_use();
  }

 private:
  [[nodiscard]] Held held_by(const SegmentLevel& level) const;
  [[nodiscard]] bool holds_more(std::size_t k, const IslandSums& sums, const std::vector<std::size_t>& inside,
                                double compact) const;
  void add(std::size_t k);
  [[nodiscard]] std::vector<SegmentNode> in_use() const;

  std::span<const SegmentLevel> levels_;
  std::span<const CompactSum> compact_;
  const SegmentRules& rules_;
  std::vector<SegmentNode> nodes_;
  std::vector<bool> gone_;         ///< nodes that have grown into another
  std::vector<std::size_t> tops_;  ///< nodes without a parent
};

Held Tree::held_by(const SegmentLevel& level) const {
  const std::size_t islands = level.sums.size();
  Held held{std::vector<std::vector<std::size_t>>(islands), std::vector<double>(islands, 0.0),
            std::vector<int>(islands, 0)};
  for (const std::size_t node : tops_) {
    const LabelRuns::Run& first = nodes_[node].pixels.runs.front();
    const std::int64_t label = label_at(level.runs, first.y, first.x0);
    if (label > 0) held.nodes[static_cast<std::size_t>(label - 1)].push_back(node);
  }
  for (const CompactSum& source : compact_) {
    const std::int64_t label = label_at(level.runs, std::llround(source.y), std::llround(source.x));
    if (label == 0) continue;
    held.compact[static_cast<std::size_t>(label - 1)] += source.sum;
    ++held.compacts[static_cast<std::size_t>(label - 1)];
  }
  return held;
}

bool Tree::holds_more(std::size_t k, const IslandSums& sums, const std::vector<std::size_t>& inside,
                      double compact) const {
  double rest = sums.s;
  std::int64_t pixels = sums.npix;
  for (const std::size_t node : inside) rest -= nodes_[node].sums.s, pixels -= nodes_[node].sums.npix;
  const double error = error_of_sum(std::max<std::int64_t>(pixels, 1), sums.peak_rms, rules_.noise_area);
  const bool grows = inside.size() == 1 && rest < sums.s / 2;
  const double sigma = grows ? rules_.grown_sigma : rules_.least_sigma;
  const double part =
      grows ? rules_.grown_part : rules_.least_part * (k == 0 ? 2.0 : 1.0);  // fits leave a part of a point
  return rest > sigma * error && rest > part * (sums.s + compact);
}

void Tree::add(std::size_t k) {
  const SegmentLevel& level = levels_[k];
  const Held held = held_by(level);
  std::vector<std::size_t> node_of(level.sums.size(), SegmentNode::kNone);
  for (std::size_t i = 0; i < level.sums.size(); ++i) {
    const std::vector<std::size_t>& inside = held.nodes[i];
    if (!holds_more(k, level.sums[i], inside, held.compact[i]) && !(k == 0 && held.compacts[i] > 1)) continue;
    const std::size_t made = node_of[i] = nodes_.size();
    const bool grown = inside.size() == 1 && level.sums[i].s - nodes_[inside.front()].sums.s < level.sums[i].s / 2;
    nodes_.push_back({k, SegmentNode::kNone, {level.runs.shape, {}}, level.sums[i]});
    gone_.push_back(false);
    for (const std::size_t node : inside) nodes_[node].parent = made;
    if (grown) {
      gone_[inside.front()] = true;
      for (SegmentNode& node : nodes_)
        if (node.parent == inside.front()) node.parent = made;
    }
  }
  for (const LabelRuns::Run& run : level.runs.runs)
    if (const std::size_t node = node_of[static_cast<std::size_t>(run.label - 1)]; node != SegmentNode::kNone)
      nodes_[node].pixels.runs.push_back(run);
  std::erase_if(tops_, [&](std::size_t node) { return nodes_[node].parent != SegmentNode::kNone; });
  for (const std::size_t node : node_of)
    if (node != SegmentNode::kNone) tops_.push_back(node);
}

/// Fills the holes of a node.
void fill(SegmentNode& node) {
  IslandSums& box = node.sums;
  Mask mask({box.y1 - box.y0, box.x1 - box.x0});
  for (const LabelRuns::Run& run : node.pixels.runs)
    for (std::int64_t x = run.x0; x < run.x1; ++x)
      mask.pixels[static_cast<std::size_t>((run.y - box.y0) * mask.shape.nx + x - box.x0)] = 1;
  const std::int64_t before = mask.count();
  fill_holes(mask);
  if (mask.count() == before) return;
  const std::int32_t label = node.pixels.runs.front().label;
  node.pixels.runs.clear();
  for (std::int64_t y = 0; y < mask.shape.ny; ++y)
    for (std::int64_t x = 0; x < mask.shape.nx; ++x) {
      if (mask.at(y, x) == 0) continue;
      const std::int64_t first = x;
      while (x < mask.shape.nx && mask.at(y, x) != 0) ++x;
      node.pixels.runs.push_back({static_cast<std::int32_t>(y + box.y0), static_cast<std::int32_t>(first + box.x0),
                                  static_cast<std::int32_t>(x + box.x0), label});
    }
}

/// Roots in what were holes of another.
void adopt(std::vector<SegmentNode>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent != SegmentNode::kNone) continue;
    const LabelRuns::Run& first = nodes[i].pixels.runs.front();
    std::size_t smallest = SegmentNode::kNone;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const IslandSums &box = nodes[k].sums, &own = nodes[i].sums;
      if (k == i || first.y < box.y0 || first.y >= box.y1 || first.x0 < box.x0 || first.x0 >= box.x1 ||
          own.npix >= box.npix || label_at(nodes[k].pixels, first.y, first.x0) == 0)
        continue;
      if (smallest == SegmentNode::kNone || box.npix < nodes[smallest].sums.npix) smallest = k;
    }
    nodes[i].parent = smallest;
  }
}

std::vector<SegmentNode> Tree::in_use() const {
  std::vector<std::size_t> place(nodes_.size(), SegmentNode::kNone);
  std::vector<SegmentNode> kept;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (gone_[i]) continue;
    place[i] = kept.size();
    kept.push_back(nodes_[i]);
  }
  for (SegmentNode& node : kept)
    if (node.parent != SegmentNode::kNone) node.parent = place[node.parent];
  for (SegmentNode& node : kept) fill(node);
  adopt(kept);
  return kept;
}

}  // namespace

std::vector<SegmentNode> make_segment_tree(std::span<const SegmentLevel> levels, std::span<const CompactSum> compact,
                                           const SegmentRules& rules) {
  return Tree(levels, compact, rules).make();
}

std::int64_t label_at(const LabelRuns& runs, std::int64_t y, std::int64_t x) {
  const auto after = std::ranges::upper_bound(runs.runs, std::tuple(y, x), {}, [](const LabelRuns::Run& run) {
    return std::tuple(std::int64_t{run.y}, std::int64_t{run.x0});
  });
  if (after == runs.runs.begin()) return 0;
  const LabelRuns::Run& run = *std::prev(after);
  return run.y == y && x < run.x1 ? run.label : 0;
}

}  // namespace reber
