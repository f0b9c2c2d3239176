// SPDX-License-Identifier: BSD-3-Clause
// A quality report for programs: JSON, and the VOTable that CASDA takes.
#pragma once

#include <string>

#include "core/studies/quality/quality.hpp"

namespace reber {

/// Everything that the page says, numbers as numbers; null where there is none.
[[nodiscard]] std::string to_json(const Quality& quality);

/// VOTable 1.3 with a row per metric that has been judged: metric_name, metric_value, metric_status (1 good, 2
/// uncertain, 3 bad), metric_description, metric_source, as ASKAP's validation has it.
[[nodiscard]] std::string casda_document(const Quality& quality);

/// The metrics as a text for the terminal.
[[nodiscard]] std::string to_text(const Quality& quality);

}  // namespace reber
