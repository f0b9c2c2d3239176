// SPDX-License-Identifier: BSD-3-Clause
// A power spectrum as text, JSON, table and plot.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/printable.hpp"
#include "core/show/picture/panels.hpp"
#include "core/studies/spectrum.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

const char* frequency_unit(const PowerSpectrum& spectrum) { return spectrum.sky ? "1/arcsec" : "1/pixel"; }

std::string power_unit(const PowerSpectrum& spectrum) {
  return spectrum.unit.empty() ? "image unit^2" : fmt::format("({})^2", printable(spectrum.unit));
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string to_text(const PowerSpectrum& spectrum) {
  std::string text = fmt::format("  {} x {} pixels, {:.3g} % blank: these count as background, {:.6g}\n",
                                 spectrum.shape.nx, spectrum.shape.ny, 100 * spectrum.blank, spectrum.background);
  text += fmt::format("  variance {:.6g} {}, rms {:.6g}\n\n", spectrum.variance, power_unit(spectrum),
                      std::sqrt(spectrum.variance));
  const char* const unit = frequency_unit(spectrum);
  text += fmt::format("{:>12} {:>12} {:>12} {:>12} {:>9}\n", spectrum.beam ? "cycles/beam" : unit,
                      spectrum.sky ? "arcsec" : "pixels", "power", "error", "modes");
  for (const SpectrumBin& bin : spectrum.bins)
    text += fmt::format("{:>12.4g} {:>12.4g} {:>12.4g} {:>12} {:>9}\n", bin.frequency * spectrum.beam.value_or(1),
                        1 / bin.frequency, bin.power, std::isfinite(bin.error) ? fmt::format("{:.2g}", bin.error) : "-",
                        bin.modes);
  text +=
      fmt::format("power: mean of an annulus's modes, {}; all modes add up to the variance\n", power_unit(spectrum));
  return text;
}

std::string to_json(const PowerSpectrum& spectrum) {
  Json json{{"input", spectrum.input},
            {"unit", spectrum.unit},
            {"size", {spectrum.shape.nx, spectrum.shape.ny}},
            {"blank", spectrum.blank},
            {"background", spectrum.background},
            {"mean", spectrum.mean},
            {"variance", spectrum.variance},
            {"frequency_unit", frequency_unit(spectrum)},
            {"beam_arcsec", spectrum.beam ? Json(*spectrum.beam) : Json(nullptr)},
            {"annuli", Json::array()}};
  for (const SpectrumBin& bin : spectrum.bins)
    json["annuli"].push_back({{"low", bin.low},
                              {"high", bin.high},
                              {"frequency", bin.frequency},
                              {"cycles_per_beam", spectrum.beam ? Json(bin.frequency * *spectrum.beam) : Json(nullptr)},
                              {"power", bin.power},
                              {"error", number(bin.error)},
                              {"modes", bin.modes}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Catalogue spectrum_table(const PowerSpectrum& spectrum, const std::vector<std::string>& history) {
  Catalogue out;
  out.equinox = out.frequency_hz = std::nan("");
  out.history = history;
  const auto real = [&](const char* name, const std::string& unit, const char* text, auto value) {
    std::vector<double> values;
    for (const SpectrumBin& bin : spectrum.bins) values.push_back(value(bin));
    out.columns.push_back({{name, unit, "", text}, std::move(values)});
  };
  const std::string unit = spectrum.sky ? "arcsec-1" : "pixel-1";
  const std::string power = spectrum.unit.empty() ? "" : "(" + spectrum.unit + ")2";
  using B = SpectrumBin;
  real("Frequency_low", unit, "Lower edge of the annulus", [](const B& b) { return b.low; });
  real("Frequency_high", unit, "Upper edge", [](const B& b) { return b.high; });
  real("Frequency", unit, "Mean of the modes", [](const B& b) { return b.frequency; });
  if (spectrum.beam)
    real("Cycles_per_beam", "", "Frequency times the beam's FWHM, the geometric mean of both axes",
         [&](const B& b) { return b.frequency * *spectrum.beam; });
  real("Power", power, "Mean of the modes", [](const B& b) { return b.power; });
  real("E_Power", power, "Error of the mean", [](const B& b) { return b.error; });
  real("Modes", "", "Modes, each with its conjugate", [](const B& b) { return static_cast<double>(b.modes); });
  return out;
}

void write_spectrum_plot(const std::string& path, const PowerSpectrum& spectrum, bool overwrite) {
  Panel panel;
  panel.title = fmt::format("power of a mode, {}", power_unit(spectrum));
  panel.x_label = spectrum.beam ? "cycles per beam" : fmt::format("frequency, {}", frequency_unit(spectrum));
  panel.y_label = "power";
  panel.log_x = panel.log_y = true;
  if (spectrum.beam) panel.x_lines = {1};
  PanelSeries series;
  series.line = true;
  for (const SpectrumBin& bin : spectrum.bins) {
    series.x.push_back(bin.frequency * spectrum.beam.value_or(1));
    series.y.push_back(bin.power > 0 ? bin.power : std::nan(""));
    const double error = std::isfinite(bin.error) ? bin.error : 0;
    series.low.push_back(bin.power > error ? bin.power - error : bin.power / 10);
    series.high.push_back(bin.power + error);
  }
  panel.series.push_back(std::move(series));
  const std::string name = printable(std::filesystem::path(spectrum.input).filename().string());
  write_panels(path, name + ": power spectrum", {panel}, 1, overwrite);
}

}  // namespace reber
