// SPDX-License-Identifier: BSD-3-Clause
// Selection and texts of the panel's rows.
#include "gui/model/pipeline_rows.hpp"

namespace reber::gui {

std::vector<const Parameter*> panel_rows(const Request& request, Section section, bool more,
                                         std::span<const Parameter> rows) {
  std::vector<const Parameter*> shown;
  for (const Parameter& row : rows) {
    const bool here = section_of(row) == section && row.look.kind != Look::Kind::none && row.look.more == more;
    if (here && (row.applies == nullptr || row.applies(request))) shown.push_back(&row);
  }
  return shown;
}

std::vector<std::string> widget_names(const Parameter& row) {
  const std::string_view last = row.name.substr(row.name.rfind('.') + 1);
  return {"pipeline." + std::string(row.name), "pipeline." + std::string(row.alias.empty() ? last : row.alias)};
}

std::string row_title(const Parameter& row, const Request& request) {
  const bool mesh = part(request.background).method == BackgroundRequest::Method::mesh;
  return row.name == "background.box" && mesh ? "Cell" : std::string(row.title);
}

std::string row_tip(const Parameter& row) {
  std::string text = help_text(row);
  for (std::size_t at = 0; (at = text.find(" | ", at)) != std::string::npos;) text.replace(at, 3, "\n");
  return text;
}

}  // namespace reber::gui
