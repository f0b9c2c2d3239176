// SPDX-License-Identifier: BSD-3-Clause
// Completeness as text, JSON, table and plots.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/sky/model/value_words.hpp"
#include "core/studies/completeness.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

double middle(const CompletenessBin& bin) { return std::sqrt(bin.low * bin.high); }

std::string cell(const Fraction& fraction) {
  if (fraction.trials == 0) return fmt::format("{:>18}", "-");
  return fmt::format("{:>5.3f} {:>5.3f}-{:<5.3f} ", fraction.value(), fraction.low(), fraction.high());
}

std::string cell(double value, int width, int decimals) {
  return std::isfinite(value) ? fmt::format("{:>{}.{}f}", value, width, decimals) : fmt::format("{:>{}}", "-", width);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Fraction& fraction) {
  return {{"hits", fraction.hits},
          {"trials", fraction.trials},
          {"value", number(fraction.value())},
          {"low", number(fraction.low())},
          {"high", number(fraction.high())}};
}

Json json_of(const Spread& spread) {
  return {{"count", spread.count},
          {"median", number(spread.median)},
          {"e_median", number(spread.e_median)},
          {"scatter", number(spread.scatter)}};
}

std::string level(const CompletenessResult& result, double snr) {
  if (!std::isfinite(snr)) return "not reached in this range";
  return fmt::format("S/N {:.2f} ({} at the median rms)", snr,
                     words_in_unit(snr * result.median_rms / result.unit.factor, result.unit));
}

constexpr std::int64_t kFewestForScatter = 5;

// Two tables of a narrow page, a row per bin: which sources are found, and how they are measured.
std::string fractions_table(const CompletenessResult& result) {
  std::string text =
      fmt::format("{:>13} {:>6}  {:<18}{:<18}{}\n", "S/N", "number", "found, clear", "found, all", "reliable");
  for (const CompletenessBin& bin : result.bins)
    text += fmt::format("{:>6.3g}-{:<6.3g} {:>6}  {}{}{}\n", bin.low, bin.high, bin.all.trials, cell(bin.clear),
                        cell(bin.all), cell(bin.reliable));
  return text;
}

std::string spreads_table(const CompletenessResult& result) {
  constexpr const char* kRow = "{:>13} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6}\n";
  std::string text = fmt::format(kRow, "", "total", "peak", "offset", "pull", "pull", "pull");
  text += fmt::format(kRow, "S/N", "ratio", "ratio", "arcsec", "total", "x", "y");
  const auto scatter = [](const Spread& spread) {
    return cell(spread.count >= kFewestForScatter ? spread.scatter : std::nan(""), 6, 2);
  };
  for (const CompletenessBin& bin : result.bins)
    text += fmt::format("{:>6.3g}-{:<6.3g} {} {} {} {} {} {}\n", bin.low, bin.high, cell(bin.total_ratio.median, 7, 3),
                        cell(bin.peak_ratio.median, 7, 3), cell(std::hypot(bin.d_lon.scatter, bin.d_lat.scatter), 7, 3),
                        scatter(bin.pull_total), scatter(bin.pull_x), scatter(bin.pull_y));
  return text;
}

/// A line through the bins; add(bin, series) gives a bin's values and limits.
template <class Add>
PanelSeries line_of(const std::string& name, const CompletenessResult& result, const Add& add) {
  PanelSeries out;
  out.name = name;
  out.line = true;
  for (const CompletenessBin& bin : result.bins) {
    out.x.push_back(middle(bin));
    add(bin, out);
  }
  return out;
}

PanelSeries series_of(const std::string& name, const CompletenessResult& result,
                      const Fraction CompletenessBin::*what) {
  return line_of(name, result, [what](const CompletenessBin& bin, PanelSeries& out) {
    const Fraction& fraction = bin.*what;
    out.y.push_back(fraction.value());
    out.low.push_back(fraction.low()), out.high.push_back(fraction.high());
  });
}

