// SPDX-License-Identifier: BSD-3-Clause
// The functions of the seam as its header declares them, for tests that must meet every one.
#pragma once

#include <string>
#include <vector>

namespace reber::testing {

struct SeamFunction {
  std::string name;
  bool takes_job = false;  ///< ends in a Job
  bool required = false;   ///< pure
  std::string comment;     ///< the first line of what is said about it, without the slashes
};

/// Virtual functions of class Backend, destructor apart, in order.
[[nodiscard]] std::vector<SeamFunction> seam_functions();

}  // namespace reber::testing
