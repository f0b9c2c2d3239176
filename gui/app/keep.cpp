// SPDX-License-Identifier: BSD-3-Clause
// Between the viewer's state and its session file.
#include "gui/app/keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "core/base/error.hpp"
#include "core/run/pipeline/stage_key.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_parsers.hpp"
#include "core/sky/regions/region_writers.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/regions/excluded_areas.hpp"
#include "gui/model/request_json.hpp"
#include "gui/model/source_edits_json.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/ui/edit.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

/// Regions as lines of a DS9 file, in pixels of the image, which need no sky.
std::string regions_of(const Document& document) {
  if (document.inspect.regions.empty()) return {};
  return regions_text(document.inspect.regions, Wcs(), RegionFormat::ds9, {}, false);
}

void set_regions(Document& document, const std::string& text) {
  std::vector<Region> regions;
  for (const FileRegion& each : parse_ds9(text).regions) regions.push_back(to_region(each, Wcs()));
  document.inspect.regions = std::move(regions);
  document.inspect.selected = -1;
  ++document.inspect.version;
}

SavedTable capture_table(const Document& document) {
  const SourceView& view = document.sources;
  SavedTable table;
  table.filter = view.filter_text;
  if (view.table.sort_column()) table.sort_column = view.table.catalogue().columns[*view.table.sort_column()].info.name;
  table.descending = view.table.sort_descending();
  table.columns = view.columns;
  table.selected.assign(document.selection.rows.begin(), document.selection.rows.end());
  table.flagged.assign(view.flagged.begin(), view.flagged.end());
  table.edits = view.edits.marks();
  table.hand_fits = view.edits.fits();
  table.marks = view.marks;
  return table;
}

SavedImage capture_image(const Document& document, KnownFiles& files) {
  SavedImage image;
  image.file = files.identity(document.path);
  image.hdu = document.header ? document.header->hdu : document.open.hdu.value_or(-1);
  image.plane = document.header ? document.header->plane : document.open.plane.value_or(-1);
  image.linear = document.cube_view.linear;
  image.view = {kLayerNames[static_cast<std::size_t>(document.shown)], document.view, document.layer().render,
                !document.fit_when_drawn};
  image.told_in = document.told_in;
  image.ran = document.result != nullptr;
  image.extended = document.extended.wanted;
  image.parameters = to_json(document.request);
  image.table = capture_table(document);
  std::istringstream lines(regions_of(document));
  for (std::string line; std::getline(lines, line);) image.regions.push_back(line);
  for (const Bookmark& mark : document.bookmarks) image.bookmarks.emplace_back(mark.name, mark.view);
  return image;
}

void restore_image(Context& context, const SavedImage& image) {
  OpenOptions options;
  if (image.hdu >= 0) options.hdu = image.hdu;
  if (image.plane >= 0) options.plane = image.plane;
  context.shell.open(image.file.path, options);
  Document& document = *context.state.documents.back();
  if (image.linear != LinearPolarisation::off) {
    document.cube_view.linear = image.linear;
    context.shell.show_plane(document, document.open);
  }
  apply_json(JsonObject(image.parameters, image.file.path, "parameters"), document.request);
  document.extended.wanted = image.extended;
  document.told_in = image.told_in;
  document.view = image.view.transform;
  document.fit_when_drawn = !image.view.fitted;
  const LayerKind kind = layer_named(image.view.layer);
  document.layer(kind).render = image.view.render;
  document.layer(kind).limits_set = true;
  SourceView& view = document.sources;
  view.filter_text = image.table.filter;
  if (!image.table.columns.empty()) view.columns = image.table.columns;
  view.edits.set_marks(image.table.edits);
  view.edits.set_fits(image.table.hand_fits);
  view.marks = image.table.marks;
  view.awaited = {image.table.sort_column, image.table.descending, image.table.selected, image.table.flagged};
  document.awaited_layer = kind;
  std::string regions;
  for (const std::string& line : image.regions) regions += line + "\n";
  if (!regions.empty()) set_regions(document, regions);
  for (const auto& [name, transform] : image.bookmarks) document.bookmarks.push_back({name, transform});
  if (image.ran) context.shell.run(document);
}

UndoState undo_state(const Document& document, Workbench& workbench) {
  WrittenRequest& written = workbench.written[document.id];
  UndoState state;
  state.document = document.id;
  if (written.text.empty() || first_changed(written.request, document.request))
    written = {document.request, to_json(document.request).dump(-1, ' ', false, Json::error_handler_t::replace)};
  state.parameters = written.text;
  state.regions = regions_of(document);
  state.told_in = document.told_in;
  state.marks = document.sources.marks;
  for (const auto& catalogue : workbench.catalogues) state.catalogues.emplace_back(catalogue->path, catalogue->marks);
  for (const std::int64_t row : document.sources.flagged) state.flags += fmt::format("{} ", row);
  if (!document.sources.edits.marks().empty()) state.edits = to_json(document.sources.edits.marks()).dump();
  if (!document.sources.edits.fits().empty()) state.fits = to_json(document.sources.edits.fits()).dump();
  for (const Layer& layer : document.layers)
    if (layer.limits_set) state.display.emplace_back(layer.kind, layer.render);
  return state;
}

