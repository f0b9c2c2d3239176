// SPDX-License-Identifier: BSD-3-Clause
// JSON by the table of parameters: a row's name is its place.
#include "gui/model/request_json.hpp"

#include <algorithm>
#include <cctype>

namespace reber::gui {
namespace {

/// Where a stage that is off has no object.
struct Stage {
  const char* name;
  bool (*on)(const Request&);
  void (*set)(Request&, bool on);
};
constexpr Stage kStages[] = {
    {"convolve", [](const Request& r) { return r.convolve.has_value(); },
     [](Request& r, bool on) {
       r.convolve.reset();
       if (on) r.convolve.emplace().kernel = parse_kernel("gaussian:3");
     }},
    {"background", [](const Request& r) { return r.background.has_value(); },
     [](Request& r, bool on) {
       r.background.reset();
       if (on) r.background.emplace();
     }},
    {"detect", [](const Request& r) { return r.detect.has_value(); },
     [](Request& r, bool on) {
       r.detect.reset();
       if (on) r.detect.emplace();
     }},
};

/// "detect.scales.fwhm" as {"detect", "scales", "fwhm"}.
std::vector<std::string> path_of(std::string_view name) {
  std::vector<std::string> path;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    path.emplace_back(name.substr(at, end - at));
    at = end + 1;
  }
  return path;
}

/// A choice of numbers, which stay numbers.
bool counts(const Parameter& row) {
  return row.access.kind == Access::Kind::choice &&
         std::isdigit(static_cast<unsigned char>(row.access.words[0].word[0])) != 0;
}

Json json_of(const Parameter& row, const Request& request) {
  const ParameterValue value = row.access.get(request);
  if (counts(row)) return std::stoll(std::get<std::string>(value));
  return std::visit([](const auto& held) { return Json(held); }, value);
}

ParameterValue value_of(const Parameter& row, const JsonObject& object, const std::string& key) {
  ParameterValue value = row.access.get(Request{});
  if (counts(row)) {
    std::int64_t number = 0;
    object.read(key.c_str(), number);
    return std::to_string(number);
  }
  std::visit([&](auto& held) { object.read(key.c_str(), held); }, value);
  return value;
}

void read_row(const Parameter& row, const JsonObject& whole, Request& request) {
  const std::vector<std::string> path = path_of(row.name);
  JsonObject object = whole;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) object = object.child(path[i].c_str());
  const std::string& key = path.back();
  if (!object.has(key.c_str())) return;
  const ParameterValue value = value_of(row, object, key);
  if (!is_taken(row, value)) object.fail(key, expected_text(row, value), object.json().at(key));
  set_value(row, request, value, key);
}

/// Words of files written before there was "detect.measure".
void read_old_words(const JsonObject& whole, Request& request) {
  const JsonObject detect = whole.child("detect");
  if (!detect.has("fit") || detect.has("measure")) return;
  bool fit = false;
  detect.read("fit", fit);
  request.fit.method = fit ? FitRequest::Method::gaussian : FitRequest::Method::moments;
}

}  // namespace

Json to_json(const Request& request, std::span<const Parameter> rows) {
  Json json = Json::object();
  if (request.beam)
    json["beam"] = {{"major_deg", request.beam->major_deg},
                    {"minor_deg", request.beam->minor_deg},
                    {"pa_deg", request.beam->pa_deg}};
  for (const Stage& stage : kStages) {
    if (!stage.on(request)) continue;
    for (const Parameter& row : rows) {
      const std::vector<std::string> path = path_of(row.name);
      if (path.front() != stage.name) continue;
      Json* at = &json;
      for (const std::string& key : path) at = &(*at)[key];
      *at = json_of(row, request);
    }
  }
  return json;
}

void apply_json(const JsonObject& object, Request& request, std::span<const Parameter> rows) {
  Request read = request;
  read.beam.reset();
  if (object.has("beam")) {
    const JsonObject beam = object.child("beam");
    read.beam.emplace();
    beam.read("major_deg", read.beam->major_deg);
    beam.read("minor_deg", read.beam->minor_deg);
    beam.read("pa_deg", read.beam->pa_deg);
  }
  for (const Stage& stage : kStages) {
    stage.set(read, object.has(stage.name));
    if (!object.has(stage.name)) continue;
    for (const Parameter& row : rows)
      if (path_of(row.name).front() == stage.name) read_row(row, object, read);
  }
  read_old_words(object, read);
  request = std::move(read);
}

}  // namespace reber::gui
