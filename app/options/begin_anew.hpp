// SPDX-License-Identifier: BSD-3-Clause
// The process replaces itself by the same program with the same arguments, and what the new one is told.
#pragma once

#include <optional>
#include <string>

namespace reber::app {

/// Returns only where the system refuses. No file of this program's or of the driver's goes along.
///   arguments  of main()
void begin_process_anew(char** arguments) noexcept;

/// For a viewer that begins anew to have its card back: `session` is where its session is saved, or empty.
///   throws DataError where the system refuses
void begin_viewer_anew(char** arguments, const std::string& session);

/// That session, once: what begins another process later is not told again. Empty where this process did not begin so,
/// or because of a lost card.
[[nodiscard]] std::optional<std::string> viewer_begun_anew();

}  // namespace reber::app
