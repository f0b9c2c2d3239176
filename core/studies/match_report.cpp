// SPDX-License-Identifier: BSD-3-Clause
// Words, numbers and pictures of a match.
#include "core/studies/match_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/printable.hpp"
#include "core/show/picture/panels.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kArcsec = 3600;
/// Fewer values than this say nothing of their scatter.
constexpr std::int64_t kFewestForScatter = 4;

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

/// A median, its error and the scatter, with as many digits as the error says.
std::string words(const Spread& spread, const char* unit) {
  if (spread.count == 0) return "not known";
  if (spread.count < kFewestForScatter) return fmt::format("{:+.3g}{} in the median", spread.median, unit);
  const int decimals =
      spread.e_median > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(spread.e_median))), 1, 8) : 3;
  return fmt::format("{:+.{}f} +- {:.{}f}{}, scatter {:.3g}", spread.median, decimals, spread.e_median, decimals, unit,
                     spread.scatter);
}

std::string offset_words(const Spread& offset, const Spread& pull) {
  std::string text = words(offset, " arcsec");
  if (offset.count >= kFewestForScatter && offset.e_median > 0)
    text += fmt::format("; {:.1f} sigma from 0", std::abs(offset.median) / offset.e_median);
  if (pull.count >= kFewestForScatter) text += fmt::format("; scatter {:.2f} of the errors", pull.scatter);
  return text;
}

std::string ratio_words(const Spread& ratio, const Spread& pull) {
  if (ratio.count == 0) return "not known: no pair has one in both lists";
  if (ratio.count < kFewestForScatter) return fmt::format("{:.4f} in the median, of {}", ratio.median, ratio.count);
  std::string text = fmt::format("{:.4f} +- {:.4f}, scatter {:.3f}, of {} pairs", ratio.median, ratio.e_median,
                                 ratio.scatter, ratio.count);
  if (pull.count > 0) text += fmt::format("; differences scatter {:.2f} of the errors", pull.scatter);
  return text;
}

// Fluxes that no noise explains, which a robust scatter does not show.
constexpr double kFarErrors = 5;

std::int64_t far_of(const std::vector<double>& pulls) {
  return std::ranges::count_if(pulls, [](double pull) { return std::abs(pull) > kFarErrors; });
}

std::string far_words(const MatchSummary& summary) {
  std::string text;
  const auto add = [&](const std::vector<double>& pulls, const Spread& spread, const char* what) {
    if (spread.count > 0)
      text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", far_of(pulls), spread.count, what);
  };
  add(summary.values.total_pull, summary.total_pull, "total fluxes");
  add(summary.values.peak_pull, summary.peak_pull, "peaks");
  return text.empty() ? text : fmt::format("{} differ by over {:g} errors", text, kFarErrors);
}

Json json_of(const Spread& spread) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {{"count", spread.count},
          {"median", number(spread.median)},
          {"e_median", number(spread.e_median)},
          {"scatter", number(spread.scatter)}};
}

Json json_of(const MatchInput& input, std::int64_t placed, std::int64_t common) {
  Json used = Json::array();
  for (const UsedColumn& column : input.list.used)
    used.push_back(
        {{"quantity", column.key}, {"column", column.column}, {"unit", column.unit}, {"unit_assumed", column.assumed}});
  return {{"file", input.path},       {"rows", input.list.rows},      {"with_position", placed},
          {"in_common_area", common}, {"frame", input.list.frame},    {"frame_assumed", input.list.frame_assumed},
          {"columns", used},          {"refused", input.list.refused}};
}

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, const std::vector<std::int64_t>& rows) {
  std::vector<Value> out;
  out.reserve(rows.size());
  for (const std::int64_t row : rows) out.push_back(values[static_cast<std::size_t>(row)]);
  return out;
}

