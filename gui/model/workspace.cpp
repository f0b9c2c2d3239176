// SPDX-License-Identifier: BSD-3-Clause
// The session file, in both directions.
#include "gui/model/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "gui/model/image/told_unit.hpp"
#include "gui/model/mark_look_json.hpp"
#include "gui/model/source_edits_json.hpp"

namespace reber::gui {
namespace {

/// Grows when older programs could not make sense of a file any more.
constexpr std::int64_t kVersion = 1;
constexpr const char* kFormat = "reber session";

Json to_json(const FileIdentity& file) {
  return {{"path", file.path}, {"size", file.size}, {"mtime_ns", file.mtime_ns}, {"hash", file.hash}};
}

FileIdentity identity_from(const JsonObject& object) {
  FileIdentity file;
  object.read("path", file.path);
  object.read("size", file.size);
  object.read("mtime_ns", file.mtime_ns);
  object.read("hash", file.hash);
  if (file.path.empty()) object.fail("path", "the path of a file was expected", Json(""));
  return file;
}

std::string stretch_name(Stretch stretch) { return kStretchNames[static_cast<std::size_t>(stretch)]; }

Json to_json(const RenderSettings& render) {
  return {{"low", json_number(render.low)},
          {"high", json_number(render.high)},
          {"limits", render.limits},
          {"stretch", stretch_name(render.stretch)},
          {"softness", json_number(render.softness)},
          {"power", json_number(render.power)},
          {"colour_map", render.colour_map},
          {"invert", render.invert},
          {"bias", json_number(render.bias)},
          {"contrast", json_number(render.contrast)},
          {"blank", {render.blank.red, render.blank.green, render.blank.blue, render.blank.alpha}},
          {"reduction", kReductionNames[static_cast<std::size_t>(render.reduction)]},
          {"categorical", render.categorical}};
}

/// Words of an enum that counts from 0 in their order.
template <class Enum, class Names>
std::vector<std::pair<const char*, Enum>> numbered(const Names& names) {
  std::vector<std::pair<const char*, Enum>> words;
  for (const auto& name : names) words.emplace_back(name, static_cast<Enum>(words.size()));
  return words;
}

RenderSettings render_from(const JsonObject& object) {
  RenderSettings render;
  object.read("low", render.low);
  object.read("high", render.high);
  object.read("limits", render.limits);
  object.read<Stretch>("stretch", render.stretch, numbered<Stretch>(kStretchNames));
  object.read("softness", render.softness);
  object.read("power", render.power);
  object.read("colour_map", render.colour_map);
  object.read("invert", render.invert);
  object.read("bias", render.bias);
  object.read("contrast", render.contrast);
  std::vector<double> blank;
  object.read("blank", blank);
  if (blank.size() == 4)
    render.blank = {static_cast<float>(blank[0]), static_cast<float>(blank[1]), static_cast<float>(blank[2]),
                    static_cast<float>(blank[3])};
  object.read<Reduction>("reduction", render.reduction, numbered<Reduction>(kReductionNames));
  object.read("categorical", render.categorical);
  return render;
}

Json to_json(const ViewTransform& transform) {
  return {{"centre_x", json_number(transform.centre.x)},
          {"centre_y", json_number(transform.centre.y)},
          {"zoom", json_number(transform.zoom)},
          {"flip_x", transform.flip_x},
          {"flip_y", transform.flip_y},
          {"rotation_deg", json_number(transform.rotation_deg)}};
}

/// Empty where it is no view that the canvas can have.
std::optional<ViewTransform> transform_from(const JsonObject& object) {
  ViewTransform transform;
  object.read("centre_x", transform.centre.x);
  object.read("centre_y", transform.centre.y);
  object.read("zoom", transform.zoom);
  object.read("flip_x", transform.flip_x);
  object.read("flip_y", transform.flip_y);
  object.read("rotation_deg", transform.rotation_deg);
  if (!(transform.zoom >= kLeastZoom && transform.zoom <= kMostZoom) || !std::isfinite(transform.centre.x) ||
      !std::isfinite(transform.centre.y) || !std::isfinite(transform.rotation_deg))
    return std::nullopt;
  return transform;
}

Json to_json(const SavedView& view) {
  Json json = to_json(view.transform);
  json["layer"] = view.layer;
  json["fitted"] = view.fitted;
  json["render"] = to_json(view.render);
  return json;
}

SavedView view_from(const JsonObject& object) {
  SavedView view;
  object.read("layer", view.layer);
  object.read("fitted", view.fitted);
  const auto transform = transform_from(object);
  view.transform = transform.value_or(ViewTransform());
  view.fitted = view.fitted && transform.has_value();
  view.render = render_from(object.child("render"));
  return view;
}

constexpr std::array<std::pair<const char*, ContourLevels::Rule>, 2> kContourRules = {
    {{"sigma", ContourLevels::Rule::sigma}, {"percentile", ContourLevels::Rule::percentile}}};

Json to_json(const ContourLevels& levels) {
  return {{"rule", word_of<ContourLevels::Rule>(levels.rule, kContourRules)},
          {"first", json_number(levels.first)},
          {"factor", json_number(levels.factor)},
          {"count", levels.count},
          {"negative", levels.negative},
          {"percents", levels.percents},
          {"smooth_px", json_number(levels.smooth_px)}};
}

ContourLevels contours_from(const JsonObject& object) {
  ContourLevels levels;
  object.read<ContourLevels::Rule>("rule", levels.rule, kContourRules);
  object.read("first", levels.first);
  object.read("factor", levels.factor);
  object.read("count", levels.count);
  object.read("negative", levels.negative);
  object.read("percents", levels.percents);
  object.read("smooth_px", levels.smooth_px);
  const ContourLevels normal;
  if (!(levels.first > 0)) levels.first = normal.first;
  if (!(levels.factor > 1)) levels.factor = normal.factor;
  levels.count = std::clamp(levels.count, 1, 12);
  if (!(levels.smooth_px >= 0 && levels.smooth_px <= 20)) levels.smooth_px = 0;
  std::erase_if(levels.percents, [](double p) { return !(p > 0 && p < 100); });
  return levels;
}

Json to_json(const SavedTable& table) {
  Json made{{"filter", table.filter},         {"sort_column", table.sort_column},
            {"descending", table.descending}, {"columns", table.columns},
            {"selected", table.selected},     {"flagged", table.flagged},
            {"edits", to_json(table.edits)},  {"hand_fits", gui::to_json(table.hand_fits)}};
  if (table.marks.on()) made["marks"] = gui::to_json(table.marks);
  return made;
}

SavedTable table_from(const JsonObject& object) {
  SavedTable table;
  object.read("filter", table.filter);
  object.read("sort_column", table.sort_column);
  object.read("descending", table.descending);
  object.read("columns", table.columns);
  object.read("selected", table.selected);
  object.read("flagged", table.flagged);
  table.edits = marks_from(object.children("edits"));
  table.hand_fits = fits_from(object.children("hand_fits"));
  if (object.has("marks")) table.marks = mark_look_from(object.child("marks"));
  return table;
}

}  // namespace

Json to_json(const Workspace& session) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["images"] = Json::array();
  for (const SavedImage& image : session.images) {
    Json entry = to_json(image.file);
    entry["hdu"] = image.hdu;
    entry["plane"] = image.plane;
    if (image.linear != LinearPolarisation::off) entry["polarised"] = to_string(image.linear);
    entry["view"] = to_json(image.view);
    if (!image.told_in.empty()) entry["told_in"] = image.told_in;
    entry["ran"] = image.ran;
    entry["extended"] = image.extended;
    entry["parameters"] = image.parameters;
    entry["table"] = to_json(image.table);
    entry["regions"] = image.regions;
    entry["bookmarks"] = Json::array();
    for (const auto& [name, transform] : image.bookmarks) {
      Json mark = to_json(transform);
      mark["name"] = name;
      entry["bookmarks"].push_back(std::move(mark));
    }
    json["images"].push_back(std::move(entry));
  }
  json["shown"] = session.shown;
  json["catalogues"] = Json::array();
  for (std::size_t i = 0; i < session.catalogues.size(); ++i) {
    Json entry = to_json(session.catalogues[i]);
    if (i < session.catalogue_marks.size() && session.catalogue_marks[i].on())
      entry["marks"] = gui::to_json(session.catalogue_marks[i]);
    json["catalogues"].push_back(std::move(entry));
  }
  json["backend"] = session.backend;
  json["panels"] = session.panels;
  json["overlays"] = session.overlays;
  json["sizes"] = session.sizes;
  json["contours"] = to_json(session.contours);
  json["contours"]["of"] = session.contours_of;
  json["compare"] = {
      {"kind", session.compare.kind}, {"other", session.compare.other}, {"layer", session.compare.layer}};
  json["compare"]["rgb"] = session.compare.rgb;
  if (session.compare.look) json["compare"]["look"] = to_json(*session.compare.look);
  return json;
}

