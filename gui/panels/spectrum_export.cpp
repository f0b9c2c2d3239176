// SPDX-License-Identifier: BSD-3-Clause
// A spectrum into a file: any catalogue format, or a plot as PDF, SVG or PNG.
#include "gui/panels/spectrum_export.hpp"

#include <imgui.h>

#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/show/picture/panels.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {
namespace {

reber::Panel plot_of(const Spectrum& spectrum, const SpectralTicks& ticks) {
  const auto [unit, factor] = readable_unit(spectrum);
  PanelSeries steps, bars;
  steps.line = true;
  steps.points = bars.points = false;
  steps.colour = bars.colour = 0;
  bool errors = false;
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const auto [left, right] = ticks.ends(i);
    const double v = factor * spectrum.value[i], e = factor * spectrum.error[i];
    steps.x.insert(steps.x.end(), {left, right});
    steps.y.insert(steps.y.end(), {v, v});
    bars.x.push_back(ticks.at[i]);
    bars.y.push_back(v);
    bars.low.push_back(v - e);
    bars.high.push_back(v + e);
    errors = errors || std::isfinite(e);
  }
  reber::Panel panel;
  panel.title = spectrum.what;
  panel.x_label = ticks.label;
  panel.y_label = unit;
  if (errors) panel.series.push_back(std::move(bars));
  panel.series.push_back(std::move(steps));
  panel.y_lines = {0};
  return panel;
}

}  // namespace

void SpectrumExport::write(Context& context, const Document& document, const Spectrum& spectrum,
                           const SpectrumCube& cube, const SpectralTicks& ticks) {
  try {
    if (is_picture(path_))
      write_panels(path_, std::filesystem::path(document.path).filename().string(), {plot_of(spectrum, ticks)}, 1,
                   overwrite_);
    else
      write_catalogue(spectrum_table(spectrum, cube, document.path), path_, overwrite_);
    context.state.say("Spectrum written to " + path_);
    ImGui::CloseCurrentPopup();
  } catch (const Error& failure) {
    error_ = failure.what();
  }
}

void SpectrumExport::draw(Context& context, const Document& document, const Spectrum& spectrum,
                          const SpectrumCube& cube, const SpectralTicks& ticks) {
  if (ImGui::Button("Export")) {
    path_ = proposed_path(document.path, "_spectrum.csv");
    error_.clear();
    overwrite_ = false;
    ImGui::OpenPopup("##spectrum export");
  }
  context.widgets.item("spectrum.export");
  const ImVec2 button = ImGui::GetItemRectMin();
  ImGui::SetNextWindowPos(button, ImGuiCond_Always, {0, 1});  // below it the window ends
  if (!ImGui::BeginPopup("##spectrum export")) return;
  ImGui::TextUnformatted("The spectrum that is shown, with its errors.");
  ImGui::Dummy({34 * ImGui::GetFontSize(), 0});
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();  // Enter writes
  field_.draw(context, "spectrum.export.path", "path of the table or the plot", path_);
  const bool entered = field_.entered();
  ImGui::TextDisabled(".csv .fits .vot and other tables; .pdf .svg .png a plot");
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item("spectrum.export.replace");
  const bool wanted = primary_button("Write") || entered;
  context.widgets.item("spectrum.export.write");
  if (wanted) write(context, document, spectrum, cube, ticks);
  if (!error_.empty()) {
    ImGui::PushTextWrapPos(32 * ImGui::GetFontSize());
    complain(error_);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndPopup();
}

}  // namespace reber::gui