PanelSeries medians(const std::string& name, const CompletenessResult& result, const Spread CompletenessBin::*what) {
  return line_of(name, result, [what](const CompletenessBin& bin, PanelSeries& out) {
    const Spread& spread = bin.*what;
    out.y.push_back(spread.median);
    out.low.push_back(spread.median - spread.e_median), out.high.push_back(spread.median + spread.e_median);
  });
}

PanelSeries scatters(const std::string& name, const CompletenessResult& result, const Spread CompletenessBin::*what) {
  return line_of(name, result, [what](const CompletenessBin& bin, PanelSeries& out) {
    const Spread& spread = bin.*what;
    out.y.push_back(spread.count >= kFewestForScatter ? spread.scatter : std::nan(""));
  });
}

}  // namespace

std::string to_text(const CompletenessResult& result) {
  std::string text = fmt::format(
      "  {} sources put into {} in {} rounds; {} of them ({:.1f} %) on sources or islands of it\n", result.injected,
      result.image_text, result.rounds, result.on_sources,
      100.0 * static_cast<double>(result.on_sources) / static_cast<double>(std::max<std::int64_t>(1, result.injected)));
  text += fmt::format("  its own detections: {} positive, {} negative\n", result.positive, result.negative);
  text += "  50 % complete at " + level(result, result.snr_50) + "\n";
  text += "  90 % complete at " + level(result, result.snr_90) + "\n\n";
  text += fractions_table(result) + "\n" + spreads_table(result) + "\n";
  text +=
      "  S/N: injected peak over local rms. Found: part and its 68 % interval; clear: not on a source of the image. "
      "Reliable: 1 - negative / positive detections of the image itself. Ratios: medians, found over injected. Offset: "
      "scatter of found - injected. Pulls: scatter of (found - injected) / error, 1 where the errors are right.\n";
  return text;
}

std::string to_json(const CompletenessResult& result) {
  Json json;
  json["threshold"] = result.threshold;
  json["injected"] = result.injected;
  json["rounds"] = result.rounds;
  json["on_sources"] = result.on_sources;
  json["into"] = result.image_text;
  json["positive_detections"] = result.positive;
  json["negative_detections"] = result.negative;
  json["median_rms_jy_beam"] = result.median_rms;
  json["unit"] = result.unit.name();
  json["snr_50"] = number(result.snr_50);
  json["snr_90"] = number(result.snr_90);
  json["bins"] = Json::array();
  for (const CompletenessBin& bin : result.bins)
    json["bins"].push_back({{"snr_low", bin.low},
                            {"snr_high", bin.high},
                            {"found_clear", json_of(bin.clear)},
                            {"found_all", json_of(bin.all)},
                            {"reliable", json_of(bin.reliable)},
                            {"total_ratio", json_of(bin.total_ratio)},
                            {"peak_ratio", json_of(bin.peak_ratio)},
                            {"d_lon_arcsec", json_of(bin.d_lon)},
                            {"d_lat_arcsec", json_of(bin.d_lat)},
                            {"pull_total", json_of(bin.pull_total)},
                            {"pull_peak", json_of(bin.pull_peak)},
                            {"pull_x", json_of(bin.pull_x)},
                            {"pull_y", json_of(bin.pull_y)}});
  return json.dump(2);
}

