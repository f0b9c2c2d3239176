// SPDX-License-Identifier: BSD-3-Clause
// Records as lines of JSON, and what they are compared with.
#include "core/run/batch/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json pairs(const std::vector<std::pair<std::string, Value>>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

template <class Value>
std::vector<std::pair<std::string, Value>> pairs_of(const Json& object) {
  std::vector<std::pair<std::string, Value>> values;
  for (const auto& [name, value] : object.items()) values.emplace_back(name, value.template get<Value>());
  return values;
}

}  // namespace

FileState state_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_size, std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

std::string to_line(const ImageRecord& record) {
  Json line{{"input", record.input},         {"path", record.path},
            {"bytes", record.state.bytes},   {"mtime_ns", record.state.mtime_ns},
            {"options", record.options},     {"list", record.list},
            {"index", record.index},         {"count", record.count},
            {"exit_code", record.exit_code}, {"message", record.message},
            {"sources", record.sources},     {"outputs", pairs(record.outputs)},
            {"seconds", record.seconds},     {"stages", pairs(record.stages)},
            {"backend", record.backend},     {"device", record.device},
            {"version", record.version},     {"ended", record.ended}};
  if (record.plane >= 0) line["plane"] = record.plane;
  if (!record.skipped.empty()) line["skipped"] = record.skipped;
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ImageRecord> record_of(std::string_view line) {
  const Json json = parsed_json<Json>(line);
  if (!json.is_object()) return std::nullopt;
  try {
    ImageRecord record;
    json.at("input").get_to(record.input);
    json.at("path").get_to(record.path);
    record.plane = json.value("plane", record.plane);
    record.skipped = json.value("skipped", "");
    json.at("bytes").get_to(record.state.bytes);
    json.at("mtime_ns").get_to(record.state.mtime_ns);
    json.at("options").get_to(record.options);
    json.at("list").get_to(record.list);
    json.at("index").get_to(record.index);
    json.at("count").get_to(record.count);
    json.at("exit_code").get_to(record.exit_code);
    json.at("message").get_to(record.message);
    json.at("sources").get_to(record.sources);
    record.outputs = pairs_of<std::int64_t>(json.at("outputs"));
    json.at("seconds").get_to(record.seconds);
    record.stages = pairs_of<double>(json.at("stages"));
    json.at("backend").get_to(record.backend);
    json.at("device").get_to(record.device);
    json.at("version").get_to(record.version);
    json.at("ended").get_to(record.ended);
    return record;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string hash_of(const std::vector<std::string>& lines, const Progress& progress) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&](char letter) { hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U; };
  for (const std::string& line : lines) {
    progress.check();
    std::ranges::for_each(line, add);
    add('\n');
  }
  return fmt::format("{:016x}", hash);
}

std::string now_utc() {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto ms = now.time_since_epoch().count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

bool still_true(const ImageRecord& record, const std::string& folder, const std::string& options) {
  return record.done() && record.options == options && record.state == state_of(record.path) &&
         std::ranges::all_of(record.outputs, [&](const auto& output) {
           return state_of((std::filesystem::path(folder) / output.first).string()).bytes == output.second;
         });
}

}  // namespace reber