void append_rows(Catalogue& to, const Catalogue& from, const std::vector<std::int64_t>& rows, const char* ending) {
  for (const Column& column : from.columns) {
    Column out{column.info, {}};
    out.info.name += ending;
    std::visit([&](const auto& values) { out.values = picked(values, rows); }, column.values);
    to.columns.push_back(std::move(out));
  }
}

std::vector<std::int64_t> rows_of(const MatchSummary& summary, bool of_a) {
  std::vector<std::int64_t> rows;
  for (const MatchPair& pair : summary.pairs) rows.push_back(of_a ? pair.a : pair.b);
  return rows;
}

Column reals(const char* name, const char* unit, const char* ucd, const char* text, std::vector<double> values) {
  return {{name, unit, ucd, text}, std::move(values)};
}

std::string short_name(const std::string& path) { return printable(std::filesystem::path(path).filename().string()); }

/// The quantity that both lists have: total flux, else peak.
struct Fluxes {
  const std::vector<double>* a = nullptr;
  const std::vector<double>* b = nullptr;
  const std::vector<double>* ratio = nullptr;
  const char* name = "";
};
Fluxes fluxes_of(const MatchInput& a, const MatchInput& b, const MatchSummary& summary) {
  if (summary.total_ratio.count > 0 || summary.peak_ratio.count == 0)
    return {&a.list.total, &b.list.total, &summary.values.total_ratio, "total flux"};
  return {&a.list.peak, &b.list.peak, &summary.values.peak_ratio, "peak flux"};
}

Panel offset_panel(const MatchRadius& radius, const MatchSummary& summary) {
  Panel panel;
  panel.title = "offsets, B - A";
  panel.x_label = "in longitude, arcsec";
  panel.y_label = "in latitude, arcsec";
  const double reach = 1.05 * radius.deg * kArcsec;
  panel.x_range = panel.y_range = std::pair(-reach, reach);
  panel.x_lines = panel.y_lines = {0};
  panel.circle = radius.deg * kArcsec;
  panel.series.push_back({"", summary.values.d_lon, summary.values.d_lat, {}, {}, false, true, false});
  panel.series.push_back({"median", {summary.d_lon.median}, {summary.d_lat.median}, {}, {}, false, true, true});
  return panel;
}

Panel flux_panel(const Fluxes& fluxes, const MatchSummary& summary) {
  Panel panel;
  panel.title = fluxes.name;
  panel.x_label = "B, Jy";
  panel.y_label = "A, Jy";
  panel.log_x = panel.log_y = true;
  panel.diagonal = true;
  PanelSeries points;
  points.strong = false;
  for (const MatchPair& pair : summary.pairs) {
    if (fluxes.a->empty() || fluxes.b->empty()) break;
    points.x.push_back((*fluxes.b)[static_cast<std::size_t>(pair.b)]);
    points.y.push_back((*fluxes.a)[static_cast<std::size_t>(pair.a)]);
  }
  panel.series.push_back(std::move(points));
  return panel;
}

/// Medians of the values in steps of a third of a decade in S/N.
PanelSeries medians_along(const std::vector<double>& snr, const std::vector<double>& values) {
  PanelSeries out;
  out.name = "median";
  out.line = true;
  for (double low = 1; low < 1e5; low *= std::cbrt(10)) {
    std::vector<double> within;
    for (std::size_t i = 0; i < snr.size(); ++i)
      if (snr[i] >= low && snr[i] < low * std::cbrt(10)) within.push_back(values[i]);
    const Spread spread = spread_of(std::move(within));
    constexpr std::int64_t kFewest = 5;
    if (spread.count < kFewest) continue;
    out.x.push_back(low * std::pow(10, 1.0 / 6));
    out.y.push_back(spread.median);
    out.low.push_back(spread.median - spread.e_median);
    out.high.push_back(spread.median + spread.e_median);
  }
  return out;
}

}  // namespace

