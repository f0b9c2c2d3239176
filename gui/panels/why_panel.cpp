// SPDX-License-Identifier: BSD-3-Clause
// Panel: how the chosen source was made, in the words of reber find --why.
#include <imgui.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/run/pipeline/row_account.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

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
  const Document* document = context.state.document();
  const auto accounts = document && document->result ? document->result->accounts : nullptr;
  const std::int64_t row = document ? document->selection.focus : -1;
  if (accounts == nullptr || row < 0 || row >= std::ssize(document->result->sources)) {
    ImGui::TextDisabled("Choose a source: click on it in the image or in the table.");
    return;
  }
  if (accounts != of_ || row != row_) words_ = accounts->of(row), of_ = accounts, row_ = row;
  for (const AccountPart& part : words_) {
    ImGui::TextDisabled("%s", part.title.c_str());
    if (&part == words_.data()) context.widgets.item("why.words");
    for (const std::string& line : part.lines) ImGui::TextWrapped("%s", line.c_str());
  }
}

std::unique_ptr<Panel> make_why_panel() { return std::make_unique<WhyPanel>(); }

}  // namespace reber::gui
