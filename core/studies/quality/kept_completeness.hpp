// SPDX-License-Identifier: BSD-3-Clause
// Completeness kept in a file beside a report, for the next report of the same image.
#pragma once

#include <optional>
#include <string>

#include "core/run/request/request.hpp"
#include "core/studies/completeness.hpp"

namespace reber {

/// What tells that a result still holds: size and time of the image's file, the plane, the beam, every parameter, the
/// experiment and the program.
[[nodiscard]] std::string completeness_key(const Request& request, const CompletenessOptions& options);

[[nodiscard]] std::string kept_text(const CompletenessResult& result, const std::string& key);
/// Nothing where there is no such file, or it is of another key, or is no such text.   throws Cancelled
[[nodiscard]] std::optional<CompletenessResult> kept_completeness(const std::string& path, const std::string& key);

}  // namespace reber
