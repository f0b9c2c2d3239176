// SPDX-License-Identifier: BSD-3-Clause
// Panel: the spectrum of a cube below the pointer, or of the chosen region.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/job_slot.hpp"
#include "gui/panels/spectrum_export.hpp"
#include "gui/panels/spectrum_plot.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

using Cube = std::shared_ptr<const SpectrumCube>;
using Noise = std::shared_ptr<const std::vector<double>>;

/// What a SpectrumCube is opened for: the planes of one spectrum of one file as it was read.
struct CubeKey {
  std::int64_t document = -1;
  std::uint64_t reading = 0;
  std::shared_ptr<const CubeAxes> axes;
  std::int64_t first_plane = 0;
  LinearPolarisation linear = LinearPolarisation::off;
  bool operator==(const CubeKey&) const = default;
};

/// What a spectrum is made of.
struct SpectrumKey {
  Cube cube;
  Noise noise;
  Spectrum::Of of = Spectrum::Of::pixel;
  std::int64_t x = -1, y = -1;  ///< of a pixel
  int region = -1;              ///< of a region, and the version of all
  std::uint64_t version = 0;
  bool operator==(const SpectrumKey&) const = default;
};

class SpectrumPanel final : public Panel {
 public:
  void draw(Context& context) override;
  void update(Context& context) override;
  [[nodiscard]] bool busy() const override {
    return jobs_ && (jobs_->opener.busy() || jobs_->reader.busy() || jobs_->noise.busy());
  }

 private:
  struct Jobs {
    explicit Jobs(const std::function<void()>& wake) : opener(wake), reader(wake), noise(wake) {}
    JobSlot<Cube> opener;
    JobSlot<std::shared_ptr<const Spectrum>> reader;
    JobSlot<Noise> noise;
  };

  void open(Context& context, const Document& document);
  void choose(const Document& document);
  void ask(Context& context, const Document& document);
  void draw_choices(Context& context, Document& document, const Spectrum* spectrum);
  void draw_range(Context& context, Document& document);

  std::unique_ptr<Jobs> jobs_;
  Asked<CubeKey> opened_;
  Asked<SpectrumKey> asked_;
  Cube cube_;
  Noise noise_;
  std::int64_t document_ = -1;  ///< of the cube
  Spectrum::Of of_ = Spectrum::Of::pixel;
  int region_ = -1;  ///< that was chosen when `of_` was last looked at
  SpectralScale scale_ = SpectralScale::velocity;
  PlotView view_;
  SpectrumExport export_;
};

}  // namespace

void SpectrumPanel::update(Context& context) {
  if (!jobs_) return;
  if (auto cube = jobs_->opener.take()) {
    cube_ = std::move(*cube);
    noise_.reset();
    jobs_->noise.start([cube = cube_](const Progress& progress) {
      return std::make_shared<const std::vector<double>>(cube->measure_noise(progress));
    });
  }
  if (auto noise = jobs_->noise.take()) noise_ = std::move(*noise);
  if (auto spectrum = jobs_->reader.take()) {
    if (Document* const document = context.state.find(document_)) document->cube_view.spectrum = std::move(*spectrum);
  }
}

void SpectrumPanel::open(Context& context, const Document& document) {
  if (!jobs_) jobs_ = std::make_unique<Jobs>(context.shell.wake());
  const std::int64_t plane = document.header->plane;
  const std::int64_t first = CubeAxes::moved(document.cube->played(), plane, 0);
  if (!opened_.anew({document.id, document.cube_view.reading, document.cube, first, document.cube_view.linear})) return;
  cube_.reset();
  noise_.reset();
  document_ = document.id;
  view_.fitted = view_.by_hand = false;
  jobs_->noise.cancel();
  jobs_->reader.cancel();
  OpenOptions options = document.open;
  options.hdu = document.header->hdu;
  options.plane.reset();
  jobs_->opener.start([path = document.path, options, axes = document.cube, first,
                       linear = document.cube_view.linear](const Progress& progress) {
    return Cube(std::make_shared<const SpectrumCube>(path, options, axes, first, linear, progress));
  });
}

/// A region that was just chosen is what its user wants the spectrum of.
void SpectrumPanel::choose(const Document& document) {
  const int now = document.inspect.chosen_area() == nullptr ? -1 : document.inspect.selected;
  if (now != region_) of_ = now < 0 ? Spectrum::Of::pixel : of_ == Spectrum::Of::mean ? of_ : Spectrum::Of::sum;
  region_ = now;
}

