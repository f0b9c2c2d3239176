// SPDX-License-Identifier: BSD-3-Clause
// A path by hand or by choosing.
#include "gui/ui/path_field.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>

#include "gui/ui/fields.hpp"

namespace reber::gui {

namespace fs = std::filesystem;

void PathField::go(Context& context, const std::string& folder) {
  if (!job_) job_ = std::make_unique<JobSlot<FolderListing>>(context.shell.wake());
  job_->start([folder](const Progress& progress) { return list_folder(folder, progress, Listed::all); });
}

bool PathField::draw(Context& context, const std::string& name, const char* hint, std::string& path, float beside) {
  ImGui::PushID(name.c_str());
  const float button = 2.2f * ImGui::GetFontSize(), gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(-(button + gap + (beside > 0 ? beside + gap : 0)));
  entered_ = ImGui::InputTextWithHint("##path", hint, &path, ImGuiInputTextFlags_EnterReturnsTrue);
  context.widgets.item(name);
  ImGui::SameLine();
  if (ImGui::Button("...", {button, 0})) {
    std::error_code error;
    const fs::path given = fs::absolute(path.empty() ? "." : path, error);
    const Document* document = context.state.document();
    fs::path folder = fs::is_directory(given, error) ? given : given.parent_path();
    if (path.empty() && document != nullptr) folder = fs::absolute(document->path, error).parent_path();
    if (!fs::is_directory(folder, error)) folder = fs::current_path(error);
    go(context, folder.lexically_normal().string());
    ImGui::OpenPopup("##browse");
  }
  context.widgets.item(name + ".browse");
  tip("Folders and files to choose from");
  const bool chosen = draw_browser(context, name, path);
  ImGui::PopID();
  return entered_ || chosen;
}

bool PathField::draw_browser(Context& context, const std::string& name, std::string& path) {
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowSize({30 * unit, 20 * unit});
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  if (!ImGui::BeginPopup("##browse")) return false;
  if (auto listing = job_->take()) listing_ = std::move(*listing);
  bool chosen = false;
  std::string enter;
  if (ImGui::Button("Up")) enter = fs::path(listing_.folder).parent_path().string();
  context.widgets.item(name + ".up");
  ImGui::SameLine();
  ImGui::TextUnformatted(elided(listing_.folder, 25 * unit).c_str());
  complain(job_->error());
  ImGui::BeginChild("##files", {0, 0}, true);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listing_.entries.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FolderEntry& entry = listing_.entries[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      const std::string text = elided(entry.folder ? entry.name + "/" : entry.name, 26 * unit);
      if (ImGui::Selectable(text.c_str(), false, ImGuiSelectableFlags_DontClosePopups)) {
        const fs::path whole = fs::path(listing_.folder) / entry.name;
        if (entry.folder) {
          enter = whole.string();
        } else {
          path = whole.string();
          chosen = true;
        }
      }
      context.widgets.item(name + ".file." + entry.name);
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  if (!enter.empty()) {
    // The name stays: a file to be written goes to the folder that is looked at.
    const std::string file = fs::path(path).filename().string();
    path = (fs::path(enter) / file).string();
    go(context, enter);
  }
  if (chosen) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return chosen;
}

}  // namespace reber::gui
