// SPDX-License-Identifier: BSD-3-Clause
// JSON, VOTable and text of a quality report.
#include "core/studies/quality/documents.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/printable.hpp"
#include "core/studies/quality/markup.hpp"
#include "core/studies/quality/words.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Interval& interval) { return {number(interval.low), number(interval.high)}; }

Json json_of(const Spread& spread) {
  return {{"count", spread.count},
          {"median", number(spread.median)},
          {"e_median", number(spread.e_median)},
          {"scatter", number(spread.scatter)}};
}

Json json_of(const Metric& metric, const Quality& quality) {
  Json json{{"name", metric.row->name},
            {"title", metric.row->title},
            {"of", metric.of},
            {"value", number(metric.value)},
            {"error", metric.error > 0 ? Json(metric.error) : Json(nullptr)},
            {"unit", unit_of(metric, quality)},
            {"status", word_of(metric.status)},
            {"because_of", metric.because_of},
            {"reason", metric.reason},
            {"description", metric.row->text}};
  if (const auto level = quality.used.of.find(metric.row->name); level != quality.used.of.end())
    json["level"] = {{"pass", json_of(level->second.pass)}, {"uncertain", json_of(level->second.uncertain)}};
  return json;
}

Json json_of(const FieldNumbers& field) {
  Json json{{"pixels", field.pixels},
            {"blank", field.blank},
            {"blank_corners", field.corners},
            {"with_snr", field.known},
            {"rms_5", number(field.rms_low)},
            {"rms_50", number(field.rms_median)},
            {"rms_95", number(field.rms_high)},
            {"snr_50", number(field.snr_median)},
            {"snr_15.87", number(field.snr_low)}};
  for (const double one : field.quadrants) json["rms_quadrants"].push_back(number(one));
  Json& histogram = json["snr_histogram"];
  histogram = {{"low", SnrHistogram::kLow},
               {"width", SnrHistogram::kWidth},
               {"counts", field.histogram.counts},
               {"below", field.histogram.below},
               {"above", field.histogram.above}};
  return json;
}

Json json_of(const Comparison& one) {
  const MatchSummary& summary = one.summary;
  if (!one.failure.empty()) return {{"catalogue", one.path}, {"name", one.name}, {"failure", one.failure}};
  return {{"catalogue", one.path},
          {"name", one.name},
          {"columns", one.columns},
          {"rows", summary.rows_b},
          {"radius_arcsec", one.radius.deg * 3600},
          {"radius_reason", one.radius.reason},
          {"pairs", summary.pairs.size()},
          {"expected_false", summary.expected_false},
          {"shift_lon_arcsec", one.shift_lon},
          {"shift_lat_arcsec", one.shift_lat},
          {"d_lon_arcsec", one.d_lon},
          {"d_lat_arcsec", one.d_lat},
          {"scatter_lon_arcsec", number(summary.d_lon.scatter)},
          {"scatter_lat_arcsec", number(summary.d_lat.scatter)},
          {"flux_factor", one.flux_factor},
          {"flux_note", one.flux_note},
          {"flux_ratio", json_of(one.flux)}};
}

Json json_of(const SourceCounts& counts) {
  if (!counts.none.empty()) return {{"none", counts.none}};
  Json json{
      {"slope", counts.slope}, {"area_sr", counts.area_sr}, {"chi2", number(counts.chi2)}, {"bins", Json::array()}};
  for (const CountBin& bin : counts.bins)
    json["bins"].push_back({{"low_jy", bin.low},
                            {"high_jy", bin.high},
                            {"found", bin.found},
                            {"negative", bin.negative},
                            {"factor", bin.factor},
                            {"number", bin.number},
                            {"e_number", bin.e_number},
                            {"raw_euclidean", bin.raw},
                            {"euclidean", bin.euclidean},
                            {"e_euclidean", bin.e_euclidean}});
  return json;
}

Json json_of(const SourceCard& card) {
  Json account = Json::array();
  for (const AccountPart& part : card.account) account.push_back({{"title", part.title}, {"lines", part.lines}});
  return {{"source", card.title},  {"doubtful", card.doubtful},       {"lines", card.lines},
          {"doubts", card.doubts}, {"residual_sigma", card.residual}, {"account", account}};
}

Json json_of(const std::vector<HistoryStep>& steps) {
  Json json = Json::array();
  for (const HistoryStep& step : steps) json.push_back({{"step", step.title}, {"lines", step.lines}});
  return json;
}

}  // namespace

