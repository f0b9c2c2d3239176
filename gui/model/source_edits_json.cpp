// SPDX-License-Identifier: BSD-3-Clause
// Marks of rows and fits by hand into a session and back.
#include "gui/model/source_edits_json.hpp"

#include <cmath>

namespace reber::gui {

Json to_json(const std::vector<RowMark>& marks) {
  Json json = Json::array();
  for (const RowMark& mark : marks) {
    Json entry{{"x", mark.x}, {"y", mark.y}};
    if (mark.negative) entry["negative"] = true;
    if (mark.removed) entry["removed"] = true;
    if (mark.locked) entry["locked"] = true;
    if (!mark.comment.empty()) entry["comment"] = mark.comment;
    json.push_back(std::move(entry));
  }
  return json;
}

std::vector<RowMark> marks_from(const std::vector<JsonObject>& entries) {
  std::vector<RowMark> marks;
  for (const JsonObject& entry : entries) {
    RowMark mark;
    entry.read("x", mark.x);
    entry.read("y", mark.y);
    entry.read("negative", mark.negative);
    entry.read("removed", mark.removed);
    entry.read("locked", mark.locked);
    entry.read("comment", mark.comment);
    if (std::isfinite(mark.x) && std::isfinite(mark.y) && !mark.empty()) marks.push_back(std::move(mark));
  }
  return marks;
}

Json to_json(const std::vector<HandFit>& fits) {
  Json json = Json::array();
  for (const HandFit& fit : fits) {
    Json entry{{"kind", to_string(fit.kind)}};
    for (const HandPlace& place : fit.replaces) entry["replaces"].push_back(Json{{"x", place.x}, {"y", place.y}});
    if (fit.start) entry["start"] = {{"x", fit.start->x}, {"y", fit.start->y}};
    if (fit.kind == Origin::split) entry["parts"] = fit.parts;
    json.push_back(std::move(entry));
  }
  return json;
}

std::vector<HandFit> fits_from(const std::vector<JsonObject>& entries) {
  std::vector<HandFit> fits;
  for (const JsonObject& entry : entries) {
    HandFit fit;
    entry.read("kind", fit.kind);
    const auto place_of = [](const JsonObject& object) {
      HandPlace place{std::nan(""), std::nan("")};
      object.read("x", place.x);
      object.read("y", place.y);
      return place;
    };
    for (const JsonObject& each : entry.children("replaces")) fit.replaces.push_back(place_of(each));
    if (fit.kind == Origin::added || fit.kind == Origin::moved) fit.start = place_of(entry.child("start"));
    entry.read("parts", fit.parts);
    if (can_be(fit)) fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace reber::gui
