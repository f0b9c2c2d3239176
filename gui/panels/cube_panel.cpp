// SPDX-License-Identifier: BSD-3-Clause
// Panel: images made of a cube: moments, cuts along a line, channel maps.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "gui/model/cube/cube_images.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/plane_sources.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {
namespace {

using How = CollapseRequest::How;

/// Sources on channel maps that are of no catalogue.
constexpr int kNone = -2, kSearched = -1;

class CubePanel final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override { return job_ && job_->busy(); }

 private:
  using Work = std::function<CubeImage(const Progress&)>;
  void start(Context& context, const Document& document, Work work);
  void draw_collapse(Context& context, const Document& document);
  void draw_cut(Context& context, const Document& document);
  void draw_maps(Context& context, const Document& document);
  void draw_map_sources(Context& context, const Document& document);
  [[nodiscard]] std::optional<PlaneSources> map_sources(Context& context, const Document& document) const;
  void draw_save(Context& context, const Document& document);

  std::unique_ptr<JobSlot<CubeImage>> job_;
  bool asked_ = false;
  std::chrono::steady_clock::time_point since_;
  std::int64_t document_ = -1;  ///< of the cube
  int how_ = static_cast<int>(How::moment0);
  double snr_ = 0, width_arcsec_ = 0;
  bool region_alone_ = true;
  std::int64_t columns_ = 4, rows_ = 3;
  int sources_ = kNone;  ///< on channel maps: kNone, kSearched, or a catalogue's index
  std::string error_, path_, save_error_;
  std::int64_t path_of_ = -1;
  PathField field_;
  bool overwrite_ = false;
};

/// Of the chosen range, or all.
std::pair<std::int64_t, std::int64_t> range_of(const Document& document) {
  return document.cube_view.range.value_or(std::pair{std::int64_t{0}, document.cube->played().count - 1});
}

OpenOptions options_of(const Document& document) {
  OpenOptions options = document.open;
  options.hdu = document.header->hdu;
  options.plane.reset();
  return options;
}

/// Opens the document's cube in a job.
std::function<SpectrumCube(const Progress&)> opener_of(const Document& document) {
  return [path = document.path, options = options_of(document), axes = document.cube, plane = document.header->plane,
          linear = document.cube_view.linear](const Progress& progress) {
    return SpectrumCube(path, options, axes, plane, linear, progress);
  };
}

/// The line of the profiles, or the chosen region where that is one.
std::optional<std::pair<PixelPosition, PixelPosition>> line_of(const Document& document) {
  const auto& inspect = document.inspect;
  if (inspect.selected >= 0 && inspect.selected < static_cast<int>(inspect.regions.size())) {
    const Region& region = inspect.regions[static_cast<std::size_t>(inspect.selected)];
    if (region.kind == Region::Kind::line && region.points.size() == 2)
      return std::pair{region.points[0], region.points[1]};
  }
  return inspect.line;
}

void show(Context& context, CubeImage made, std::int64_t cube_id) {
  Document& document = context.shell.add_document(*made.header, made.name);
  Layer& layer = document.layer();
  put_pixels(layer, made.pixels, 0);
  if (made.smooth) {
    layer.render.stretch = Stretch::linear;
    layer.render.colour_map = "diverging";
    const auto& sample = layer.sample;
    if (!sample.empty()) {
      layer.render.low = static_cast<double>(sample[sample.size() / 50]);
      layer.render.high = static_cast<double>(sample[sample.size() - 1 - sample.size() / 50]);
      layer.render.limits = "manual";
    }
  }
  made.about->document = cube_id;
  document.made_of = made.about;
  if (const Document* const cube = context.state.find(cube_id)) {
    const bool same = cube->header && cube->header->shape == made.header->shape && made.about->cells.empty();
    if (same) document.view = cube->view;
    document.fit_when_drawn = !same;
    if (!made.about->cells.empty()) document.layer().render = cube->layer(LayerKind::input).render;
  }
  context.state.compare.kind = Compare::Kind::off;
  context.state.active = static_cast<std::int64_t>(context.state.documents.size()) - 1;
}

}  // namespace