/// The one before, with what became another by itself. Layers and catalogues came or went: how they are shown first is
/// nobody's change. Catalogues are of all images: their change is a step of the shown one.
UndoState amended(UndoState before, const UndoState& now, bool shown) {
  const auto first = [](const auto& each) { return each.first; };
  if (!std::ranges::equal(before.display, now.display, {}, first, first)) before.display = now.display;
  if (!shown || !std::ranges::equal(before.catalogues, now.catalogues, {}, first, first))
    before.catalogues = now.catalogues;
  return before;
}

/// Which setting of a layer changed.
std::string display_gesture(const UndoState& before, const UndoState& now) {
  for (std::size_t i = 0; i < now.display.size(); ++i) {
    const RenderSettings &a = before.display[i].second, &b = now.display[i].second;
    if (a == b) continue;
    if (a.colour_map != b.colour_map) return "display: colour map";
    if (a.invert != b.invert) return "display: invert";
    if (a.stretch != b.stretch || a.softness != b.softness || a.power != b.power) return "display: stretch";
    if (a.bias != b.bias || a.contrast != b.contrast) return "display: contrast";
    if (a.low != b.low || a.high != b.high || a.limits != b.limits) return "display: limits";
  }
  return "display";
}

/// What was done by hand: "a source added", counted so that each is a step of its own.
std::string fit_between(const UndoState& before, const UndoState& now) {
  const Json was = before.fits.empty() ? Json::array() : Json::parse(before.fits);
  const Json is = now.fits.empty() ? Json::array() : Json::parse(now.fits);
  const std::string kind = is.empty() ? "fits" : is.back().value("kind", "fits");
  return fmt::format("fit by hand {}: {}", std::max(was.size(), is.size()), kind);
}

/// What changed between two states, for the menu: "detect.seed", "flags" ...
std::string gesture_between(const UndoState& before, const UndoState& now) {
  if (before.regions != now.regions) return "regions";
  if (before.flags != now.flags) return "flags";
  if (before.fits != now.fits) return fit_between(before, now);
  if (before.edits != now.edits) return "edits of rows";
  if (before.told_in != now.told_in) return "display: unit";
  if (before.marks != now.marks || before.catalogues != now.catalogues) return "display: marks";
  if (before.parameters == now.parameters) return display_gesture(before, now);
  const Json patch = Json::diff(Json::parse(before.parameters), Json::parse(now.parameters));
  if (patch.empty()) return "parameters";
  std::string path = patch[0].value("path", "/parameters").substr(1);
  std::ranges::replace(path, '/', '.');
  return path;
}

void go_to(Context& context, Document& document, const UndoState& state) {
  const Json json = Json::parse(state.parameters);
  const bool parameters_change =
      to_json(document.request).dump(-1, ' ', false, Json::error_handler_t::replace) != state.parameters;
  apply_json(JsonObject(json, "undo"), document.request);
  if (regions_of(document) != state.regions) set_regions(document, state.regions);
  document.told_in = state.told_in;
  document.sources.marks = state.marks;
  for (const auto& catalogue : context.state.workbench->catalogues)
    for (const auto& [path, marks] : state.catalogues)
      if (path == catalogue->path) catalogue->marks = marks;
  for (const auto& [kind, render] : state.display)
    if (document.layer(kind).limits_set) document.layer(kind).render = render;
  document.sources.flagged.clear();
  std::size_t at = 0;
  while (at < state.flags.size()) {
    const std::size_t end = state.flags.find(' ', at);
    document.sources.flagged.insert(std::stoll(state.flags.substr(at, end - at)));
    at = end + 1;
  }
  Json edits = Json::object();
  if (!state.edits.empty()) edits["edits"] = Json::parse(state.edits);
  if (!state.fits.empty()) edits["hand_fits"] = Json::parse(state.fits);
  document.sources.edits.set_marks(marks_from(JsonObject(edits, "undo").children("edits")));
  document.sources.edits.set_fits(fits_from(JsonObject(edits, "undo").children("hand_fits")));
  place_edits(document);
  if (parameters_change) request_changed(context, document);
}

UndoHistory<UndoState>* history_of(const ViewerState& state) {
  const Document* document = state.document();
  if (document == nullptr) return nullptr;
  const auto found = state.workbench->undo.find(document->id);
  return found == state.workbench->undo.end() ? nullptr : &found->second;
}

/// What is excluded on the image, the finder leaves out.
void leave_out_excluded(Context& context, Document& document) {
  DocumentInspect& d = document.inspect;
  if (d.excluded_seen == d.version) return;
  d.excluded_seen = d.version;
  const Excluding made = follow_excluded(d.regions, document.request, d.excluded);
  if (made == Excluding::changed) request_changed(context, document);
  if (made == Excluding::search_region_in_the_way)
    context.state.say("Not excluded: the panel Pipeline searches in regions of its own; empty that field first", true);
}

}  // namespace

