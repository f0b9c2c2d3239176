// SPDX-License-Identifier: BSD-3-Clause
// The dialog that opens files: folders, a filter, what the header says, and the choice of HDU and plane.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "core/files/foreign/casa_image.hpp"
#include "gui/model/folder_listing.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

struct Preview {
  std::string path;
  std::shared_ptr<const ImageHeader> header;
};

/// What stands in the dialog, and its jobs.
struct Dialog {
  explicit Dialog(const std::function<void()>& wake) : listing_job(wake), preview_job(wake) {}

  std::string folder, typed, filter;
  FolderListing listing;
  JobSlot<FolderListing> listing_job;
  JobSlot<Preview> preview_job;
  std::string chosen;
  Preview preview;
  int hdu = -1;
  int plane = 1;
};

void go(Dialog& dialog, const std::string& folder) {
  dialog.folder = dialog.typed = folder;
  dialog.chosen.clear();
  dialog.preview = {};
  dialog.listing_job.start([folder](const Progress& progress) { return list_folder(folder, progress); });
}

void look_at(Dialog& dialog, const std::string& path, std::optional<int> hdu) {
  dialog.preview_job.start([path, hdu](const Progress&) {
    OpenOptions options;
    options.hdu = hdu;
    options.plane = 0;
    return Preview{path, std::make_shared<const ImageHeader>(ImagePlane::open(path, options).header())};
  });
}

void choose(Dialog& dialog, const std::string& path) {
  if (dialog.chosen == path) return;
  dialog.chosen = path;
  dialog.preview = {};
  dialog.hdu = -1;
  dialog.plane = 1;
  if (!names_session(path)) look_at(dialog, path, {});
}

void accept(Context& context, Dialog& dialog) {
  if (dialog.chosen.empty()) return;
  OpenOptions options;
  if (dialog.hdu >= 0) options.hdu = dialog.hdu;
  if (dialog.preview.header && dialog.preview.header->planes > 1) options.plane = dialog.plane - 1;
  context.shell.open(dialog.chosen, options);
  set_open(context.state, "open", false);
}

/// A path that was typed: a folder is gone to, of a file the header is shown.
void go_to_path(Dialog& dialog, const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) && !is_casa_image(path)) return go(dialog, path);
  go(dialog, fs::path(path).parent_path().string());
  choose(dialog, path);
}

/// Letters filter the list; what begins as a path does is one.
bool is_path(const std::string& text) { return text.starts_with("/") || text.starts_with("~/"); }

std::vector<const FolderEntry*> fitting_entries(const Dialog& dialog) {
  std::vector<const FolderEntry*> shown;
  for (const FolderEntry& entry : dialog.listing.entries)
    if (is_path(dialog.filter) || fits_filter(entry.name, dialog.filter)) shown.push_back(&entry);
  return shown;
}

/// Enter in the filter: a path is gone to; else the first entry of the list is entered, shown or, shown before, opened.
void take_filter(Context& context, Dialog& dialog) {
  if (is_path(dialog.filter)) {
    const char* home = std::getenv("HOME");
    const bool at_home = dialog.filter.starts_with("~") && home != nullptr;
    go_to_path(dialog, at_home ? home + dialog.filter.substr(1) : dialog.filter);
    dialog.filter.clear();
    return;
  }
  const auto shown = fitting_entries(dialog);
  if (dialog.filter.empty() && !dialog.chosen.empty()) return accept(context, dialog);
  if (dialog.filter.empty() || shown.empty()) return;
  const std::string path = (fs::path(dialog.folder) / shown.front()->name).string();
  dialog.filter.clear();
  if (shown.front()->folder)
    go(dialog, path);
  else
    choose(dialog, path);
}

void draw_files(Context& context, Dialog& dialog) {
  ImGui::BeginChild("##files", {0.56f * ImGui::GetContentRegionAvail().x, -ImGui::GetFrameHeightWithSpacing()}, true);
  if (dialog.listing_job.busy() && dialog.listing.entries.empty()) ImGui::TextDisabled("Reading the folder");
  if (const std::string error = dialog.listing_job.error(); !error.empty()) ImGui::TextWrapped("%s", error.c_str());
  const std::vector<const FolderEntry*> shown = fitting_entries(dialog);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()));
  if (shown.empty() && !dialog.listing_job.busy() && dialog.listing_job.error().empty())
    ImGui::TextDisabled("%s", dialog.filter.empty() ? "No images here" : "No name has these letters");
  std::string enter;
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FolderEntry& entry = *shown[static_cast<std::size_t>(i)];
      const std::string path = (fs::path(dialog.folder) / entry.name).string();
      const std::string size = entry.folder ? "" : entry.bytes > 0 ? words_of_size(entry.bytes) : "CASA";
      const float size_width = ImGui::CalcTextSize(size.c_str()).x;
      const float room = ImGui::GetContentRegionMax().x - size_width - ImGui::GetFontSize();
      const std::string text =
          elided(entry.folder ? entry.name + "/" : entry.name, room) + "###" + fmt::format("{}", i);
      if (ImGui::Selectable(text.c_str(), path == dialog.chosen, ImGuiSelectableFlags_AllowDoubleClick)) {
        if (entry.folder) {
          enter = path;
        } else {
          choose(dialog, path);
          if (ImGui::IsMouseDoubleClicked(0)) accept(context, dialog);
        }
      }
      context.widgets.item("open.file." + entry.name);
      if (!text.starts_with(entry.name)) tip(entry.name);
      if (entry.folder) continue;
      ImGui::SameLine(ImGui::GetContentRegionMax().x - size_width);
      ImGui::TextDisabled("%s", size.c_str());
    }
  }
  ImGui::EndChild();
  if (!enter.empty()) go(dialog, enter);
}