Catalogue completeness_table(const CompletenessResult& result, const std::vector<std::string>& history) {
  Catalogue out;
  out.equinox = out.frequency_hz = std::nan("");
  out.history = history;
  const auto real = [&](const char* name, const char* unit, const char* text, auto value) {
    std::vector<double> values;
    for (const CompletenessBin& bin : result.bins) values.push_back(value(bin));
    out.columns.push_back({{name, unit, "", text}, std::move(values)});
  };
  using B = CompletenessBin;
  real("SNR_low", "", "Lower edge, injected peak over local rms", [](const B& b) { return b.low; });
  real("SNR_high", "", "Upper edge", [](const B& b) { return b.high; });
  const std::string unit = result.unit.name();
  real("Flux_low", unit.c_str(), "Lower edge at the median rms", [&](const B& b) { return b.low * result.median_rms; });
  real("Flux_high", unit.c_str(), "Upper edge at the median rms",
       [&](const B& b) { return b.high * result.median_rms; });
  const auto fraction = [&](const std::string& name, const char* text, const Fraction B::*what) {
    real((name + "_n").c_str(), "", "Trials", [&](const B& b) { return static_cast<double>((b.*what).trials); });
    real(name.c_str(), "", text, [&](const B& b) { return (b.*what).value(); });
    real((name + "_lo").c_str(), "", "Wilson interval, 1 sigma", [&](const B& b) { return (b.*what).low(); });
    real((name + "_hi").c_str(), "", "Wilson interval, 1 sigma", [&](const B& b) { return (b.*what).high(); });
  };
  fraction("Completeness", "Found of those injected on no source", &B::clear);
  fraction("Completeness_all", "Found of all injected", &B::all);
  fraction("Reliability", "1 - negative / positive detections", &B::reliable);
  const auto spread = [&](const std::string& name, const char* unit, const char* text, const Spread B::*what) {
    real(name.c_str(), unit, text, [&](const B& b) { return (b.*what).median; });
    real(("E_" + name).c_str(), unit, "Error of the median", [&](const B& b) { return (b.*what).e_median; });
    real((name + "_scatter").c_str(), unit, "1.4826 x median distance from the median",
         [&](const B& b) { return (b.*what).scatter; });
  };
  spread("Total_ratio", "", "Median of found over injected total flux", &B::total_ratio);
  spread("Peak_ratio", "", "Median of found over injected peak", &B::peak_ratio);
  spread("dRA", "arcsec", "Median of found - injected longitude, on the sky", &B::d_lon);
  spread("dDEC", "arcsec", "Median of found - injected latitude", &B::d_lat);
  spread("Pull_total", "", "Median of (found - injected) / error", &B::pull_total);
  spread("Pull_peak", "", "Median of (found - injected) / error", &B::pull_peak);
  spread("Pull_x", "", "Median of (found - injected) / error", &B::pull_x);
  spread("Pull_y", "", "Median of (found - injected) / error", &B::pull_y);
  return out;
}

std::vector<Panel> completeness_panels(const CompletenessResult& result) {
  const auto panel = [&](const char* heading, const char* label) {
    Panel one;
    one.title = heading;
    one.x_label = "S/N";
    one.y_label = label;
    one.log_x = true;
    one.x_range = std::pair(0.95 * result.bins.front().low, 1.05 * result.bins.back().high);
    return one;
  };
  using B = CompletenessBin;
  Panel complete = panel("completeness", "found of injected");
  complete.series = {series_of("on no source", result, &B::clear), series_of("all", result, &B::all)};
  PanelSeries noise;
  noise.name = "noise alone";
  noise.line = true;
  noise.points = false;
  for (double snr = result.bins.front().low; snr <= result.bins.back().high; snr *= 1.03) {
    noise.x.push_back(snr);
    noise.y.push_back(0.5 * std::erfc((result.threshold - snr) / std::numbers::sqrt2));
  }
  complete.series.push_back(std::move(noise));
  complete.y_range = std::pair(0.0, 1.04);
  Panel reliable = panel("reliability, by the S/N found", "1 - negative / positive");
  reliable.series = {series_of("", result, &B::reliable)};
  reliable.y_range = std::pair(0.0, 1.04);
  Panel fluxes = panel("flux, found over injected", "median");
  fluxes.series = {medians("total", result, &B::total_ratio), medians("peak", result, &B::peak_ratio)};
  fluxes.y_lines = {1};
  Panel pulls = panel("pulls: scatter of the difference over the error", "scatter");
  pulls.series = {scatters("total", result, &B::pull_total), scatters("peak", result, &B::pull_peak),
                  scatters("x", result, &B::pull_x), scatters("y", result, &B::pull_y)};
  pulls.y_lines = {1};
  pulls.y_range = std::pair(0.0, 2.0);
  return {complete, reliable, fluxes, pulls};
}

void write_completeness_plot(const std::string& path, const CompletenessResult& result, const std::string& title,
                             bool overwrite) {
  write_panels(path, title, completeness_panels(result), 2, overwrite);
}

}  // namespace reber
