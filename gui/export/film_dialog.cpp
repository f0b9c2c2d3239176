// SPDX-License-Identifier: BSD-3-Clause
// Planes shown, drawn and packed one after the other.
#include "gui/export/film_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/io/path_fence.hpp"
#include "gui/export/figure_writer.hpp"
#include "gui/export/film_file.hpp"
#include "gui/export/view_figure.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

constexpr std::array<const char*, 2> kFormats{".gif", ".png"};

class FilmDialog final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override { return step_ != Step::rest; }

 private:
  /// Of one plane: it is read, its raster is drawn, it is packed; at the end the file is written.
  enum class Step { rest, plane, picture, packing, writing };

  void draw_options(Context& context, const Document& document, const ScreenRect& canvas);
  void start(Context& context, Document& document, const ScreenRect& canvas);
  void show(Context& context, Document& document, std::int64_t plane);
  void take_picture(Context& context, Document& document);
  void pack(Figure figure);
  void stop(std::string error);
  void end(Context& context, Document& document);

  PathField field_;
  std::string path_, error_;
  std::int64_t proposed_for_ = -1;  ///< document
  float scale_ = 1;
  bool overwrite_ = false;
  FigureOptions options_;

  Step step_ = Step::rest;
  std::int64_t document_ = -1;
  std::vector<std::int64_t> planes_;
  std::size_t at_ = 0;
  std::int64_t shown_before_ = 0;  ///< plane
  ScreenRect canvas_;
  std::shared_ptr<FilmFile> film_;  ///< the packing job's alone while it runs
  std::unique_ptr<JobSlot<bool>> packer_;
};

std::vector<std::int64_t> planes_of(const Document& document) {
  const CubeAxes& cube = *document.cube;
  const auto [first, last] = document.cube_view.range.value_or(std::pair{std::int64_t{0}, cube.played().count - 1});
  std::vector<std::int64_t> planes;
  for (std::int64_t at = first; at <= last; ++at)
    planes.push_back(CubeAxes::moved(cube.played(), document.header->plane, at));
  return planes;
}

}  // namespace

void FilmDialog::draw_options(Context& context, const Document& document, const ScreenRect& canvas) {
  const std::string extension = std::filesystem::path(path_).extension().string();
  for (const char* format : kFormats) {
    if (format != kFormats.front()) ImGui::SameLine();
    if (ImGui::RadioButton(*(format + 1) == 'g' ? "GIF" : "animated PNG", extension == format))
      path_ = std::filesystem::path(path_).replace_extension(format).string();
    context.widgets.item(std::string("film.") + (format + 1));
  }
  const auto planes = static_cast<std::int64_t>(planes_of(document).size());
  label("Channels");
  ImGui::AlignTextToFramePadding();
  const auto& range = document.cube_view.range;
  const std::string which = range ? fmt::format("{} to {}", range->first + 1, range->second + 1)
                                  : fmt::format("all {}; a drag in the spectrum chooses a range", planes);
  ImGui::TextUnformatted(which.c_str());
  label("Speed");
  slider("##rate", context.state.planes_per_second, 0.5, 50, "%.3g planes a second", ImGuiSliderFlags_Logarithmic);
  context.widgets.item("film.rate");
  label("Scale");
  const float least = 1, most = 3;
  slider_of("##scale", ImGuiDataType_Float, &scale_, &least, &most, "%.0f x", 0);
  context.widgets.item("film.scale");
  ImGui::Checkbox("Axes in sky coordinates", &options_.axes);
  context.widgets.item("film.axes");
  ImGui::SameLine();
  ImGui::Checkbox("Overlays", &options_.overlays);
  ImGui::SameLine();
  ImGui::Checkbox("White paper", &options_.light);
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item("film.replace");
  const FigureLayout layout = figure_layout(context.state, canvas, options_);
  ImGui::TextDisabled("%.0f x %.0f pixels, %.1f seconds%s", layout.width * scale_, layout.height * scale_,
                      static_cast<double>(planes) / context.state.planes_per_second,
                      extension == ".gif" ? "; 256 colours a picture" : "");
}

