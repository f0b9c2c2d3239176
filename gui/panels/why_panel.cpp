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

void button(Context& context, const char* label, const char* action) {
  const Action* known = find_action(action);
  const bool on = known != nullptr && is_enabled(*known, context.state);
  ImGui::BeginDisabled(!on);
  if (ImGui::SmallButton(label)) run_action(context, action);
  ImGui::EndDisabled();
  context.widgets.item(std::string("why.") + action);
  if (known != nullptr && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s\n%s", known->tooltip.c_str(), known->keys.c_str());
  ImGui::SameLine();
}

/// The fits that can be asked for by hand.
void draw_hand_fits(Context& context) {
  button(context, "Split into", "source.split");
  auto parts = static_cast<int>(context.state.split_parts);
  ImGui::SetNextItemWidth(3.5f * ImGui::GetFontSize());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, 0});
  if (ImGui::BeginCombo("##parts", std::to_string(parts).c_str())) {
    for (int n = 2; n <= kMostParts; ++n) {
      if (ImGui::Selectable(std::to_string(n).c_str(), n == parts)) context.state.split_parts = n;
      context.widgets.item("why.parts." + std::to_string(n));
    }
    ImGui::EndCombo();
  }
  ImGui::PopStyleVar();
  context.widgets.item("why.parts");
  ImGui::SameLine();
  button(context, "Merge", "source.merge");
  button(context, "Move", "source.move");
  ImGui::NewLine();
}

/// What can be done with the row: a button per action, and a comment.
void draw_edits(Context& context, Document& document, std::int64_t row) {
  button(context, chosen_locked(document) ? "Unlock" : "Lock", "source.lock");
  const bool flagged = document.sources.flagged.contains(row);
  button(context, flagged ? "Unflag" : "Flag", flagged ? "source.unflag" : "source.flag");
  button(context, "Remove", "source.remove");
  ImGui::NewLine();
  draw_hand_fits(context);
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
