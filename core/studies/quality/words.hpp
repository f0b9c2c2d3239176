// SPDX-License-Identifier: BSD-3-Clause
// Values and levels of metrics for people.
#pragma once

#include <string>

#include "core/studies/quality/quality.hpp"

namespace reber {

/// The unit of the metric for this image; empty for a pure number.
[[nodiscard]] std::string unit_of(const Metric& metric, const Quality& quality);
/// "23.4 uJy/beam", "1.02 +- 0.01"; a dash where there is no value.
[[nodiscard]] std::string value_words(const Metric& metric, const Quality& quality);
/// "at most 2 (at most 5)", in the unit of value_words(); empty where there is no level.
[[nodiscard]] std::string level_words(const Metric& metric, const Quality& quality);

}  // namespace reber
