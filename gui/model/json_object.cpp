// SPDX-License-Identifier: BSD-3-Clause
// Reading members with their place in the messages.
#include "gui/model/json_object.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::gui {
namespace {

const Json& nothing() {
  static const Json empty = Json::object();
  return empty;
}

}  // namespace

JsonObject::JsonObject(const Json& json, std::string file, std::string where)
    : json_(&json), file_(std::move(file)), where_(std::move(where)) {
  if (!json.is_object()) fail("", "an object {...} was expected", json);
}

void JsonObject::fail(const std::string& name, const std::string& expected, const Json& found) const {
  std::string place = where_;
  if (!name.empty()) place += (place.empty() ? "" : ".") + name;
  throw InputError(
      fmt::format("{}: {}: {}, not {}", file_, place.empty() ? "the whole" : place, expected, shown(found)));
}

bool JsonObject::has(const char* name) const { return json_->contains(name); }
const Json& JsonObject::member(const char* name) const { return json_->at(name); }

void JsonObject::read(const char* name, bool& value) const {
  if (!has(name)) return;
  if (!member(name).is_boolean()) fail(name, "true or false was expected", member(name));
  value = member(name).get<bool>();
}

void JsonObject::read(const char* name, std::int64_t& value) const {
  if (!has(name)) return;
  if (!member(name).is_number_integer()) fail(name, "a whole number was expected", member(name));
  value = member(name).get<std::int64_t>();
}

void JsonObject::read(const char* name, int& value) const {
  std::int64_t wide = value;
  read(name, wide);
  if (wide != static_cast<int>(wide)) fail(name, "a smaller number was expected", member(name));
  value = static_cast<int>(wide);
}

void JsonObject::read(const char* name, double& value) const {
  if (!has(name)) return;
  if (member(name).is_null()) {
    value = NAN;
    return;
  }
  if (!member(name).is_number()) fail(name, "a number was expected", member(name));
  value = member(name).get<double>();
}

void JsonObject::read(const char* name, std::string& value) const {
  if (!has(name)) return;
  if (!member(name).is_string()) fail(name, "text in quotes was expected", member(name));
  value = member(name).get<std::string>();
}

void JsonObject::read(const char* name, std::vector<std::string>& value) const {
  if (!has(name)) return;
  if (!member(name).is_array()) fail(name, "a list of texts was expected", member(name));
  value.clear();
  for (const Json& item : member(name)) {
    if (!item.is_string()) fail(name, "a list of texts was expected", item);
    value.push_back(item.get<std::string>());
  }
}

void JsonObject::read(const char* name, std::vector<std::int64_t>& value) const {
  if (!has(name)) return;
  if (!member(name).is_array()) fail(name, "a list of whole numbers was expected", member(name));
  value.clear();
  for (const Json& item : member(name)) {
    if (!item.is_number_integer()) fail(name, "a list of whole numbers was expected", item);
    value.push_back(item.get<std::int64_t>());
  }
}

void JsonObject::read(const char* name, std::vector<double>& value) const {
  if (!has(name)) return;
  if (!member(name).is_array()) fail(name, "a list of numbers was expected", member(name));
  value.clear();
  for (const Json& item : member(name)) {
    if (!item.is_number()) fail(name, "a list of numbers was expected", item);
    value.push_back(item.get<double>());
  }
}

void JsonObject::read(const char* name, std::map<std::string, bool>& value) const {
  const JsonObject object = child(name);
  for (const auto& [key, item] : object.json().items()) object.read(key.c_str(), value[key]);
}

void JsonObject::read(const char* name, std::map<std::string, double>& value) const {
  const JsonObject object = child(name);
  for (const auto& [key, item] : object.json().items()) object.read(key.c_str(), value[key]);
}

JsonObject JsonObject::child(const char* name) const {
  return {has(name) ? member(name) : nothing(), file_, where_.empty() ? name : where_ + "." + name};
}

std::vector<JsonObject> JsonObject::children(const char* name) const {
  std::vector<JsonObject> objects;
  if (!has(name)) return objects;
  if (!member(name).is_array()) fail(name, "a list [...] was expected", member(name));
  const std::string place = where_.empty() ? name : where_ + "." + name;
  for (const Json& item : member(name)) objects.emplace_back(item, file_, fmt::format("{}[{}]", place, objects.size()));
  return objects;
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json read_json_file(const std::string& path) {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  const std::string text = fits::read_text(path, kMostBytes);
  try {
    if (nests_too_deep(text)) throw InputError(fmt::format("{}: it nests too deep", path));
    Json json = Json::parse(text);
    if (!json.is_object()) throw InputError(fmt::format("{}: a JSON object {{...}} was expected", path));
    return json;
  } catch (const Json::parse_error& error) {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i + 1 < error.byte && i < text.size(); ++i) {
      ++column;
      if (text[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    throw InputError(
        fmt::format("{}: no valid JSON from line {}, column {}: the file is damaged or cut short", path, line, column));
  }
}

void write_json_file(const std::string& path, const Json& json) {
  AtomicFile file(path, true);
  file.write(json.dump(2, ' ', false, Json::error_handler_t::replace));
  file.write("\n");
  file.commit();
}

}  // namespace reber::gui