void CubePanel::start(Context& context, const Document& document, Work work) {
  if (!job_) job_ = std::make_unique<JobSlot<CubeImage>>(context.shell.wake());
  error_.clear();
  asked_ = true;
  since_ = std::chrono::steady_clock::now();
  document_ = document.id;
  job_->start(std::move(work));
}

void CubePanel::update(Context& context) {
  if (!asked_ || job_->busy()) return;
  asked_ = false;
  if (auto made = job_->take()) {
    made->about->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
    show(context, std::move(*made), document_);
  } else {
    error_ = job_->error();
  }
}

void CubePanel::draw_collapse(Context& context, const Document& document) {
  const auto [first, last] = range_of(document);
  label("Channels");
  ImGui::AlignTextToFramePadding();
  const std::string all = fmt::format("{} to {}", first + 1, last + 1);
  ImGui::TextUnformatted(document.cube_view.range ? all.c_str() : "all; drag a range in the spectrum");
  context.widgets.item("cube.channels");
  const Region* const region = document.inspect.chosen_area();
  label("Of");
  ImGui::BeginDisabled(region == nullptr);
  bool alone = region != nullptr && region_alone_;
  const std::string chosen =
      region == nullptr ? "a chosen region alone" : fmt::format("region {} alone", document.inspect.selected + 1);
  if (ImGui::Checkbox(chosen.c_str(), &alone)) region_alone_ = alone;
  ImGui::EndDisabled();
  context.widgets.item("cube.region");
  label("Image");
  const auto& names = words<How>;
  if (ImGui::BeginCombo("##how", std::string(names[static_cast<std::size_t>(how_)].text).c_str())) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (ImGui::Selectable(std::string(names[i].text).c_str(), static_cast<int>(i) == how_))
        how_ = static_cast<int>(i);
      context.widgets.item(fmt::format("cube.how.{}", names[i].word));
    }
    ImGui::EndCombo();
  }
  context.widgets.item("cube.how");
  number(context, "Above", "cube.snr", snr_, 0, 10, snr_ > 0 ? "%.1f sigma of the plane" : "all pixels");
  label("");
  if (ImGui::Button("Make the image")) {
    CollapseRequest request;
    request.how = names[static_cast<std::size_t>(how_)].value;
    request.snr = snr_;
    for (std::int64_t at = first; at <= last; ++at)
      request.planes.push_back(CubeAxes::moved(document.cube->played(), document.header->plane, at));
    const std::optional<Region> part =
        region != nullptr && region_alone_ ? std::optional(*region) : std::optional<Region>();
    const int number = document.inspect.selected + 1;
    start(context, document,
          [open = opener_of(document), request, part, number, shell = &context.shell](const Progress& p) {
            const std::unique_ptr<Backend> backend = shell->make_backend("cpu");
            CubeImage made = collapsed_image(open(p), request, part, *backend, p);
            if (part) made.name += fmt::format(", region {}", number);
            return made;
          });
  }
  context.widgets.item("cube.make");
}

void CubePanel::draw_cut(Context& context, const Document& document) {
  const auto line = line_of(document);
  const Wcs& wcs = document.header->wcs;
  const auto from = line ? wcs.to_sky(line->first.x, line->first.y) : std::nullopt;
  const auto to = line ? wcs.to_sky(line->second.x, line->second.y) : std::nullopt;
  number(context, "Cut, width", "cube.width", width_arcsec_, 0, 120, width_arcsec_ > 0 ? "%.1f arcsec" : "one pixel");
  label("");
  ImGui::BeginDisabled(!from || !to);
  if (ImGui::Button("Position-velocity along the line")) {
    const PvLine cut{*from, *to, width_arcsec_};
    start(context, document,
          [open = opener_of(document), cut](const Progress& p) { return cut_image(open(p), cut, p); });
  }
  ImGui::EndDisabled();
  context.widgets.item("cube.cut");
  if (from && to) return;
  label("");
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled(line ? "The line has no place on the sky."
                           : "Shift+p, then a drag on the image, draws the line.");
  ImGui::PopTextWrapPos();
}

