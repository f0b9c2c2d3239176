// SPDX-License-Identifier: BSD-3-Clause
// What table, plots, image and actions do with sources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/state.hpp"

namespace reber::gui {

/// Brings the document's catalogue up to its newest result; call it before its table is used.
void follow_result(Document& document);

/// Puts the source in the middle of the view and magnifies it where it is small: to at least 30 screen units FWHM.
void centre_on(Document& document, std::int64_t row);

/// Selects the next (step 1) or previous (-1) row in the table's order and centres on it.
void step_source(Document& document, int step);

/// Marks the selected rows, or takes the marks away.
void flag_selected(Document& document, bool on);

/// Finds the rows of the marks in the document's result anew.
void place_edits(Document& document);
/// Takes the selected rows out of table, image and files. The row behind the chosen one is
/// selected. Returns why rows were left, or nothing.
[[nodiscard]] std::string remove_selected(Document& document);

/// Whether the chosen row is locked.
[[nodiscard]] bool chosen_locked(const Document& document);
/// Locks the selected rows, or unlocks them where the chosen one is.
void toggle_lock(Document& document);

/// Selects these rows (one byte per row), or adds them to what is selected.
void select_rows(Document& document, const std::vector<std::uint8_t>& rows, bool add);

/// Whether there is a command that finds the document's sources: it has a file, and sources are looked for.
[[nodiscard]] bool has_command(const Document& document);
/// That command for a shell (core/run/request/command_line.hpp), with what the panel shows now, run or not; there must
/// be one.   backend: its name
[[nodiscard]] std::string command_of(const Document& document, const std::string& backend);

/// One byte per row: those selected.
[[nodiscard]] std::vector<std::uint8_t> selected_rows(const Document& document);

}  // namespace reber::gui
