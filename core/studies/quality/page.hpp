// SPDX-License-Identifier: BSD-3-Clause
// A quality report as one page of HTML, which needs neither network nor script.
#pragma once

#include <string>
#include <vector>

#include "core/studies/quality/figures.hpp"
#include "core/studies/quality/quality.hpp"

namespace reber {

/// no_figures: why there are none; empty where there are
[[nodiscard]] std::string page_of(const Quality& quality, const std::vector<Figure>& figures,
                                  const std::string& no_figures);

}  // namespace reber
