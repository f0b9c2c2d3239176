// SPDX-License-Identifier: BSD-3-Clause
// The stages of a run by number, and the words that reports and the viewer use for them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace reber {

/// Stages in the order of a run. A changed parameter makes its stage and those that depend on it run again.
enum class StageId { open, read, convolve, background, detect, measure, fit, judge, write };

/// Which image a stage works on: the image, or the image times -1 for false detections.
enum class Sign { positive, negative };

inline constexpr std::array<std::pair<StageId, std::string_view>, 9> kStageWords{{
    {StageId::open, "open"},
    {StageId::read, "read"},
    {StageId::convolve, "convolve"},
    {StageId::background, "background"},
    {StageId::detect, "detect"},
    {StageId::measure, "measure"},
    {StageId::fit, "fit"},
    {StageId::judge, "judge"},
    {StageId::write, "write"},
}};
static_assert([] {
  for (std::size_t i = 0; i < kStageWords.size(); ++i)
    if (kStageWords[i].first != static_cast<StageId>(i)) return false;
  return true;
}());

[[nodiscard]] constexpr std::string_view to_string(StageId stage) {
  return kStageWords[static_cast<std::size_t>(stage)].second;
}
[[nodiscard]] constexpr std::string_view to_string(Sign sign) {
  return sign == Sign::positive ? "positive" : "negative";
}

/// Name of a stage in reports: "fit", "fit-neg".
[[nodiscard]] inline std::string stage_name(StageId stage, Sign sign) {
  return std::string(to_string(stage)) + (sign == Sign::negative ? "-neg" : "");
}

}  // namespace reber
