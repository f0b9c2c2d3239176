// SPDX-License-Identifier: BSD-3-Clause
// Actions on limits, positions, regions and bookmarks.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "gui/app/actions.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/model/region_copies.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

/// The rule after the layer's present one.
void next_rule(Context& c) {
  const auto& rules = limits_rules();
  const auto now = limits_rule(c.state.render().limits);
  std::size_t next = 0;
  for (std::size_t i = 0; now && i < rules.size(); ++i) {
    if (rules[i] == *now) next = (i + 1) % rules.size();
  }
  set_limits_by(c, rules[next]);
  c.state.say("Limits: " + name_of(rules[next]));
}

void set_mode(Context& c, Mode mode) {
  c.state.mode = c.state.mode == mode ? Mode::browse : mode;
  c.state.overlay_on["regions"] = true;
}

bool has_chosen_region(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && document->inspect.selected >= 0;
}

bool has_place(const ViewerState& state) { return has_pixels(state) && read_place(state).has_value(); }

void add_bookmark(Context& context) {
  Document& document = *context.state.document();
  const Readout place = readout_of(context.state, document, document.view.centre);
  const std::string name = place.position().empty() ? place.pixel : place.position();
  document.bookmarks.push_back({name, document.view});
  document.bookmark_next = 0;
  context.state.say("Bookmark: " + name);
}

void next_bookmark(Context& context) {
  Document& document = *context.state.document();
  const std::size_t at = document.bookmark_next % document.bookmarks.size();
  document.view = document.bookmarks[at].view;
  document.bookmark_next = at + 1;
  context.state.say(
      fmt::format("Bookmark {} of {}: {}", at + 1, document.bookmarks.size(), document.bookmarks[at].name));
}

bool has_bookmarks(const ViewerState& state) {
  return state.document() != nullptr && !state.document()->bookmarks.empty();
}

bool has_regions(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && document->header && !document->inspect.regions.empty();
}

void copy_regions(Context& context) {
  const Document& document = *context.state.document();
  const bool one = document.inspect.selected >= 0;
  context.shell.copy_text(copied_regions(document, context.state.inspect.style.system));
  context.state.say("Copied: " +
                    counted(one ? 1 : static_cast<std::int64_t>(document.inspect.regions.size()), "region"));
}

void paste_from_clipboard(Context& context) {
  Document& document = *context.state.document();
  if (!document.header) return;
  try {
    const auto count = static_cast<std::int64_t>(paste_regions(document, context.shell.paste_text()).regions.size());
    if (count == 0) throw InputError("there are no regions on the clipboard");
    context.state.overlay_on["regions"] = true;
    context.state.say("Pasted: " + counted(count, "region"));
  } catch (const Error& failure) {
    context.state.say(failure.what(), true);
  }
}

void add_rules(std::vector<Action>& rows) {
  for (const LimitsRule& rule : limits_rules()) {
    const std::string name = name_of(rule);
    std::string id = name;
    std::erase_if(id, [](char c) { return c == ' ' || c == '%'; });
    rows.push_back(
        {"limits." + id, name, "Image/Limits", "", "Sets the limits of the colours by this rule.", has_pixels,
         [rule](Context& c) { set_limits_by(c, rule); },
         [rule](const ViewerState& s) { return has_document(s) && limits_rule(s.render().limits) == rule; }});
  }
}

void add_region_actions(std::vector<Action>& rows) {
  rows.insert(rows.end(), {
                              {"region.copy",
                               "Copy regions",
                               "Edit",
                               "Ctrl+c",
                               "The chosen region, or all where none is, as DS9's lines on the clipboard.",
                               has_regions,
                               copy_regions,
                               {}},
                              {"region.paste",
                               "Paste regions",
                               "Edit",
                               "Ctrl+v",
                               "Regions of DS9's or CASA's lines on the clipboard, at their place of the sky.",
                               has_document,
                               paste_from_clipboard,
                               {}},
                              {"region.delete",
                               "Delete the region",
                               "Edit",
                               "Delete",
                               "Takes the chosen region away.",
                               has_chosen_region,
                               [](Context& c) { c.state.document()->inspect.delete_selected(); },
                               {}},
                          });
}

}  // namespace

std::vector<Action> inspect_actions() {
  std::vector<Action> rows{
      {"image.auto_limits",
       "Automatic limits",
       "Image/Limits",
       "a",
       "The layer's own rule: by median and robust sigma, background and noise from minimum to maximum.",
       has_pixels,
       [](Context& c) { set_limits_by(c, usual_rule(c.state.adjusted().shown, c.state.adjusted().layer().sample)); },
       {}},
      {"image.next_limits",
       "Next rule for limits",
       "Image/Limits",
       "Shift+a",
       "Sigma, zscale, percentiles, minimum and maximum in turn.",
       has_pixels,
       next_rule,
       {}},
      {"cursor.copy",
       "Copy the position",
       "Edit",
       "c",
       "The sky position under the cursor goes to the clipboard.",
       has_place,
       copy_place,
       {}},
      {"coordinates.format",
       "Sexagesimal or degrees",
       "View",
       "Shift+c",
       "How positions are written.",
       has_document,
       [](Context& c) { c.state.inspect.style.sexagesimal = !c.state.inspect.style.sexagesimal; },
       {}},
      {"mode.region", "Draw regions", "Image", "r", "Dragging on the image makes a region.", has_pixels,
       [](Context& c) { set_mode(c, Mode::region); }, [](const ViewerState& s) { return s.mode == Mode::region; }},
      {"mode.profile", "Draw a profile", "Image", "Shift+p", "Dragging on the image draws the line of a profile.",
       has_pixels,
       [](Context& c) {
         set_mode(c, Mode::profile);
         if (c.state.mode == Mode::profile) set_open(c.state, "profiles", true);
       },
       [](const ViewerState& s) { return s.mode == Mode::profile; }},
  };
  add_region_actions(rows);
  add_rules(rows);
  return rows;
}

std::vector<Action> bookmark_actions() {
  return {
      {"bookmark.add",
       "Bookmark this view",
       "View",
       "m",
       "Remembers the place and the zoom.",
       has_pixels,
       add_bookmark,
       {}},
      {"bookmark.next",
       "Next bookmark",
       "View",
       "'",
       "Goes to the bookmarks in turn.",
       has_bookmarks,
       next_bookmark,
       {}},
  };
}

}  // namespace reber::gui
