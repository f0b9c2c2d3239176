// SPDX-License-Identifier: BSD-3-Clause
// The table of what stages cost, in parts of each other.
#include "core/base/whole_progress.hpp"

#include <algorithm>

namespace reber {
namespace {

struct Cost {
  std::string_view stage, words;
  double share;
};

/// In the order of the pipeline. Rows with the same words are one stage. Shares as on two cores, for images of 1024 to
/// 4096 pixels on a side with hundreds of sources.
constexpr Cost kCosts[] = {
    {"read", "read", 2},    {"load", "read", 2},     {"convolve", "convolve", 6}, {"background", "background", 4},
    {"label", "detect", 1}, {"detect", "detect", 1}, {"fit", "fit", 20},          {"fits", "fit", 20},
    {"drawing", "draw", 2}, {"writing", "write", 3},
};

const Cost* cost_of(std::string_view stage) {
  const auto* const found = std::ranges::find(kCosts, stage, &Cost::stage);
  return found == std::end(kCosts) ? nullptr : found;
}

}  // namespace

std::string_view WholeProgress::words_of(std::string_view stage) {
  const Cost* const cost = cost_of(stage);
  return cost == nullptr ? stage : cost->words;
}

void WholeProgress::expect(const std::vector<std::string>& stages) { expected_ = stages; }

void WholeProgress::begin_part(std::size_t index, std::size_t count) {
  index_ = index;
  count_ = std::max<std::size_t>(count, 1);
  part_ = fitted_ = 0;
  led_ = false;
}

double WholeProgress::within_part(std::string_view stage, double fraction) {
  const Cost* const cost = cost_of(stage);
  if (cost == nullptr) {
    led_ = true;
    return fraction;
  }
  if (led_) return 0;
  // "fits" counts all sources; "fit" those of one batch, of which several follow, each smaller than the one before.
  if (stage == "fits") fitted_ = fraction;
  if (stage == "fit") fraction = fitted_ + (1 - fitted_) * fraction / 4;
  double before = 0, all = 0, own = 0;
  std::string_view last;
  for (const Cost& row : kCosts) {
    if (row.words == last) continue;
    last = row.words;
    const bool comes =
        expected_.empty() || row.words == cost->words ||
        std::ranges::any_of(expected_, [&](const std::string& one) { return words_of(one) == row.words; });
    if (!comes) continue;
    if (row.words == cost->words)
      own = row.share;
    else if (own == 0)
      before += row.share;
    all += row.share;
  }
  return (before + own * fraction) / all;
}

double WholeProgress::report(std::string_view stage, double fraction) {
  part_ = std::max(part_, std::clamp(within_part(stage, std::clamp(fraction, 0.0, 1.0)), 0.0, 1.0));
  whole_ = std::max(whole_, (static_cast<double>(index_) + part_) / static_cast<double>(count_));
  return whole_;
}

}  // namespace reber
