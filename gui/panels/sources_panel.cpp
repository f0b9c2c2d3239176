// SPDX-License-Identifier: BSD-3-Clause
// The source table: filter, order, columns, selection, export of what is shown.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "gui/model/source_tools.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/table_export.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// Columns of the catalogue that are to be shown, in the table's order.
std::vector<std::size_t> shown_columns(const SourceView& view) {
  std::vector<std::size_t> shown;
  const Catalogue& catalogue = view.table.catalogue();
  for (const std::string& name : view.columns)
    for (std::size_t i = 0; i < catalogue.columns.size(); ++i)
      if (catalogue.columns[i].info.name == name) shown.push_back(i);
  // ImGui's tables hold 64 columns.
  if (shown.size() > 60) shown.resize(60);
  return shown;
}

void column_popup(Context& context, SourceView& view) {
  if (ImGui::Button("Columns")) ImGui::OpenPopup("##columns");
  context.widgets.item("sources.columns");
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, 22 * ImGui::GetTextLineHeight()});
  if (!ImGui::BeginPopup("##columns")) return;
  if (ImGui::SmallButton("Usual ones")) view.columns = default_columns();
  ImGui::SameLine();
  if (ImGui::SmallButton("All")) {
    view.columns.clear();
    for (const Column& column : view.table.catalogue().columns) view.columns.push_back(column.info.name);
  }
  for (const Column& column : view.table.catalogue().columns) {
    const std::string& name = column.info.name;
    const auto found = std::ranges::find(view.columns, name);
    bool on = found != view.columns.end();
    if (ImGui::Checkbox(name.c_str(), &on)) {
      if (on) view.columns.push_back(name);
      if (!on) view.columns.erase(found);
    }
    context.widgets.item("sources.column." + name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", column.info.text.c_str());
  }
  ImGui::EndPopup();
}

void draw_tools(Context& context, Document& document, TableExport& table_export) {
  SourceView& view = document.sources;
  const float unit = ImGui::GetFontSize();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool narrow = width < 34 * unit;  // the filter has a line of its own
  ImGui::SetNextItemWidth(narrow ? width : width - 26 * unit);
  if (context.state.focus_filter) {
    ImGui::SetKeyboardFocusHere();
    context.state.focus_filter = false;
  }
  const char* example = "filter: SNR > 7 && Maj*3600 < 30 && S_Code == \"C\"";
  const bool fits = ImGui::CalcTextSize(example).x + 2 * ImGui::GetStyle().FramePadding.x < ImGui::CalcItemWidth();
  const std::string typed = view.filter_text;
  if (ImGui::InputTextWithHint("##filter", fits ? example : "filter: SNR > 7", &view.filter_text)) {
    // Esc leaves the field with what was typed; ImGui would bring back what stood there before.
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
      view.filter_text = typed;
    view.table.set_filter(view.filter_text);
  }
  context.widgets.item("sources.filter");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Column names, numbers, + - * / ^, < <= > >= == !=, && || !, ( ),\n"
        "abs sqrt log10 ln exp isnan, Flag & 8 (bits), S_Code == \"C\", S_Code ~ \"part\".\n"
        "Numbers are in the columns' units: sizes in degrees, so Maj*3600 is in arcsec.\n"
        "A whole number alone finds that Source_id, a word alone is looked for in the columns of text.");
  if (!narrow) ImGui::SameLine();
  column_popup(context, view);
  ImGui::SameLine();
  table_export.draw(context, "sources", document, static_cast<std::int64_t>(view.table.shown().size()),
                    [&view] { return rows_to_write(view); });
  ImGui::SameLine();
  const std::int64_t removed = view.edits.removed_rows();
  const auto all = static_cast<std::size_t>(view.table.catalogue().rows() - removed - view.edits.replaced_rows());
  const std::size_t shown = view.table.shown().size();
  std::string count =
      shown == all ? counted(static_cast<std::int64_t>(all), "source") : fmt::format("{} of {}", shown, all);
  if (removed > 0) count += fmt::format(", {} removed", removed);
  if (document.selection.rows.size() > 1) count += fmt::format(", {} selected", document.selection.rows.size());
  ImGui::TextUnformatted(count.c_str());
  if (document.result_stale()) {
    ImGui::SameLine();
    ImGui::TextDisabled("(being computed again)");
  } else if (const auto waiting = view.edits.waiting(); !waiting.empty()) {
    ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(palette().warn), "%s",
                       fmt::format("{} by hand not in force", counted(std::ssize(waiting), "fit")).c_str());
    context.widgets.item("sources.waiting");
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", fmt::format("{}", fmt::join(waiting, "\n")).c_str());
  }
  if (!view.table.filter_error().empty())
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(palette().warn), "%s", view.table.filter_error().c_str());
}

