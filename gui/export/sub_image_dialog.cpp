// SPDX-License-Identifier: BSD-3-Clause
// What is in view, or the box about the chosen region, of one plane or of all: a job reads and writes it.
#include "gui/export/sub_image_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <optional>
#include <string>

#include "gui/model/image/sub_image.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

class SubImageDialog final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override { return writing_; }

 private:
  [[nodiscard]] Rect part_of(const Context& context, const Document& document) const;
  void draw_choices(Context& context, const Document& document);
  void start(Context& context, const Document& document, const Rect& where);

  PathField field_;
  std::string path_, error_;
  std::int64_t proposed_for_ = -1;  ///< document
  bool of_region_ = false, all_planes_ = false, overwrite_ = false, writing_ = false;
  std::unique_ptr<JobSlot<std::string>> writer_;
};

}  // namespace

/// Of the image's pixels; empty where none are in view.
Rect SubImageDialog::part_of(const Context& context, const Document& document) const {
  const Shape shape = document.header->shape;
  const Region* const region = document.inspect.chosen_area();
  if (of_region_) return region == nullptr ? Rect{0, 0, 0, 0} : bounds_of(*region, shape);
  const ScreenRect* const canvas = context.widgets.find("canvas");
  return canvas == nullptr ? Rect{0, 0, 0, 0} : CanvasTransform(document.view, *canvas).visible(shape);
}

void SubImageDialog::draw_choices(Context& context, const Document& document) {
  const bool chosen = document.inspect.chosen_area() != nullptr;
  of_region_ = of_region_ && chosen;
  if (ImGui::RadioButton("What is in view", !of_region_)) of_region_ = false;
  context.widgets.item("sub_image.view");
  ImGui::SameLine();
  ImGui::BeginDisabled(!chosen);
  if (ImGui::RadioButton("The box about the chosen region", of_region_)) of_region_ = true;
  ImGui::EndDisabled();
  context.widgets.item("sub_image.region");
  if (document.header->planes > 1) {
    if (ImGui::RadioButton("This plane", !all_planes_)) all_planes_ = false;
    context.widgets.item("sub_image.plane");
    ImGui::SameLine();
    if (ImGui::RadioButton(fmt::format("All {} planes", document.header->planes).c_str(), all_planes_))
      all_planes_ = true;
    context.widgets.item("sub_image.planes");
  }
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item("sub_image.replace");
}

void SubImageDialog::draw(Context& context) {
  const Document* const document = context.state.document();
  if (document == nullptr || !document->header || document->in_memory) {
    ImGui::TextDisabled("A part is cut out of an image that has a file.");
    return;
  }
  if (document->cube_view.linear != LinearPolarisation::off) {
    ImGui::TextWrapped("P is made of Q and U, and has no planes in the file. Show one of I, Q, U and V.");
    return;
  }
  if (proposed_for_ != document->id) {
    proposed_for_ = document->id;
    path_ = proposed_path(document->path, "_part.fits");
  }
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
    of_region_ = document->inspect.chosen_area() != nullptr;
  }
  field_.draw(context, "sub_image.path", "path of the FITS file", path_);
  draw_choices(context, *document);
  const Rect where = part_of(context, *document);
  const bool some = where.nx > 0 && where.ny > 0;
  const int base = context.state.inspect.style.one_based ? 1 : 0;
  const std::string told =
      some ? fmt::format("x {} to {}, y {} to {}: {} x {} pixels", where.x0 + base, where.x0 + where.nx - 1 + base,
                         where.y0 + base, where.y0 + where.ny - 1 + base, where.nx, where.ny)
           : std::string("no pixel of the image is in it");
  ImGui::TextDisabled("%s", told.c_str());
  if (document->shown != LayerKind::input) ImGui::TextDisabled("of the image itself, not of the layer that is shown");
  if (writing_) {
    ImGui::ProgressBar(static_cast<float>(writer_->fraction()), {12 * ImGui::GetFontSize(), 0}, "Writing ...");
    ImGui::SameLine();
    if (ImGui::Button("Stop")) writer_->cancel();
    context.widgets.item("sub_image.stop");
  } else {
    ImGui::BeginDisabled(!some);
    if ((primary_button("Write") || field_.entered()) && some) start(context, *document, where);
    ImGui::EndDisabled();
    context.widgets.item("sub_image.write");
  }
  complain(error_);
}

void SubImageDialog::start(Context& context, const Document& document, const Rect& where) {
  error_.clear();
  writing_ = true;
  if (!writer_) writer_ = std::make_unique<JobSlot<std::string>>(context.shell.wake());
  SubImage part{where, {}};
  if (!all_planes_) part.plane = document.header->plane;
  OpenOptions options = document.open;
  options.hdu = document.header->hdu;
  options.plane.reset();
  writer_->start([part, options, from = document.path, to = path_, replace = overwrite_](const Progress& progress) {
    write_sub_image(to, *open_image_file(from, options, Planes::many, progress), part, replace, progress);
    return to;
  });
}

void SubImageDialog::update(Context& context) {
  if (!writing_ || writer_->busy()) return;
  writing_ = false;
  if (const std::optional<std::string> path = writer_->take()) {
    context.state.say("Part written to " + *path);
    set_open(context.state, "sub_image", false);
    return;
  }
  error_ = writer_->error();
}

std::unique_ptr<Panel> make_sub_image_dialog() { return std::make_unique<SubImageDialog>(); }

}  // namespace reber::gui