Workspace session_from_json(const Json& json, const std::string& file) {
  const JsonObject object(json, file);
  std::string format;
  std::int64_t version = 0;
  object.read("format", format);
  object.read("version", version);
  if (format != kFormat) object.fail("format", fmt::format("\"{}\" was expected", kFormat), Json(format));
  if (version < 1 || version > kVersion)
    object.fail("version", fmt::format("1 to {} was expected; a later Reber wrote this file", kVersion), Json(version));
  Workspace session;
  for (const JsonObject& entry : object.children("images")) {
    SavedImage image;
    image.file = identity_from(entry);
    entry.read("hdu", image.hdu);
    entry.read("plane", image.plane);
    std::string polarised;
    entry.read("polarised", polarised);
    image.linear = find_word<LinearPolarisation>(polarised).value_or(LinearPolarisation::off);
    image.view = view_from(entry.child("view"));
    entry.read("told_in", image.told_in);
    if (!is_told_unit(image.told_in)) image.told_in.clear();
    entry.read("ran", image.ran);
    entry.read("extended", image.extended);
    image.parameters = entry.child("parameters").json();
    image.table = table_from(entry.child("table"));
    entry.read("regions", image.regions);
    for (const JsonObject& mark : entry.children("bookmarks")) {
      std::string name;
      mark.read("name", name);
      if (const auto transform = transform_from(mark)) image.bookmarks.emplace_back(name, *transform);
    }
    session.images.push_back(std::move(image));
  }
  object.read("shown", session.shown);
  const auto count = static_cast<std::int64_t>(session.images.size());
  session.shown = std::clamp<std::int64_t>(session.shown, 0, std::max<std::int64_t>(0, count - 1));
  for (const JsonObject& entry : object.children("catalogues")) {
    session.catalogues.push_back(identity_from(entry));
    session.catalogue_marks.push_back(entry.has("marks") ? mark_look_from(entry.child("marks")) : MarkLook());
  }
  object.read("backend", session.backend);
  object.read("panels", session.panels);
  object.read("overlays", session.overlays);
  object.read("sizes", session.sizes);
  session.contours = contours_from(object.child("contours"));
  object.child("contours").read("of", session.contours_of);
  const JsonObject compare = object.child("compare");
  compare.read("kind", session.compare.kind);
  compare.read("other", session.compare.other);
  compare.read("layer", session.compare.layer);
  compare.read("rgb", session.compare.rgb);
  if (compare.json().contains("look")) session.compare.look = render_from(compare.child("look"));
  return session;
}