/// Sorts as the heads were clicked.
void apply_order(SourceView& view, const std::vector<std::size_t>& columns) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  if (specs->SpecsCount == 0) {
    view.table.unsort();
  } else {
    const ImGuiTableColumnSortSpecs& spec = specs->Specs[0];
    const auto place = static_cast<std::size_t>(spec.ColumnIndex) - 1;
    if (place < columns.size()) view.table.sort(columns[place], spec.SortDirection == ImGuiSortDirection_Descending);
  }
  specs->SpecsDirty = false;
}

void click_row(Document& document, std::size_t place) {
  const auto row = static_cast<std::int64_t>(document.sources.table.shown()[place]);
  const ImGuiIO& io = ImGui::GetIO();
  Selection& selection = document.selection;
  const auto from =
      selection.focus >= 0 ? document.sources.table.place_of(static_cast<std::size_t>(selection.focus)) : std::nullopt;
  if (io.KeyShift && from) {
    const std::int64_t focus = selection.focus;
    for (std::size_t i = std::min(*from, place); i <= std::max(*from, place); ++i)
      selection.rows.insert(static_cast<std::int64_t>(document.sources.table.shown()[i]));
    selection.focus = focus;
    ++selection.version;
  } else if (io.KeyCtrl) {
    selection.toggle(row);
  } else {
    selection.select_only(row);
  }
  // The table is where the click was: no scrolling.
  document.sources.scrolled_to = selection.version;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) centre_on(document, row);
}

/// What was done by hand with a row: "moved by hand, locked: a jet".
std::string words_of(Origin origin, const RowMark* mark) {
  std::string words;
  if (origin == Origin::refitted) words = "fitted again beside a row by hand";
  if (origin != Origin::found && origin != Origin::refitted) words = fmt::format("{} by hand", to_string(origin));
  if (mark != nullptr && mark->locked) words += words.empty() ? "locked" : ", locked";
  if (mark != nullptr && !mark->comment.empty()) words += (words.empty() ? "" : ": ") + mark->comment;
  return words;
}

void draw_row(Context& context, Document& document, const std::vector<std::size_t>& columns, std::size_t place) {
  const SourceView& view = document.sources;
  const std::size_t row = view.table.shown()[place];
  const auto number = static_cast<std::int64_t>(row);
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row));
  const bool selected = document.selection.rows.count(number) > 0;
  const RowMark* mark = view.edits.of(number);
  const Origin origin = view.edits.origin(number);
  const char* sign = view.flagged.count(number) > 0 ? "\xC3\x97"
                     : origin != Origin::found      ? "+"
                     : mark != nullptr              ? "\xC2\xB7"
                                                    : "";
  if (ImGui::Selectable(sign, selected, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick))
    click_row(document, place);
  context.widgets.item(fmt::format("sources.row.{}", place));
  if (const std::string words = words_of(origin, mark); !words.empty() && ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", words.c_str());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = view.table.catalogue().columns[columns[i]];
    ImGui::TableSetColumnIndex(static_cast<int>(i) + 1);
    const std::string text = cell_text(column, row, view.table.decimals(columns[i]));
    if (!std::holds_alternative<std::vector<std::string>>(column.values)) {
      const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
      if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    }
    ImGui::TextUnformatted(text.c_str());
  }
  ImGui::PopID();
}

