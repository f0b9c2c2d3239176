// SPDX-License-Identifier: BSD-3-Clause
// One catalogue of many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace reber {

/// A catalogue to join.
struct JoinPart {
  std::string file;       ///< what the first column says of its rows: the image's name
  std::string catalogue;  ///< path of its CSV
};

/// Writes one CSV: the parts' rows in the order given, with a column "File" before theirs. A part at a time is held.
/// The comment that names the parts' frame stands in front.
/// next: the next part; nothing after the last.   returns rows written
///   throws DataError where a part is missing, has other columns or is of another frame, InputError where the file
///   exists
std::int64_t join_catalogues(const std::function<std::optional<JoinPart>()>& next, const std::string& path,
                             bool overwrite);

}  // namespace reber
