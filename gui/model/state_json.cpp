// SPDX-License-Identifier: BSD-3-Clause
// The viewer's state as JSON.
#include "gui/model/state_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/json_text.hpp"
#include "gui/model/cube/cube_images.hpp"
#include "gui/model/cube/spectrum.hpp"
#include "gui/model/image/profiles.hpp"
#include "gui/model/mark_look_json.hpp"
#include "gui/model/request_json.hpp"
#include "gui/model/source_edits_json.hpp"
#include "gui/model/workbench.hpp"

namespace reber::gui {
namespace {

Json of_view(const ViewTransform& view) {
  return {{"x", view.centre.x},    {"y", view.centre.y},    {"zoom", view.zoom},
          {"flip_x", view.flip_x}, {"flip_y", view.flip_y}, {"rotation", view.rotation_deg}};
}

Json of_render(const RenderSettings& render) {
  return {{"low", render.low},
          {"high", render.high},
          {"limits", render.limits},
          {"stretch", kStretchNames[static_cast<std::size_t>(render.stretch)]},
          {"map", render.colour_map},
          {"invert", render.invert},
          {"bias", render.bias},
          {"contrast", render.contrast},
          {"zoomed_out", kReductionNames[static_cast<std::size_t>(render.reduction)]}};
}

/// In what values are told, and how many of it an image's value is; why not in what was chosen.
Json of_unit(const Document& document, const RenderSettings& render) {
  const auto [name, factor] =
      shown_unit(document, document.shown).readable(std::max(std::abs(render.low), std::abs(render.high)));
  const std::string& chosen = document.told_in;
  return {{"chosen", chosen},
          {"name", name},
          {"factor", factor},
          {"refused", chosen.empty() ? "" : why_not_told_in(document, document.shown, chosen)}};
}

/// As in session files, with null for stages that are off.
Json of_request(const Request& request) {
  Json made = to_json(request);
  for (const char* stage : {"convolve", "background", "detect"})
    if (!made.contains(stage)) made[stage] = nullptr;
  return made;
}

Json of_result(const Document& document) {
  if (!document.result) return nullptr;
  const LiveResult& result = *document.result;
  return {{"generation", result.generation},   {"stale", document.result_stale()},
          {"sources", result.standing()},      {"fitted", std::ranges::count(result.sources, true, &Source::fitted)},
          {"islands", result.islands},         {"stages_run", document.stages_run},
          {"backend", result.report.backend},  {"device", result.report.device},
          {"warnings", result.report.warnings}};
}

Json of_extended(const ExtendedView& view) {
  const ExtendedSources* found = view.shown();
  const auto compact =
      found == nullptr ? 0 : std::ranges::count(found->sources, SegmentClass::compact, &ExtendedSource::kind);
  return {{"wanted", view.wanted},
          {"structures", found == nullptr ? 0 : static_cast<std::int64_t>(found->sources.size()) - compact},
          {"compact", compact},
          {"selected", view.selected},
          {"error", view.result.error}};
}

/// How many rows of the table came into it in each way.
Json of_origins(const Document& document) {
  std::map<std::string, int> counts;
  for (const std::uint32_t row : document.sources.table.shown())
    ++counts[std::string(to_string(document.sources.edits.origin(row)))];
  return counts;
}

Json of_document(const Document& document, const RenderSettings& render) {
  Json layers = Json::array();
  for (const Layer& layer : document.layers)
    if (layer.pixels) layers.push_back(kLayerNames[static_cast<std::size_t>(layer.kind)]);
  Json made{{"path", document.path},
            {"title", document.title()},
            {"layer", kLayerNames[static_cast<std::size_t>(document.shown)]},
            {"layers", layers},
            {"view", of_view(document.view)},
            {"render", of_render(render)},
            {"unit", of_unit(document, render)},
            {"request", of_request(document.request)},
            {"result", of_result(document)},
            {"live", document.live},
            {"loading", document.loading},
            {"row_step", document.layer().pixels ? document.layer().pixels->row_step() : 0},
            {"error", document.error},
            {"selected", document.selection.rows},
            {"focus", document.selection.focus},
            {"flagged", document.sources.flagged},
            {"edits", to_json(document.sources.edits.marks())},
            {"hand_fits", to_json(document.sources.edits.fits())},
            {"origins", of_origins(document)},
            {"extended", of_extended(document.extended)},
            {"marks", to_json(document.sources.marks)},
            {"regions", document.inspect.regions.size()},
            {"bookmarks", document.bookmarks.size()},
            {"table",
             {{"shown", document.sources.table.shown().size()},
              {"filter", document.sources.table.filter()},
              {"filter_error", document.sources.table.filter_error()}}}};
  const CubeView& view = document.cube_view;
  if (view.range) made["range"] = {view.range->first, view.range->second};
  if (view.spectrum)
    made["spectrum"] = {{"of", view.spectrum->what},
                        {"pixels", view.spectrum->pixels},
                        {"seconds", view.spectrum->seconds},
                        {"value", view.spectrum->value},
                        {"error", view.spectrum->error}};
  if (const auto& line = document.inspect.line; line && document.layer().pixels) {
    const ProfileSpread spread = spread_of(line_profile(*document.layer().pixels, line->first, line->second), 10);
    made["line"] = {{"values", spread.values}, {"mean", spread.mean}, {"median", spread.median},
                    {"sigma", spread.sigma},   {"low", spread.low},   {"high", spread.high},
                    {"counts", spread.counts}};
  }
  if (document.made_of) {
    Json cells = Json::array();
    for (const MadeOfCube::Cell& cell : document.made_of->cells)
      cells.push_back({{"plane", cell.plane}, {"text", cell.text}, {"sources", cell.sources.size()}});
    made["made"] = {
        {"seconds", document.made_of->seconds}, {"cells", cells}, {"sources", document.made_of->sources_told}};
  }
  if (document.header) {
    made["shape"] = {document.header->shape.ny, document.header->shape.nx};
    made["hdu"] = document.header->hdu;
    made["plane"] = document.header->plane;
    made["planes"] = document.header->planes;
    if (document.cube) {
      made["coordinate"] = document.cube->coordinate_text(document.header->plane);
      const bool linear = document.cube_view.linear != LinearPolarisation::off;
      made["stokes"] = linear ? "P" : document.cube->stokes(document.header->plane);
      made["polarised"] = to_string(document.cube_view.linear);
    }
  }
  return made;
}

/// What the panels of matching and proof hold.
Json of_workbench(const ViewerState& state) {
  if (!state.workbench) return nullptr;
  const TourWork& tour = state.workbench->tour;
  Json marks = Json::array();
  for (const auto& catalogue : state.workbench->catalogues) marks.push_back(to_json(catalogue->marks));
  Json made{{"catalogues", state.workbench->catalogues.size()},
            {"marks", marks},
            {"match", nullptr},
            {"proof", nullptr},
            {"tour", {{"page", tour.page}, {"pages", tour.pages}, {"resting", tour.resting}}}};
  if (const auto& match = state.workbench->match; match.summary)
    made["match"] = {
        {"pairs", match.summary->pairs.size()}, {"only_a", match.only_a.size()}, {"only_b", match.only_b.size()}};
  if (const auto& proof = state.workbench->proof.proof)
    made["proof"] = {{"passed", proof->passed()},
                     {"verdict", proof->verdict()},
                     {"checks", proof->verification.checks.size()},
                     {"matched", proof->sources.matched}};
  return made;
}

constexpr std::array<const char*, 5> kModes{"browse", "region", "profile", "add", "move"};

}  // namespace

std::string state_json(const ViewerState& state) {
  Json documents = Json::array();
  for (const auto& document : state.documents)
    documents.push_back(of_document(*document, document.get() == state.document() && state.combining()
                                                   ? state.render()
                                                   : document->layer().render));
  Json cursor{{"on_image", state.cursor.on_image},
              {"x", state.cursor.at.x},
              {"y", state.cursor.at.y},
              {"frozen", state.cursor.frozen},
              {"crosshair", nullptr}};
  if (state.cursor.crosshair) cursor["crosshair"] = {state.cursor.crosshair->x, state.cursor.crosshair->y};
  const Json all{
      {"active", state.active},
      {"mode", kModes[static_cast<std::size_t>(state.mode)]},
      {"compare", word_of<Compare::Kind>(state.compare.kind, kCompareWords)},
      {"rgb",
       {state.saved_index(state.compare.rgb[0]).value_or(-1), state.saved_index(state.compare.rgb[1]).value_or(-1),
        state.saved_index(state.compare.rgb[2]).value_or(-1)}},
      {"channel", kChannelNames.at(static_cast<std::size_t>(state.compare.channel))},
      {"compare_shown", state.compare.other_shown ? "other" : "first"},
      {"cursor", cursor},
      {"panels", state.panel_open},
      {"overlays", state.overlay_on},
      {"hidden", state.hide_interface},
      {"light", state.light_theme},
      {"sizes", {{"column", state.sizes.column}, {"strip", state.sizes.strip}}},
      {"contours",
       {{"percentile", state.inspect.contours.rule == ContourLevels::Rule::percentile},
        {"first", state.inspect.contours.first},
        {"percents", state.inspect.contours.percents},
        {"smooth_px", state.inspect.contours.smooth_px},
        {"of", state.saved_index(state.inspect.contours_of).value_or(-1)}}},
      {"scale", state.user_scale},
      {"animate", state.animate},
      {"planes_reached", state.planes_reached},
      {"notice", state.notice.text},
      {"recent", state.recent.size()},
      {"opened_early", state.opened_early},
      {"card_failure", state.card_failure},
      {"export", {{"busy", state.exporting}, {"frames", state.export_frames}}},
      {"bench", of_workbench(state)},
      {"documents", documents}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string json_at(const std::string& document, const std::string& path) {
  Json at = parsed_json<Json>(document);
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '.');) {
    if (name == "length" && at.is_structured() && !(at.is_object() && at.contains(name))) {
      at = Json(at.size());
    } else if (at.is_object() && at.contains(name)) {
      at = Json(at.at(name));
    } else if (at.is_array() && !name.empty() && name.find_first_not_of("0123456789") == std::string::npos &&
               std::stoul(name) < at.size()) {
      at = Json(at.at(std::stoul(name)));
    } else {
      return "";
    }
  }
  return at.is_string() ? at.get<std::string>() : at.dump();
}

}  // namespace reber::gui