void CubePanel::draw_maps(Context& context, const Document& document) {
  whole_number(context, "Maps across", "cube.columns", columns_, 1, 8, "%d");
  whole_number(context, "and down", "cube.rows", rows_, 1, 8, "%d");
  draw_map_sources(context, document);
  label("");
  if (ImGui::Button("Channel maps of what is in view")) {
    const auto [first, last] = range_of(document);
    const std::int64_t count = std::min(last - first + 1, columns_ * rows_);
    std::vector<std::int64_t> channels;
    for (std::int64_t i = 0; i < count; ++i)
      channels.push_back(
          first +
          (count < 2 ? 0 : std::llround(static_cast<double>(i * (last - first)) / static_cast<double>(count - 1))));
    const Shape shape = document.header->shape;
    const ScreenRect* const area = context.widgets.find("canvas");
    Rect part{0, 0, shape.ny, shape.nx};
    if (area != nullptr) part = CanvasTransform(document.view, *area).visible(shape);
    if (part.nx > 0 && part.ny > 0)
      start(context, document,
            [open = opener_of(document), channels, columns = std::min(columns_, count), part,
             sources = map_sources(context, document)](const Progress& p) {
              return channel_maps(open(p), channels, columns, part, sources, p);
            });
  }
  context.widgets.item("cube.maps");
}

/// Whose sources the maps show.
void CubePanel::draw_map_sources(Context& context, const Document& document) {
  const auto& catalogues = context.state.workbench->catalogues;
  const auto count = static_cast<int>(catalogues.size());
  const bool searches = why_no_search(document).empty();
  if (sources_ >= count || (sources_ == kSearched && !searches)) sources_ = kNone;
  const auto name = [&](int which) {
    if (which < 0) return std::string(which == kNone ? "none" : "each plane's own search");
    return std::filesystem::path(catalogues[static_cast<std::size_t>(which)]->path).filename().string();
  };
  label("Sources");
  if (ImGui::BeginCombo("##sources", name(sources_).c_str())) {
    for (int which = kNone; which < count; ++which) {
      if (which == kSearched && !searches) continue;
      if (ImGui::Selectable(name(which).c_str(), which == sources_)) sources_ = which;
      context.widgets.item(fmt::format("cube.sources.{}", which == kNone ? "none"
                                                          : which < 0    ? "search"
                                                                         : name(which)));
    }
    ImGui::EndCombo();
  }
  context.widgets.item("cube.sources");
  tip("Found in each plane with the parameters of the panel Pipeline, or rows of an open catalogue: those of the plane "
      "where it has a column Plane, else all.");
}

std::optional<PlaneSources> CubePanel::map_sources(Context& context, const Document& document) const {
  if (sources_ == kNone) return std::nullopt;
  if (sources_ >= 0)
    return catalogue_sources(*context.state.workbench->catalogues[static_cast<std::size_t>(sources_)], document.header);
  Request request = document.request;
  request.input = document.path;
  request.open = options_of(document);
  return searched_sources(request, context.shell.make_backend("cpu"));
}

void CubePanel::draw_save(Context& context, const Document& document) {
  if (path_of_ != document.id) {
    path_of_ = document.id;
    save_error_.clear();
    path_ = proposed_path(document.header->path, document.made_of->cut ? "_pv.fits" : "_collapsed.fits");
  }
  field_.draw(context, "cube.path", "path of the FITS file", path_);
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item("cube.replace");
  if (ImGui::Button("Save as FITS") || field_.entered()) {
    try {
      document.made_of->save(path_, overwrite_);
      save_error_.clear();
      context.state.say("Image written to " + path_);
    } catch (const Error& failure) {
      save_error_ = failure.what();
    }
  }
  context.widgets.item("cube.save");
  complain(save_error_);
}

void CubePanel::draw(Context& context) {
  const Document& document = *context.state.document();
  if (document.made_of) {
    ImGui::TextWrapped("%s", document.name.c_str());
    if (const std::string& told = document.made_of->sources_told; !told.empty())
      ImGui::TextWrapped("Sources: %s", told.c_str());
    if (document.made_of->save) draw_save(context, document);
    return;
  }
  draw_collapse(context, document);
  ImGui::Separator();
  draw_cut(context, document);
  ImGui::Separator();
  draw_maps(context, document);
  if (busy()) ImGui::TextDisabled("Working ...");
  complain(error_);
}

std::unique_ptr<Panel> make_cube_panel() { return std::make_unique<CubePanel>(); }

}  // namespace reber::gui
