// SPDX-License-Identifier: BSD-3-Clause
// An algorithm of convolution, and a variant of it, as users name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/seam/compute/convolution.hpp"

namespace reber {

/// An algorithm as users name it: "auto", "fft", or "fft/lines" for one variant.
struct AlgorithmName {
  std::optional<Algorithm> algorithm;  ///< auto where empty
  std::string variant;                 ///< empty: the cheapest; which there are is the backend's to say
};
[[nodiscard]] std::string to_string(const AlgorithmName& name);
/// throws InputError that lists the algorithms
[[nodiscard]] AlgorithmName parse_algorithm(std::string_view text);

}  // namespace reber
