// SPDX-License-Identifier: BSD-3-Clause
// The dialog that writes the view as a picture. The raster is drawn over several frames, the file is written by a job.
#include "gui/export/export_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "gui/export/figure_writer.hpp"
#include "gui/export/view_figure.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

constexpr std::array<const char*, 3> kFormats{".png", ".pdf", ".svg"};

class ExportDialog final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override { return drawing_ || writing_; }

 private:
  void draw_format(Context& context);
  void draw_options(Context& context, const Document& document, const ScreenRect& canvas);
  void start(Context& context, Document& document, const ScreenRect& canvas);
  void write(Figure figure);

  PathField field_;
  std::string path_, error_;
  std::int64_t proposed_for_ = -1;  ///< document
  int format_ = 0;
  float scale_ = 2;
  bool overwrite_ = false;
  FigureOptions options_;
  /// The picture is on its way: drawing_ until its raster is there, writing_ until the file is.
  bool drawing_ = false, writing_ = false;
  int frames_ = 0;  ///< since it was asked for
  std::unique_ptr<JobSlot<std::string>> writer_;
};

}  // namespace

void ExportDialog::draw_format(Context& context) {
  const std::string extension = std::filesystem::path(path_).extension().string();
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (ImGui::RadioButton(kFormats[i] + 1, extension == kFormats[i])) {
      format_ = static_cast<int>(i);
      path_ = std::filesystem::path(path_).replace_extension(kFormats[i]).string();
    }
    context.widgets.item(std::string("export.") + (kFormats[i] + 1));
  }
  const float least = 1, most = 4;
  slider_of(extension == ".png" ? "scale" : "resolution of the image", ImGuiDataType_Float, &scale_, &least, &most,
            "%.0f x", 0);
  context.widgets.item("export.scale");
}

void ExportDialog::draw_options(Context& context, const Document& document, const ScreenRect& canvas) {
  ImGui::Checkbox("Axes in sky coordinates", &options_.axes);
  context.widgets.item("export.axes");
  ImGui::SameLine();
  ImGui::Checkbox("Overlays", &options_.overlays);
  ImGui::SameLine();
  ImGui::Checkbox("White paper", &options_.light);
  ImGui::Checkbox("Leave out what is off the image", &options_.crop);
  context.widgets.item("export.crop");
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item("export.replace");
  const FigureLayout layout = figure_layout(context.state, canvas, options_);
  if (std::filesystem::path(path_).extension() == ".png")
    ImGui::TextDisabled("%.0f x %.0f pixels", layout.width * scale_, layout.height * scale_);
  else
    ImGui::TextDisabled("%.0f x %.0f points; axes, grid, ellipses and text stay lines and text", layout.width,
                        layout.height);
  const Compare::Kind kind = context.state.compare.kind;
  if (kind == Compare::Kind::blink || kind == Compare::Kind::split || kind == Compare::Kind::side_by_side ||
      kind == Compare::Kind::tiles)
    ImGui::TextDisabled("the shown image of the comparison: %s", document.title().c_str());
}

void ExportDialog::draw(Context& context) {
  Document* document = context.state.document();
  const ScreenRect* place = context.widgets.find("canvas");
  if (document == nullptr || place == nullptr || !document->layer().pixels) {
    ImGui::TextDisabled("There is no image to export.");
    return;
  }
  const ScreenRect canvas{0, 0, place->width, place->height};
  if (proposed_for_ != document->id) {
    proposed_for_ = document->id;
    path_ = proposed_path(document->path, kFormats[static_cast<std::size_t>(format_)]);
  }
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  field_.draw(context, "export.path", "path of the picture", path_);
  draw_format(context);
  draw_options(context, *document, canvas);
  if (busy()) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Writing ...");
    context.widgets.item("export.busy");
  } else {
    if (primary_button("Write") || field_.entered()) start(context, *document, canvas);
    context.widgets.item("export.write");
  }
  complain(error_);
}

void ExportDialog::start(Context& context, Document& document, const ScreenRect& canvas) {
  error_.clear();
  frames_ = 0;
  drawing_ = true;
  options_.raster_scale = scale_;
  if (!writer_) writer_ = std::make_unique<JobSlot<std::string>>(context.shell.wake());
  PictureOrder order = raster_order(figure_layout(context.state, canvas, options_), options_);
  order.done = [this, figure = view_figure(context, canvas, options_)](Raster raster) mutable {
    figure.raster_width = raster.width;
    figure.raster_height = raster.height;
    figure.raster = std::move(raster.rgba);
    write(std::move(figure));
  };
  context.shell.make_picture(document, order);
}

void ExportDialog::write(Figure figure) {
  drawing_ = false;
  writing_ = true;
  writer_->start([figure = std::move(figure), path = path_, scale = scale_, replace = overwrite_](const Progress&) {
    write_figure(path, figure, scale, replace);
    return path;
  });
}

void ExportDialog::update(Context& context) {
  if (busy()) ++frames_;
  context.state.export_frames = frames_;
  context.state.exporting = busy();
  if (!writing_ || writer_->busy()) return;
  writing_ = context.state.exporting = false;
  if (const std::optional<std::string> path = writer_->take()) {
    context.state.say("Picture written to " + *path);
    set_open(context.state, "export", false);
  } else {
    error_ = writer_->error();
    set_open(context.state, "export", true);
  }
}

std::unique_ptr<Panel> make_export_dialog() { return std::make_unique<ExportDialog>(); }

}  // namespace reber::gui
