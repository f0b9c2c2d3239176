// SPDX-License-Identifier: BSD-3-Clause
// Panel: places of an image to come back to.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "gui/ui/action.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

class BookmarksPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void BookmarksPanel::draw(Context& context) {
  Document& document = *context.state.document();
  if (ImGui::Button("Add")) run_action(context, "bookmark.add");
  context.widgets.item("bookmarks.add");
  tip("This view: key m. The key ' goes from one to the next.");
  std::ptrdiff_t gone = -1;
  for (std::size_t i = 0; i < document.bookmarks.size(); ++i) {
    Bookmark& mark = document.bookmarks[i];
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Button("Go")) document.view = mark.view;
    context.widgets.item(fmt::format("bookmarks.go.{}", i));
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-2.2f * ImGui::GetFontSize());
    ImGui::InputText("##name", &mark.name);
    context.widgets.item(fmt::format("bookmarks.name.{}", i));
    ImGui::SameLine();
    if (ImGui::Button("x")) gone = static_cast<std::ptrdiff_t>(i);
    context.widgets.item(fmt::format("bookmarks.remove.{}", i));
    ImGui::PopID();
  }
  if (gone >= 0) document.bookmarks.erase(document.bookmarks.begin() + gone);
}

std::unique_ptr<Panel> make_bookmarks_panel() { return std::make_unique<BookmarksPanel>(); }

}  // namespace reber::gui
