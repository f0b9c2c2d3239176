// SPDX-License-Identifier: BSD-3-Clause
// The dialog that saves and opens sessions.
#include "gui/app/session_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "gui/app/keep.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

/// What the recovery copy shows, in a line.
std::string words_of(const LeftSession& left) {
  std::string words = left.saved + "  ";
  for (std::size_t i = 0; i < std::min<std::size_t>(2, left.session.images.size()); ++i)
    words += (i > 0 ? ", " : "") + std::filesystem::path(left.session.images[i].file.path).filename().string();
  if (left.session.images.size() > 2) words += fmt::format(" and {} more", left.session.images.size() - 2);
  return words;
}

void draw_left(Context& context) {
  Workbench& workbench = *context.state.workbench;
  if (std::ranges::all_of(workbench.left, &LeftSession::forgotten)) return;
  ImGui::Separator();
  ImGui::TextWrapped("A viewer ended without being closed; its last state was kept.");
  for (std::size_t i = 0; i < workbench.left.size(); ++i) {
    LeftSession& left = workbench.left[i];
    if (left.forgotten) continue;
    ImGui::PushID(static_cast<int>(i));
    ImGui::TextWrapped("%s", words_of(left).c_str());
    if (ImGui::Button("Bring it back")) {
      restore(context, left.session);
      left.forgotten = true;
      set_open(context.state, "session", false);
    }
    context.widgets.item(fmt::format("session.restore.{}", i));
    ImGui::SameLine();
    if (ImGui::Button("Forget it")) left.forgotten = true;
    context.widgets.item(fmt::format("session.forget.{}", i));
    ImGui::PopID();
  }
}

class SessionDialog final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::string path_;
  PathField field_;
};

}  // namespace

void SessionDialog::draw(Context& context) {
  Workbench& workbench = *context.state.workbench;
  if (ImGui::IsWindowAppearing()) {
    path_ = workbench.session_path;
    if (const Document* document = context.state.document(); path_.empty() && document != nullptr)
      path_ = proposed_path(document->path, ".reber.json");
  }
  ImGui::TextWrapped(
      "A session holds the open images (by path, size, time and hash), catalogues, parameters, view, table, "
      "flags and panels. Saving replaces the file.");
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  field_.draw(context, "session.path", "path of a session", path_);
  bool save = primary_button("Save");
  context.widgets.item("session.save");
  if (field_.entered()) {
    // Enter takes nothing away: a session that is not this one is neither replaced nor opened unasked.
    std::error_code error;
    if (path_ == workbench.session_path || !std::filesystem::exists(path_, error))
      save = true;
    else
      context.state.say(path_ + " is there: Save replaces it, Open opens it", true);
  }
  if (save && save_session_as(context, path_)) set_open(context.state, "session", false);
  ImGui::SameLine();
  if (ImGui::Button("Open") && open_session(context, path_)) set_open(context.state, "session", false);
  context.widgets.item("session.open");
  draw_left(context);
  if (context.state.notice.is_error && context.state.now < context.state.notice.until)
    complain(context.state.notice.text);
}

std::unique_ptr<Panel> make_session_dialog() { return std::make_unique<SessionDialog>(); }

}  // namespace reber::gui
