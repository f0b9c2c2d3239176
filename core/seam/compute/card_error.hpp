// SPDX-License-Identifier: BSD-3-Clause
// A card that fails while it works: the same work may end well elsewhere.
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace reber {

/// A call to a card failed. What the card held is lost with the backend; a new backend on the processor can do the
/// work.
class CardError : public DeviceError {
 public:
  enum class Kind {
    memory,  ///< it lacks memory for this: smaller bands may fit
    broken,  ///< anything else: a fault of a kernel, an ECC error, a card that is gone
  };
  CardError(Kind what, const std::string& text) : DeviceError(text), kind(what) {}
  Kind kind;
};

}  // namespace reber