void save_session(const std::string& path, const Workspace& session) { write_json_file(path, to_json(session)); }

Workspace load_session(const std::string& path) { return session_from_json(read_json_file(path), path); }

std::vector<std::string> file_warnings(const Workspace& session) {
  std::vector<std::string> warnings;
  const auto look = [&](const FileIdentity& file, const char* what) {
    const FileState state = compare_with_disk(file);
    if (state == FileState::missing) warnings.push_back(fmt::format("{} {} is not there any more", what, file.path));
    if (state == FileState::changed)
      warnings.push_back(fmt::format("{} {} has changed since the session was saved", what, file.path));
  };
  for (const SavedImage& image : session.images) look(image.file, "image");
  for (const FileIdentity& catalogue : session.catalogues) look(catalogue, "catalogue");
  return warnings;
}

bool Autosave::offer(const Workspace& session, double seconds) { return due(seconds) && write(session, seconds); }

bool Autosave::write(const Workspace& session, double seconds) {
  if (path_.empty()) return false;
  const Json json = to_json(session);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  written_at_ = seconds;
  if (text == written_) return false;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  for (int number = kCopies; number > 1; --number)
    std::filesystem::rename(copy_path(number - 1), copy_path(number), ignored);
  write_json_file(copy_path(1), json);
  written_ = std::move(text);
  return true;
}

std::optional<Workspace> Autosave::newest(std::vector<std::string>& problems) const {
  for (int number = 1; number <= kCopies; ++number) {
    if (!std::filesystem::exists(copy_path(number))) continue;
    try {
      return load_session(copy_path(number));
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

void Autosave::remove() {
  std::error_code ignored;
  for (int number = 1; number <= kCopies; ++number) std::filesystem::remove(copy_path(number), ignored);
}

}  // namespace reber::gui
