// SPDX-License-Identifier: BSD-3-Clause
// What was meant by a word that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reber::app {

/// "; did you mean 'threshold'?", or nothing where no name is near: a third of the letters may differ.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace reber::app