/// A spectrum that is being read is shown before the next is asked for: while a region is dragged they follow it.
void SpectrumPanel::ask(Context& context, const Document& document) {
  if (!cube_ || !jobs_->reader.free()) return;
  const Region* const region = of_ == Spectrum::Of::pixel ? nullptr : document.inspect.chosen_area();
  SpectrumKey key{cube_, noise_, of_, -1, -1, -1, 0};
  if (region != nullptr) {
    key.region = document.inspect.selected;
    key.version = document.inspect.version;
    if (!asked_.anew(key)) return;
    jobs_->reader.start([key, region = *region](const Progress& progress) {
      Spectrum made = key.cube->of(region, key.of, key.noise ? *key.noise : std::vector<double>(), progress);
      made.what = fmt::format("region {}{}", key.region + 1, key.of == Spectrum::Of::sum ? ", sum" : ", mean");
      return std::make_shared<const Spectrum>(std::move(made));
    });
    return;
  }
  const auto place = read_place(context.state);
  if (!place) return;
  key.of = Spectrum::Of::pixel;
  key.x = std::lround(place->x);
  key.y = std::lround(place->y);
  const Shape shape = document.header->shape;
  if (key.x < 0 || key.y < 0 || key.x >= shape.nx || key.y >= shape.ny || !asked_.anew(key)) return;
  const int base = context.state.inspect.style.one_based ? 1 : 0;
  jobs_->reader.start([key, base](const Progress& progress) {
    Spectrum made = key.cube->at(key.x, key.y, key.noise ? *key.noise : std::vector<double>(), progress);
    made.what = fmt::format("pixel x {}, y {}", key.x + base, key.y + base);
    return std::make_shared<const Spectrum>(std::move(made));
  });
}

void SpectrumPanel::draw_range(Context& context, Document& document) {
  auto& range = document.cube_view.range;
  ImGui::SameLine(0, ImGui::GetFontSize());
  if (!range) {
    ImGui::TextDisabled("drag: a range   click: its plane");
    return;
  }
  ImGui::AlignTextToFramePadding();
  ImGui::Text("range: channels %d to %d", static_cast<int>(range->first) + 1, static_cast<int>(range->second) + 1);
  context.widgets.item("spectrum.range");
  ImGui::SameLine();
  if (ImGui::SmallButton("x")) range.reset();
  context.widgets.item("spectrum.range.none");
}

void SpectrumPanel::draw_choices(Context& context, Document& document, const Spectrum* spectrum) {
  const bool region = document.inspect.chosen_area() != nullptr;
  const auto button = [&](const char* text, const char* name, Spectrum::Of of) {
    ImGui::BeginDisabled(of != Spectrum::Of::pixel && !region);
    if (ImGui::RadioButton(text, of_ == of)) of_ = of;
    ImGui::EndDisabled();
    context.widgets.item(name);
    ImGui::SameLine();
  };
  button("pixel", "spectrum.of.pixel", Spectrum::Of::pixel);
  button("region sum", "spectrum.of.sum", Spectrum::Of::sum);
  tip("Flux density of the chosen region: its sum over the beam's area");
  button("mean", "spectrum.of.mean", Spectrum::Of::mean);
  ImGui::SetNextItemWidth(7 * ImGui::GetFontSize());
  constexpr std::array kScales{"velocity", "frequency", "channel"};
  int scale = static_cast<int>(scale_);
  if (ImGui::Combo("##scale", &scale, kScales.data(), static_cast<int>(kScales.size()))) {
    scale_ = static_cast<SpectralScale>(scale);
    view_.fitted = view_.by_hand = false;
  }
  context.widgets.item("spectrum.scale");
  tip(document.cube->convention());
  ImGui::SameLine();
  if (spectrum != nullptr) {
    export_.draw(context, document, *spectrum, *cube_, spectral_ticks(*cube_, scale_));
    draw_range(context, document);
    ImGui::SameLine(0, ImGui::GetFontSize());
    ImGui::TextDisabled("%s", spectrum->what.c_str());
    context.widgets.item("spectrum.what");
  }
}

void SpectrumPanel::draw(Context& context) {
  Document& document = *context.state.document();
  open(context, document);
  choose(document);
  ask(context, document);
  for (const std::string& error : {jobs_->opener.error(), jobs_->reader.error()})
    if (!error.empty()) complain(error);
  const auto spectrum = document.cube_view.spectrum;
  const bool shown = cube_ && spectrum && spectrum->planes == cube_->planes();
  draw_choices(context, document, shown ? spectrum.get() : nullptr);
  if (!shown) {
    ImGui::NewLine();
    ImGui::TextDisabled(cube_ ? "Move over the image, or click to set the crosshair: the spectrum of that pixel."
                              : "Opening the cube ...");
    return;
  }
  if (!spectrum->no_flux.empty()) complain("No flux density: " + spectrum->no_flux + ". The mean has a spectrum.");
  if (const std::string error = jobs_->noise.error(); !error.empty()) tip("No errors: " + error);
  const SpectralTicks ticks = spectral_ticks(*cube_, scale_);
  const std::int64_t plane = document.open.plane.value_or(document.header->plane);
  const std::int64_t now = CubeAxes::place(document.cube->played(), plane);
  const SpectrumTouch touch = draw_spectrum_plot(context.widgets, view_, *spectrum, ticks, now, document.cube_view,
                                                 ImGui::GetContentRegionAvail());
  if (touch.range) document.cube_view.range = touch.range;
  if (!touch.channel) return;
  OpenOptions next = document.open;
  next.hdu = document.header->hdu;
  next.plane = CubeAxes::moved(document.cube->played(), plane, *touch.channel);
  context.state.animate = false;
  context.shell.show_plane(document, next);
}

std::unique_ptr<Panel> make_spectrum_panel() { return std::make_unique<SpectrumPanel>(); }

}  // namespace reber::gui