/// Rows in sight once the focused one is to be seen.
void scroll_to_focus(Document& document) {
  SourceView& view = document.sources;
  if (view.scrolled_to == document.selection.version || document.selection.focus < 0) return;
  view.scrolled_to = document.selection.version;
  const auto place = view.table.place_of(static_cast<std::size_t>(document.selection.focus));
  if (!place) return;
  const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float at = height * static_cast<float>(*place), sight = ImGui::GetWindowHeight() - 3 * height;
  if (at < ImGui::GetScrollY() || at > ImGui::GetScrollY() + sight - height) ImGui::SetScrollY(at - 0.4f * sight);
}

void draw_heads(Context& context, const SourceView& view, const std::vector<std::size_t>& columns) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i <= columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    if (i == 0) {
      ImGui::TableHeader("##mark");
      continue;
    }
    const ColumnInfo& info = view.table.catalogue().columns[columns[i - 1]].info;
    ImGui::TableHeader(info.name.c_str());
    context.widgets.item("sources.head." + info.name);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s%s\n%s", info.name.c_str(), info.unit.empty() ? "" : (" [" + info.unit + "]").c_str(),
                        info.text.c_str());
  }
}

/// Below the heads, so that nobody has to ask.
void draw_units(const SourceView& view, const std::vector<std::size_t>& columns) {
  ImGui::TableNextRow();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i) + 1);
    ImGui::TextDisabled("%s", view.table.catalogue().columns[columns[i]].info.unit.c_str());
  }
}

void draw_table(Context& context, Document& document) {
  SourceView& view = document.sources;
  const std::vector<std::size_t> columns = shown_columns(view);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Sortable |
                                     ImGuiTableFlags_SortTristate | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  // Another choice of columns is another table: widths of ImGui's go by place.
  std::string id = "##sources";
  for (const std::size_t column : columns) id += fmt::format(",{}", column);
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns.size()) + 1, kFlags)) return;
  ImGui::TableSetupScrollFreeze(columns.empty() ? 1 : 2, 2);
  const float unit = ImGui::GetFontSize();
  ImGui::TableSetupColumn("##mark", ImGuiTableColumnFlags_NoSort | ImGuiTableColumnFlags_NoResize, 0.8f * unit);
  for (const std::size_t column : columns) {
    const std::string& name = view.table.catalogue().columns[column].info.name;
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_PreferSortAscending;
    if (view.table.sort_column() == column)
      flags = ImGuiTableColumnFlags_DefaultSort |
              (view.table.sort_descending() ? ImGuiTableColumnFlags_PreferSortDescending
                                            : ImGuiTableColumnFlags_PreferSortAscending);
    const float width = std::max(5.6f * unit, ImGui::CalcTextSize(name.c_str()).x + 1.4f * unit);
    ImGui::TableSetupColumn(name.c_str(), flags, width);
  }
  draw_heads(context, view, columns);
  draw_units(view, columns);
  apply_order(view, columns);
  ImGui::PushFont(mono_font());
  scroll_to_focus(document);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.table.shown().size()));
  while (clipper.Step())
    for (int place = clipper.DisplayStart; place < clipper.DisplayEnd; ++place)
      draw_row(context, document, columns, static_cast<std::size_t>(place));
  ImGui::PopFont();
  ImGui::EndTable();
}

class SourcesPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  TableExport export_;
};

}  // namespace

void SourcesPanel::draw(Context& context) {
  Document* document = context.state.document();
  if (document == nullptr) return;
  if (!document->result || !document->result->request.detect) {
    ImGui::TextDisabled("No sources yet: run the detection in the panel Pipeline (Enter).");
    return;
  }
  follow_result(*document);
  draw_tools(context, *document, export_);
  draw_table(context, *document);
}

std::unique_ptr<Panel> make_sources_panel() { return std::make_unique<SourcesPanel>(); }

}  // namespace reber::gui
