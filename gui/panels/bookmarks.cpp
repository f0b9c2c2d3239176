// SPDX-License-Identifier: BSD-3-Clause
// Panel and actions: places of an image to come back to.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "gui/app/actions.hpp"
#include "gui/panels/palette_window.hpp"
#include "gui/panels/panels.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

void add_bookmark(Context& context) {
  Document& document = *context.state.document();
  const Readout place = readout_of(context.state, document, document.view.centre);
  const std::string name = place.position().empty() ? place.pixel : place.position();
  document.bookmarks.push_back({name, document.view});
  document.bookmark_next = 0;
  context.state.say("Bookmark: " + name);
}

void next_bookmark(Context& context) {
  Document& document = *context.state.document();
  const std::size_t at = document.bookmark_next % document.bookmarks.size();
  document.view = document.bookmarks[at].view;
  document.bookmark_next = at + 1;
  context.state.say(
      fmt::format("Bookmark {} of {}: {}", at + 1, document.bookmarks.size(), document.bookmarks[at].name));
}

bool has_bookmarks(const ViewerState& state) {
  return state.document() != nullptr && !state.document()->bookmarks.empty();
}

}  // namespace

std::vector<Action> bookmark_actions() {
  return {
      {"bookmark.add",
       "Bookmark this view",
       "View",
       "m",
       "Remembers the place and the zoom.",
       has_pixels,
       add_bookmark,
       {}},
      {"bookmark.next",
       "Next bookmark",
       "View",
       "'",
       "Goes to the bookmarks in turn.",
       has_bookmarks,
       next_bookmark,
       {}},
  };
}

void draw_bookmarks_panel(Context& context) {
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

}  // namespace reber::gui
