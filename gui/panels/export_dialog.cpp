// SPDX-License-Identifier: BSD-3-Clause
// Dialogs that write and read files: the view as a picture, the session.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <filesystem>

#include "core/base/error.hpp"
#include "gui/app/keep.hpp"
#include "gui/export/figure_writer.hpp"
#include "gui/export/view_figure.hpp"
#include "gui/panels/panels.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

void complain(const std::string& error) {
  if (error.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
  ImGui::TextWrapped("%s", error.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

void draw_export_dialog(Context& context) {
  static std::string path, error;
  static std::int64_t proposed_for = -1;
  static int format = 0;
  static float scale = 2;
  static bool overwrite = false;
  static FigureOptions options;
  Document* document = context.state.document();
  const ScreenRect* canvas = context.widgets.find("canvas");
  if (document == nullptr || canvas == nullptr || !document->layer().pixels) {
    ImGui::TextDisabled("There is no image to export.");
    return;
  }
  static constexpr std::array<const char*, 3> kFormats{".png", ".pdf", ".svg"};
  if (proposed_for != document->id) {
    proposed_for = document->id;
    path = std::filesystem::path(document->path).replace_extension(kFormats[static_cast<std::size_t>(format)]).string();
  }
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##path", &path);
  context.widgets.item("export.path");
  const std::string extension = std::filesystem::path(path).extension().string();
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (ImGui::RadioButton(kFormats[i] + 1, extension == kFormats[i])) {
      format = static_cast<int>(i);
      path = std::filesystem::path(path).replace_extension(kFormats[i]).string();
    }
    context.widgets.item(std::string("export.") + (kFormats[i] + 1));
  }
  ImGui::SliderFloat(extension == ".png" ? "scale" : "resolution of the image", &scale, 1, 4, "%.0f x");
  context.widgets.item("export.scale");
  ImGui::Checkbox("Axes in sky coordinates", &options.axes);
  context.widgets.item("export.axes");
  ImGui::SameLine();
  ImGui::Checkbox("Overlays", &options.overlays);
  ImGui::SameLine();
  ImGui::Checkbox("White paper", &options.light);
  ImGui::Checkbox("Leave out what is off the image", &options.crop);
  context.widgets.item("export.crop");
  ImGui::Checkbox("Replace the file if it exists", &overwrite);
  context.widgets.item("export.replace");
  const FigureLayout layout = figure_layout(context.state, {0, 0, canvas->width, canvas->height}, options);
  if (extension == ".png")
    ImGui::TextDisabled("%.0f x %.0f pixels", layout.width * scale, layout.height * scale);
  else
    ImGui::TextDisabled("%.0f x %.0f points; axes, grid, ellipses and text stay lines and text", layout.width,
                        layout.height);
  const Compare::Kind kind = context.state.compare.kind;
  if (kind == Compare::Kind::blink || kind == Compare::Kind::split || kind == Compare::Kind::side_by_side)
    ImGui::TextDisabled("the first image of the comparison: %s", document->title().c_str());
  if (ImGui::Button("Write")) {
    error.clear();
    options.raster_scale = scale;
    try {
      write_figure(path, view_figure(context, {0, 0, canvas->width, canvas->height}, options), scale, overwrite);
      context.state.say("Picture written to " + path);
      set_open(context.state, "export", false);
    } catch (const Error& failure) {
      error = failure.what();
    }
  }
  context.widgets.item("export.write");
  complain(error);
}

void draw_session_dialog(Context& context) {
  static std::string path;
  Workbench& bench = *context.state.bench;
  if (ImGui::IsWindowAppearing()) {
    path = bench.session_path;
    if (const Document* document = context.state.document(); path.empty() && document != nullptr)
      path = std::filesystem::path(document->path).replace_extension(".reber.json").string();
  }
  ImGui::TextWrapped(
      "A session holds the open images (by path, size, time and hash), catalogues, parameters, view, table, "
      "flags and panels. Saving replaces the file.");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##path", &path);
  context.widgets.item("session.path");
  if (ImGui::Button("Save") && save_session_as(context, path)) set_open(context.state, "session", false);
  context.widgets.item("session.save");
  ImGui::SameLine();
  if (ImGui::Button("Open") && open_session(context, path)) set_open(context.state, "session", false);
  context.widgets.item("session.open");
  if (bench.kept) {
    ImGui::Separator();
    ImGui::TextWrapped("The viewer ended without being closed; its last state was kept.");
    if (ImGui::Button("Bring it back")) {
      restore(context, *bench.kept);
      bench.kept.reset();
      set_open(context.state, "session", false);
    }
    context.widgets.item("session.restore");
    ImGui::SameLine();
    if (ImGui::Button("Forget it")) bench.kept.reset();
  }
  if (context.state.notice.is_error && context.state.now < context.state.notice.until)
    complain(context.state.notice.text);
}

}  // namespace reber::gui
