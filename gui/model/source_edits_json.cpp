// SPDX-License-Identifier: BSD-3-Clause
// Marks of rows into a session and back.
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

}  // namespace reber::gui