void FilmDialog::draw(Context& context) {
  Document* document = context.state.document();
  const ScreenRect* place = context.widgets.find("canvas");
  if (document == nullptr || place == nullptr || !document->cube || document->in_memory || !document->header) {
    ImGui::TextDisabled("A film is made of the planes of a cube.");
    return;
  }
  const ScreenRect canvas{0, 0, place->width, place->height};
  if (proposed_for_ != document->id) {
    proposed_for_ = document->id;
    path_ = proposed_path(document->path, kFormats.front());
  }
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  field_.draw(context, "film.path", "path of the film", path_);
  if (!busy()) {
    draw_options(context, *document, canvas);
    if (primary_button("Write") || field_.entered()) start(context, *document, canvas);
    context.widgets.item("film.write");
  } else {
    const std::string text =
        step_ == Step::writing ? "writing" : fmt::format("plane {} of {}", at_ + 1, planes_.size());
    ImGui::ProgressBar(static_cast<float>(at_) / static_cast<float>(planes_.size()), {-1, 0}, text.c_str());
    context.widgets.item("film.busy");
    if (ImGui::Button("Stop")) {
      show(context, *document, shown_before_);
      stop("");
    }
    context.widgets.item("film.stop");
  }
  complain(error_);
}

void FilmDialog::start(Context& context, Document& document, const ScreenRect& canvas) {
  error_.clear();
  try {
    check_fence(path_);
    film_ = std::make_shared<FilmFile>(path_, 1 / context.state.planes_per_second);
  } catch (const Error& failure) {
    error_ = failure.what();
    return;
  }
  if (!overwrite_ && std::filesystem::exists(path_)) return stop(path_ + " exists; tick the box to replace it");
  if (!packer_) packer_ = std::make_unique<JobSlot<bool>>(context.shell.wake());
  document_ = document.id;
  planes_ = planes_of(document);
  at_ = 0;
  shown_before_ = document.header->plane;
  canvas_ = canvas;
  options_.raster_scale = scale_;
  context.state.animate = false;
  show(context, document, planes_.front());
  step_ = Step::plane;
}

void FilmDialog::show(Context& context, Document& document, std::int64_t plane) {
  OpenOptions next = document.open;
  next.hdu = document.header->hdu;
  next.plane = plane;
  context.shell.show_plane(document, next);
}

void FilmDialog::stop(std::string error) {
  step_ = Step::rest;
  error_ = std::move(error);
}

void FilmDialog::take_picture(Context& context, Document& document) {
  step_ = Step::picture;
  PictureOrder order = raster_order(figure_layout(context.state, canvas_, options_), options_);
  order.done = [this, figure = view_figure(context, canvas_, options_)](Raster raster) mutable {
    if (step_ != Step::picture) return;  // stopped
    figure.raster_width = raster.width;
    figure.raster_height = raster.height;
    figure.raster = std::move(raster.rgba);
    pack(std::move(figure));
  };
  context.shell.make_picture(document, order);
}

void FilmDialog::pack(Figure figure) {
  step_ = Step::packing;
  packer_->start([figure = std::move(figure), film = film_, scale = scale_](const Progress&) {
    FigurePixels pixels = figure_pixels(figure, static_cast<double>(scale));
    film->add(pixels.view());
    return true;
  });
}

void FilmDialog::end(Context& context, Document& document) {
  show(context, document, shown_before_);
  step_ = Step::rest;
  set_open(context.state, "film", false);
  context.state.say(fmt::format("Film of {} planes written to {}", planes_.size(), path_));
}

void FilmDialog::update(Context& context) {
  if (step_ == Step::rest) return;
  Document* const document = context.state.find(document_);
  if (document == nullptr || document != context.state.document())
    return stop("Another image was shown: the film was not written");
  if (step_ == Step::plane) {
    if (document->loading) return;
    if (!document->error.empty()) return stop(document->error);
    take_picture(context, *document);
    return;
  }
  if (step_ == Step::picture || packer_->busy()) return;
  if (!packer_->take()) return stop(packer_->error());
  if (step_ == Step::writing) return end(context, *document);
  if (++at_ < planes_.size()) {
    show(context, *document, planes_[at_]);
    step_ = Step::plane;
    return;
  }
  at_ = planes_.size() - 1;
  step_ = Step::writing;
  packer_->start([film = film_, replace = overwrite_](const Progress&) {
    film->write(replace);
    return true;
  });
}

std::unique_ptr<Panel> make_film_dialog() { return std::make_unique<FilmDialog>(); }

}  // namespace reber::gui
