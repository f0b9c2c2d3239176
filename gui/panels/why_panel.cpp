// SPDX-License-Identifier: BSD-3-Clause
// Panel: how the chosen source was made, in the words of reber find --why.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/pipeline/row_account.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/ui/action.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

/// What can be done with the row: a button per action, and a comment.
void draw_edits(Context& context, Document& document, std::int64_t row) {
  const auto button = [&](const char* label, const char* action) {
    if (ImGui::SmallButton(label)) run_action(context, action);
    context.widgets.item(std::string("why.") + action);
    if (const Action* known = find_action(action); known != nullptr && ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", known->tooltip.c_str());
    ImGui::SameLine();
  };
  button(chosen_locked(document) ? "Unlock" : "Lock", "source.lock");
  const bool flagged = document.sources.flagged.contains(row);
  button(flagged ? "Unflag" : "Flag", flagged ? "source.unflag" : "source.flag");
  button("Remove", "source.remove");
  ImGui::NewLine();
  if (document.selection.focus != row) return;  // it was removed
  const RowMark* mark = document.sources.edits.of(row);
  std::string text = mark == nullptr ? "" : mark->comment;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##comment", "comment on this source", &text))
    document.sources.edits.comment(row, document.result->sources, text);
  context.widgets.item("why.comment");
}

class WhyPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::shared_ptr<const RowAccounts> of_;  ///< of these words, with the row
  std::int64_t row_ = -1;
  std::vector<AccountPart> words_;
};

}  // namespace

void WhyPanel::draw(Context& context) {
  Document* document = context.state.document();
  const auto accounts = document && document->result ? document->result->accounts : nullptr;
  const std::int64_t row = document ? document->selection.focus : -1;
  if (accounts == nullptr || row < 0 || row >= std::ssize(document->result->sources)) {
    ImGui::TextDisabled("Choose a source: click on it in the image or in the table.");
    return;
  }
  follow_result(*document);
  draw_edits(context, *document, row);
  if (accounts != of_ || row != row_) words_ = accounts->of(row), of_ = accounts, row_ = row;
  for (const AccountPart& part : words_) {
    ImGui::TextDisabled("%s", part.title.c_str());
    if (&part == words_.data()) context.widgets.item("why.words");
    for (const std::string& line : part.lines) ImGui::TextWrapped("%s", line.c_str());
  }
}

std::unique_ptr<Panel> make_why_panel() { return std::make_unique<WhyPanel>(); }

}  // namespace reber::gui