Panel along_snr(const char* title, const char* label, const std::vector<double>& snr, const std::vector<double>& values,
                double reference, std::pair<double, double> range) {
  Panel panel;
  panel.title = title;
  panel.x_label = "S/N";
  panel.y_label = label;
  panel.log_x = true;
  panel.y_lines = {reference};
  panel.y_range = range;
  panel.series.push_back({"", snr, values, {}, {}, false, true, false});
  panel.series.push_back(medians_along(snr, values));
  return panel;
}

std::string to_text(const MatchInput& a, const MatchInput& b, const MatchRadius& radius, const MatchSummary& summary) {
  std::string text;
  const auto head = [&](char letter, const MatchInput& input, std::int64_t placed) {
    text += fmt::format("{}  {}: {} rows", letter, printable(input.path), input.list.rows);
    if (placed != input.list.rows) text += fmt::format(", {} with a position", placed);
    text += fmt::format("\n   {}\n", printable(describe_columns(input.list)));
    if (!input.list.refused.empty()) text += fmt::format("   refused: {}\n", describe_refused(input.list));
  };
  head('A', a, summary.rows_a);
  head('B', b, summary.rows_b);
  const auto count = static_cast<std::int64_t>(summary.pairs.size());
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  line("radius", fmt::format("{:.4g} arcsec: {}", radius.deg * kArcsec, radius.reason));
  line("pairs", fmt::format("{}: {} of A and {} of B in the area of both ({} and {} sources)", count,
                            percent(count, summary.common_a), percent(count, summary.common_b), summary.common_a,
                            summary.common_b));
  line("of them by chance", fmt::format("{:.1f} expected; unrelated lists would make {:.1f} +- {:.1f}",
                                        summary.expected_false, summary.chance, summary.e_chance));
  if (count == 0) return text;
  line("separation", fmt::format("{:.3g} arcsec in the median", summary.separation.median));
  line("longitude B - A", offset_words(summary.d_lon, summary.pull_lon));
  line("latitude B - A", offset_words(summary.d_lat, summary.pull_lat));
  line("total flux A / B", ratio_words(summary.total_ratio, summary.total_pull));
  line("peak flux A / B", ratio_words(summary.peak_ratio, summary.peak_pull));
  if (const std::string far = far_words(summary); !far.empty()) line("far apart", far);
  if (!a.list.flux_scale_known || !b.list.flux_scale_known)
    text += "  fluxes of one list are counts: their ratio's scatter means something, its value does not\n";
  return text;
}