Workspace capture(const Context& context) {
  const ViewerState& state = context.state;
  Workspace session;
  for (const auto& document : state.documents)
    if (!document->in_memory) session.images.push_back(capture_image(*document, state.workbench->files));
  if (const Document* shown = state.document(); shown != nullptr)
    session.shown = state.saved_index(shown->id).value_or(session.shown);
  session.backend = context.shell.backend();
  // Dialogs and floating windows, this session's among them, are not a part of it.
  for (const auto& [row, panel] : context.panels.all()) {
    if (row.place == Place::side || row.place == Place::bottom) session.panels[row.name] = is_open(state, row);
    panel->save(context, session);
  }
  session.overlays = state.overlay_on;
  session.sizes = {{"column", state.sizes.column}, {"strip", state.sizes.strip}};
  return session;
}

void restore(Context& context, const Workspace& session) {
  ViewerState& state = context.state;
  while (!state.documents.empty()) context.shell.close(state.documents.back()->id);
  state.workbench->undo.clear();
  state.workbench->written.clear();
  std::vector<std::string> problems = file_warnings(session);
  if (std::ranges::count(context.shell.backends(), session.backend) > 0) context.shell.use_backend(session.backend);
  for (const SavedImage& image : session.images) {
    try {
      restore_image(context, image);
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  state.active = std::min(session.shown, static_cast<std::int64_t>(state.documents.size()) - 1);
  for (const auto& entry : context.panels.all()) entry.panel->load(context, session, problems);
  for (const auto& [name, open] : session.panels) state.panel_open[name] = open;
  for (const auto& [name, on] : session.overlays) state.overlay_on[name] = on;
  const auto size = [&](const char* name) { return session.sizes.contains(name) ? session.sizes.at(name) : 0; };
  if (!session.sizes.empty()) state.sizes = usable_sizes({size("column"), size("strip")});
  if (problems.empty()) return;
  std::string text = problems.front();
  if (problems.size() > 1) text += fmt::format(" (and {} more)", problems.size() - 1);
  state.say(text, true);
}

bool save_session_as(Context& context, const std::string& path) {
  try {
    save_session(path, capture(context));
  } catch (const Error& error) {
    context.state.say(error.what(), true);
    return false;
  }
  context.state.workbench->session_path = path;
  context.state.say("Session saved to " + path);
  return true;
}

bool open_session(Context& context, const std::string& path) {
  try {
    restore(context, load_session(path));
  } catch (const Error& error) {
    context.state.say(error.what(), true);
    return false;
  }
  context.state.workbench->session_path = path;
  return true;
}

void keep_frame(Context& context) {
  Workbench& workbench = *context.state.workbench;
  for (const auto& document : context.state.documents) {
    if (document->in_memory) continue;
    if (document->awaited_layer && context.shell.show_layer(*document, *document->awaited_layer))
      document->awaited_layer.reset();
    const SourceView& sources = document->sources;
    const bool awaited = sources.awaited.has_value();
    if (document->result && (sources.awaited || !sources.edits.empty() || sources.marks.on()))
      follow_result(*document);  // whatever panels are open
    leave_out_excluded(context, *document);
    const UndoState now = undo_state(*document, workbench);
    UndoHistory<UndoState>& history = workbench.undo.try_emplace(document->id, now).first->second;
    if (history.now() == now) continue;
    if (awaited && !sources.awaited) history.amend(now);  // what a session kept for the rows
    history.amend(amended(history.now(), now, document.get() == context.state.document()));
    if (history.now() == now) continue;
    if (history.record(now, gesture_between(history.now(), now), context.state.now)) context.state.forget_error();
  }
  if (workbench.recovery && workbench.recovery->autosave().due(context.state.now)) keep_copy(context);
}

void keep_copy(Context& context) {
  Workbench& workbench = *context.state.workbench;
  if (!workbench.recovery || context.state.documents.empty()) return;
  try {
    workbench.recovery->autosave().write(capture(context), context.state.now);
  } catch (const Error& error) {
    // A folder that cannot be written must not stop the work; it is told once.
    context.state.say(fmt::format("the session is not kept: {}", error.what()), true);
    workbench.recovery.reset();
  }
}

void undo(Context& context) {
  UndoHistory<UndoState>* history = history_of(context.state);
  if (history == nullptr || !history->can_undo()) return;
  const std::string name = history->undo_name();
  go_to(context, *context.state.document(), history->undo());
  context.state.say("Undone: " + name);
}

void redo(Context& context) {
  UndoHistory<UndoState>* history = history_of(context.state);
  if (history == nullptr || !history->can_redo()) return;
  const std::string name = history->redo_name();
  go_to(context, *context.state.document(), history->redo());
  context.state.say("Done again: " + name);
}

std::string undo_title(const ViewerState& state) {
  const auto* history = history_of(state);
  return history == nullptr ? "" : history->undo_name();
}
std::string redo_title(const ViewerState& state) {
  const auto* history = history_of(state);
  return history == nullptr ? "" : history->redo_name();
}

}  // namespace reber::gui
