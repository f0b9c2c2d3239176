// SPDX-License-Identifier: BSD-3-Clause
// The dialog that saves and opens sessions.
#include "gui/app/session_dialog.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>
#include <string>

#include "gui/app/keep.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {
namespace {

class SessionDialog final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::string path_;
};

}  // namespace

void SessionDialog::draw(Context& context) {
  Workbench& workbench = *context.state.workbench;
  if (ImGui::IsWindowAppearing()) {
    path_ = workbench.session_path;
    if (const Document* document = context.state.document(); path_.empty() && document != nullptr)
      path_ = std::filesystem::path(document->path).replace_extension(".reber.json").string();
  }
  ImGui::TextWrapped(
      "A session holds the open images (by path, size, time and hash), catalogues, parameters, view, table, "
      "flags and panels. Saving replaces the file.");
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::InputText("##path", &path_);
  context.widgets.item("session.path");
  if (ImGui::Button("Save") && save_session_as(context, path_)) set_open(context.state, "session", false);
  context.widgets.item("session.save");
  ImGui::SameLine();
  if (ImGui::Button("Open") && open_session(context, path_)) set_open(context.state, "session", false);
  context.widgets.item("session.open");
  if (workbench.kept) {
    ImGui::Separator();
    ImGui::TextWrapped("The viewer ended without being closed; its last state was kept.");
    if (ImGui::Button("Bring it back")) {
      restore(context, *workbench.kept);
      workbench.kept.reset();
      set_open(context.state, "session", false);
    }
    context.widgets.item("session.restore");
    ImGui::SameLine();
    if (ImGui::Button("Forget it")) workbench.kept.reset();
  }
  if (context.state.notice.is_error && context.state.now < context.state.notice.until)
    complain(context.state.notice.text);
}

std::unique_ptr<Panel> make_session_dialog() { return std::make_unique<SessionDialog>(); }

}  // namespace reber::gui