std::string to_json(const MatchInput& a, const MatchInput& b, const MatchRadius& radius, const MatchSummary& summary) {
  Json json;
  json["a"] = json_of(a, summary.rows_a, summary.common_a);
  json["b"] = json_of(b, summary.rows_b, summary.common_b);
  json["radius_arcsec"] = radius.deg * kArcsec;
  json["radius_reason"] = radius.reason;
  json["pairs"] = summary.pairs.size();
  json["chance_pairs"] = summary.chance;
  json["e_chance_pairs"] = summary.e_chance;
  json["expected_false"] = summary.expected_false;
  json["separation_arcsec"] = json_of(summary.separation);
  json["d_lon_arcsec"] = json_of(summary.d_lon);
  json["d_lat_arcsec"] = json_of(summary.d_lat);
  json["pull_lon"] = json_of(summary.pull_lon);
  json["pull_lat"] = json_of(summary.pull_lat);
  json["total_flux_ratio"] = json_of(summary.total_ratio);
  json["total_flux_pull"] = json_of(summary.total_pull);
  json["peak_flux_ratio"] = json_of(summary.peak_ratio);
  json["peak_flux_pull"] = json_of(summary.peak_pull);
  json["total_flux_far"] = far_of(summary.values.total_pull);
  json["peak_flux_far"] = far_of(summary.values.peak_pull);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Catalogue matched_catalogue(const MatchInput& a, const MatchInput& b, const MatchSummary& summary) {
  const std::vector<std::int64_t> rows = rows_of(summary, true);
  Catalogue out;
  out.frame = a.list.frame;
  out.equinox = a.list.system && !a.list.frame_assumed ? a.list.system->year() : a.table.equinox;
  out.frequency_hz = a.table.frequency_hz;
  out.history = {"matched: A " + a.path, "matched: B " + b.path};
  const PairValues& values = summary.values;
  std::vector<double> separation;
  for (const MatchPair& pair : summary.pairs) separation.push_back(pair.separation_deg * kArcsec);
  out.columns.push_back(reals("RA", "deg", "pos.eq.ra;meta.main", "Longitude in A", picked(a.list.lon, rows)));
  out.columns.push_back(reals("DEC", "deg", "pos.eq.dec;meta.main", "Latitude in A", picked(a.list.lat, rows)));
  out.columns.push_back(reals("Separation", "arcsec", "pos.angDistance", "Great-circle distance", separation));
  out.columns.push_back(reals("dRA", "arcsec", "pos.eq.ra;arith.diff", "Longitude, B - A, on the sky", values.d_lon));
  out.columns.push_back(reals("dDEC", "arcsec", "pos.eq.dec;arith.diff", "Latitude, B - A", values.d_lat));
  out.columns.push_back(
      reals("Total_ratio", "", "phot.flux.density;arith.ratio", "Total flux, A / B", values.total_ratio));
  out.columns.push_back(
      reals("Peak_ratio", "", "phot.flux.density;arith.ratio", "Peak flux, A / B", values.peak_ratio));
  append_rows(out, a.table, rows, "_1");
  append_rows(out, b.table, rows_of(summary, false), "_2");
  return out;
}

std::size_t matched_columns(const MatchInput& a, const MatchInput& b) {
  constexpr std::size_t kOfMatch = 7;
  return kOfMatch + a.table.columns.size() + b.table.columns.size();
}

Catalogue unmatched_catalogue(const MatchInput& input, const MatchSummary& summary, bool of_a) {
  std::vector<char> taken(static_cast<std::size_t>(input.list.rows));
  for (const std::int64_t row : rows_of(summary, of_a)) taken[static_cast<std::size_t>(row)] = 1;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < input.list.rows; ++row)
    if (taken[static_cast<std::size_t>(row)] == 0) rows.push_back(row);
  Catalogue out;
  out.frame = input.table.frame;
  out.equinox = input.table.equinox;
  out.frequency_hz = input.table.frequency_hz;
  out.history = {"rows without a match of " + input.path};
  append_rows(out, input.table, rows, "");
  return out;
}

void write_match_plot(const std::string& path, const MatchInput& a, const MatchInput& b, const MatchRadius& radius,
                      const MatchSummary& summary, bool overwrite) {
  const Fluxes fluxes = fluxes_of(a, b, summary);
  const PairValues& values = summary.values;
  std::vector<Panel> panels{offset_panel(radius, summary), flux_panel(fluxes, summary)};
  const Spread ratio = spread_of(*fluxes.ratio);
  const double reach = std::clamp(5 * ratio.scatter, 0.05, 1.0);
  const double middle = std::isfinite(ratio.median) ? ratio.median : 1;
  panels.push_back(along_snr("flux ratio", "A / B", values.snr, *fluxes.ratio, 1,
                             {std::min(1 - 0.1 * reach, middle - reach), std::max(1 + 0.1 * reach, middle + reach)}));
  if (summary.pull_lon.count > 0) {
    Panel pulls = along_snr("offsets over their errors", "sigma", values.snr, values.pull_lon, 0, {-6, 6});
    pulls.series[0].name = "longitude";
    pulls.series[1] = {"latitude", values.snr, values.pull_lat, {}, {}, false, true, false};
    panels.push_back(std::move(pulls));
  }
  write_panels(path,
               fmt::format("A: {}    B: {}    {} pairs", short_name(a.path), short_name(b.path), summary.pairs.size()),
               panels, 2, overwrite);
}

}  // namespace reber