void draw_choice(Context& context, Dialog& dialog, const ImageHeader& header) {
  const auto images = std::ranges::count_if(header.hdus, [](const HduInfo& h) { return h.axes.size() >= 2; });
  if (images > 1) {
    label("HDU");
    if (ImGui::BeginCombo("##hdu", fmt::format("{}", header.hdu).c_str())) {
      for (const HduInfo& hdu : header.hdus) {
        if (hdu.axes.size() < 2 || hdu.kind.find("image") == std::string::npos) continue;
        if (ImGui::Selectable(fmt::format("{}  {}  {}", hdu.index, hdu.name, hdu.kind).c_str(),
                              hdu.index == header.hdu)) {
          dialog.hdu = hdu.index;
          look_at(dialog, dialog.chosen, hdu.index);
        }
      }
      ImGui::EndCombo();
    }
    context.widgets.item("open.hdu");
  }
  if (header.planes > 1) {
    label("Plane");
    const int first = 1, last = static_cast<int>(header.planes);
    slider_of("##plane", ImGuiDataType_S32, &dialog.plane, &first, &last, "%d", 0);
    context.widgets.item("open.plane");
  }
}

void draw_preview(Context& context, Dialog& dialog) {
  ImGui::SameLine();
  ImGui::BeginChild("##preview", {0, -ImGui::GetFrameHeightWithSpacing()}, true);
  if (dialog.chosen.empty()) {
    ImGui::TextDisabled("Choose a file to see its header");
  } else if (names_session(dialog.chosen)) {
    ImGui::TextWrapped("A session: opens the images and catalogues it was saved with, as they were.");
    context.widgets.item("open.session");
  } else if (!dialog.preview.header) {
    const std::string error = dialog.preview_job.error();
    ImGui::PushStyleColor(ImGuiCol_Text, error.empty() ? palette().text_dim : palette().bad);
    ImGui::TextWrapped("%s", error.empty() ? "Reading the header" : error.c_str());
    ImGui::PopStyleColor();
  } else {
    const ImageHeader& header = *dialog.preview.header;
    ImGui::PushFont(bold_font());
    ImGui::TextWrapped("%s",
                       header.object.empty() ? fs::path(dialog.chosen).filename().c_str() : header.object.c_str());
    ImGui::PopFont();
    std::string axes;
    for (const std::int64_t n : header.axes) axes += fmt::format("{}{}", axes.empty() ? "" : " x ", n);
    ImGui::Text("%s, BITPIX %d", axes.c_str(), header.bitpix);
    ImGui::Text("%s", header.unit.text.empty() ? "no unit" : header.unit.text.c_str());
    if (header.beam)
      ImGui::Text("beam %.3g x %.3g arcsec", header.beam->major_deg * 3600, header.beam->minor_deg * 3600);
    if (header.wcs.celestial())
      ImGui::Text("%s, %s", header.wcs.frame_name().c_str(), header.wcs.projection().c_str());
    else
      ImGui::TextWrapped("no sky position: %s", header.wcs.why_not().c_str());
    draw_choice(context, dialog, header);
    ImGui::Separator();
    ImGui::PushFont(mono_font());
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(header.cards.size()));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        ImGui::TextUnformatted(header.cards[static_cast<std::size_t>(i)].c_str());
    ImGui::PopFont();
  }
  ImGui::EndChild();
}

class OpenDialog final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::unique_ptr<Dialog> dialog_;  ///< null before it is first shown
  bool refocus_ = false;            ///< Enter ends a field's focus; the filter takes it again
};

}  // namespace

void OpenDialog::draw(Context& context) {
  std::unique_ptr<Dialog>& dialog = dialog_;
  if (!dialog) {
    dialog = std::make_unique<Dialog>(context.shell.wake());
    std::error_code error;
    const Document* document = context.state.document();
    const std::string last = document != nullptr            ? document->path
                             : context.state.recent.empty() ? ""
                                                            : context.state.recent.front();
    const std::string folder = fs::path(last).parent_path().string();
    go(*dialog, fs::is_directory(folder, error) ? folder : fs::current_path(error).string());
  }
  if (auto listing = dialog->listing_job.take()) dialog->listing = std::move(*listing);
  if (auto preview = dialog->preview_job.take(); preview && preview->path == dialog->chosen) dialog->preview = *preview;
  if (ImGui::Button("Up")) go(*dialog, fs::path(dialog->folder).parent_path().string());
  context.widgets.item("open.up");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-14 * ImGui::GetFontSize());
  if (ImGui::InputText("##folder", &dialog->typed, ImGuiInputTextFlags_EnterReturnsTrue))
    go_to_path(*dialog, std::string(dialog->typed));
  context.widgets.item("open.folder");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing() || refocus_) ImGui::SetKeyboardFocusHere();
  refocus_ =
      ImGui::InputTextWithHint("##filter", "filter, or a path", &dialog->filter, ImGuiInputTextFlags_EnterReturnsTrue);
  if (refocus_) take_filter(context, *dialog);
  context.widgets.item("open.filter");
  draw_files(context, *dialog);
  draw_preview(context, *dialog);
  ImGui::BeginDisabled(dialog->chosen.empty());
  if (primary_button("Open", {8 * ImGui::GetFontSize(), 0})) accept(context, *dialog);
  context.widgets.item("open.accept");
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {8 * ImGui::GetFontSize(), 0})) set_open(context.state, "open", false);
  context.widgets.item("open.cancel");
}

std::unique_ptr<Panel> make_open_dialog() { return std::make_unique<OpenDialog>(); }

}  // namespace reber::gui
