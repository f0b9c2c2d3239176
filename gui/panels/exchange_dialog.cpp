// SPDX-License-Identifier: BSD-3-Clause
// Dialog: files from the browser's machine to the viewer's, and back.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "gui/model/folder_listing.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

struct NewFile {
  std::string path;
  std::int64_t bytes = 0;
  fs::file_time_type time;
};

/// Files of the folder that were written last, newest first; hidden ones are left out.
std::vector<NewFile> newest(const std::string& folder, std::size_t most) {
  std::vector<NewFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code one;
    if (at->path().filename().string().starts_with('.') || !at->is_regular_file(one)) continue;
    files.push_back({at->path().string(), static_cast<std::int64_t>(at->file_size(one)), at->last_write_time(one)});
  }
  std::ranges::sort(files, [](const NewFile& a, const NewFile& b) { return a.time > b.time; });
  files.resize(std::min(files.size(), most));
  return files;
}

class ExchangeDialog final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  void give(Context& context, const std::string& path);
  void draw_newest(Context& context);

  PathField field_;
  std::string path_, error_;
  std::vector<NewFile> newest_;
  double listed_at_ = -1;  ///< ViewerState::now
};

}  // namespace

void ExchangeDialog::give(Context& context, const std::string& path) {
  try {
    context.shell.give_to_browser(path);
    error_.clear();
    context.state.say("Sent to the browser: " + fs::path(path).filename().string());
  } catch (const Error& failure) {
    error_ = failure.what();
  }
}

void ExchangeDialog::draw_newest(Context& context) {
  constexpr std::size_t kShown = 8;
  const double now = context.state.now;
  if (ImGui::IsWindowAppearing() || listed_at_ < 0 || now - listed_at_ > 2) {
    newest_ = newest(context.shell.browser_folder(), kShown);
    listed_at_ = now;
  }
  const float right = ImGui::GetContentRegionAvail().x, em = ImGui::GetFontSize();
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    const NewFile& file = newest_[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(elided(fs::path(file.path).filename().string(), right - 12 * em).c_str());
    ImGui::SameLine(right - 11 * em);
    ImGui::TextDisabled("%s", words_of_size(file.bytes).c_str());
    ImGui::SameLine(right - 5 * em);
    if (ImGui::Button("Fetch", {5 * em, 0})) give(context, file.path);
    context.widgets.item(fmt::format("exchange.newest.{}", i));
    ImGui::PopID();
  }
  if (newest_.empty()) ImGui::TextDisabled("The folder holds no file.");
}

void ExchangeDialog::draw(Context& context) {
  const std::string folder = context.shell.browser_folder();
  ImGui::TextWrapped("From your machine, 64 MiB at most, into %s", folder.c_str());
  if (primary_button("Send a file ...")) context.shell.ask_browser();
  context.widgets.item("exchange.send");
  ImGui::SameLine();
  ImGui::TextDisabled("or drop it on the page");
  ImGui::Separator();
  ImGui::TextWrapped("To your machine, 128 MiB at most; the newest first");
  draw_newest(context);
  ImGui::Separator();
  const float width = 6 * ImGui::GetFontSize();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  field_.draw(context, "exchange.path", "path of another file", path_, width);
  ImGui::SameLine();
  ImGui::BeginDisabled(path_.empty());
  if (ImGui::Button("Fetch##path") || field_.entered()) give(context, path_);
  ImGui::EndDisabled();
  context.widgets.item("exchange.fetch");
  complain(error_);
}

std::unique_ptr<Panel> make_exchange_dialog() { return std::make_unique<ExchangeDialog>(); }

}  // namespace reber::gui