std::string to_json(const Quality& quality) {
  Json json{{"input", quality.input},
            {"program", quality.program},
            {"levels", quality.used.name},
            {"errors", quality.used.errors},
            {"verdict", verdict_of(quality)}};
  for (const auto& [name, value] : quality.facts) json["image"][name] = value;
  json["warnings"] = quality.warnings;
  json["metrics"] = Json::array();
  for (const Metric& metric : quality.metrics) json["metrics"].push_back(json_of(metric, quality));
  json["field"] = json_of(quality.field);
  json["wave"] = {{"strength", number(quality.wave.strength)},
                  {"amplitude_sigma", number(quality.wave.amplitude)},
                  {"wavelength_px", number(quality.wave.wavelength_px)},
                  {"angle_deg", number(quality.wave.angle_deg)}};
  json["completeness"] = quality.completeness ? Json::parse(to_json(*quality.completeness)) : Json(nullptr);
  json["counts"] = json_of(quality.counts);
  json["against"] = Json::array();
  for (const Comparison& one : quality.against) json["against"].push_back(json_of(one));
  json["sources"] = Json::array();
  for (const SourceCard& card : quality.cards) json["sources"].push_back(json_of(card));
  json["history"] = json_of(quality.made);
  json["search"] = json_of(quality.searched);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string casda_document(const Quality& quality) {
  Markup xml;
  xml.open("VOTABLE", {{"version", "1.3"}, {"xmlns", "http://www.ivoa.net/xml/VOTable/v1.3"}});
  xml.open("RESOURCE").open("TABLE", {{"name", "validation_metrics"}});
  xml.leaf("DESCRIPTION", "Validation metrics of " + std::filesystem::path(quality.input).filename().string() + " by " +
                              quality.program + ", levels: " + quality.used.name);
  const auto parameter = [&](const char* name, const std::string& value) {
    xml.empty(
        "PARAM",
        {{"name", name}, {"datatype", "char"}, {"arraysize", "*"}, {"value", value.empty() ? "not stated" : value}});
  };
  parameter("image", std::filesystem::path(quality.input).filename().string());
  parameter("object", quality.object);
  const auto field = [&](const char* name, const char* type, const char* ucd, const char* text) {
    const bool chars = std::string_view(type) == "char";
    if (chars)
      xml.open("FIELD", {{"name", name}, {"datatype", type}, {"arraysize", "*"}, {"ucd", ucd}});
    else
      xml.open("FIELD", {{"name", name}, {"datatype", type}, {"ucd", ucd}});
    xml.leaf("DESCRIPTION", text).close();
  };
  field("metric_name", "char", "meta.id;meta.main", "Name of the metric");
  field("metric_value", "double", "meta.number", "Value in the unit of metric_unit");
  field("metric_status", "int", "meta.code.qual", "1 good, 2 uncertain, 3 bad");
  field("metric_description", "char", "meta.note", "What the metric is");
  field("metric_unit", "char", "meta.note", "Unit of the value");
  field("metric_source", "char", "meta.note", "Catalogue that the image is held against");
  xml.open("DATA").open("TABLEDATA");
  for (const Metric& metric : quality.metrics) {
    using Status = Metric::Status;
    if (metric.status == Status::told || metric.status == Status::unmeasured) continue;
    xml.open("TR");
    xml.leaf("TD", std::string(metric.row->title) + (metric.of.empty() ? "" : " (image, " + metric.of + ")"));
    xml.leaf("TD", fmt::format("{}", metric.value));
    xml.leaf("TD", metric.status == Status::pass ? "1" : metric.status == Status::uncertain ? "2" : "3");
    xml.leaf("TD", std::string(metric.row->text)).leaf("TD", unit_of(metric, quality)).leaf("TD", metric.of);
    xml.close();
  }
  xml.close().close().close().close().close();
  return xml.finished(R"(<?xml version="1.0" encoding="UTF-8"?>)");
}

std::string to_text(const Quality& quality) {
  std::string text = fmt::format("  {}\n\n", verdict_of(quality));
  std::string of;
  for (const Metric& metric : quality.metrics) {
    if (metric.of != of) text += fmt::format("  against {}\n", printable(metric.of));
    of = metric.of;
    if (metric.status == Metric::Status::unmeasured) continue;
    const std::string why = !metric.because_of.empty() ? "from: " + metric.because_of
                            : metric.flagged()         ? level_words(metric, quality)
                                                       : "";
    std::string line = fmt::format("  {:<21} {:>23}  {:<9} {}", metric.row->title, value_words(metric, quality),
                                   metric.status == Metric::Status::told ? "" : word_of(metric.status), why);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  std::string reason;
  for (const Metric& metric : quality.metrics) {
    if (metric.status != Metric::Status::unmeasured) continue;
    text += metric.reason == reason
                ? ", "
                : fmt::format("{}  not measured, {}: ", reason.empty() ? "" : "\n", printable(metric.reason));
    text += metric.row->title;
    reason = metric.reason;
  }
  if (!reason.empty()) text += "\n";
  return text;
}

}  // namespace reber
