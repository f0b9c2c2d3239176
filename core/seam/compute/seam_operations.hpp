// SPDX-License-Identifier: BSD-3-Clause
// The operations of the seam by name, for documents and for tests that must meet every one.
#pragma once

#include <span>
#include <string_view>

namespace reber {

struct SeamOperation {
  std::string_view name;     ///< of the function of Backend
  std::string_view purpose;  ///< one line
  bool takes_job = true;     ///< false where it answers at once
};

/// In the order of backend.hpp, which a test compares: the operations, then what stands apart from planes.
[[nodiscard]] std::span<const SeamOperation> seam_operations();

}  // namespace reber
