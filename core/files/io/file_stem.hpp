// SPDX-License-Identifier: BSD-3-Clause
// Names of results are made of those of inputs.
#pragma once

#include <string>

namespace reber {

/// The file's name without folder and without .fits, .fits.gz, .fits.fz and the like.
[[nodiscard]] std::string stem_of(const std::string& path);

}  // namespace reber
