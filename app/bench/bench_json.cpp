// SPDX-License-Identifier: BSD-3-Clause
// The documents of `reber bench --json`; docs/performance.md says what the fields are.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/bench/bench_rows.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

/// JSON knows no infinity and no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Timing& timing) {
  return {{"median", timing.median},      {"min", timing.low},  {"q25", timing.quarter},
          {"q75", timing.three_quarters}, {"max", timing.high}, {"runs", timing.repeats}};
}

Json to_json(const BenchMachine& machine) {
  const MachineLimits& limits = machine.limits;
  Json json{{"name", machine.name}, {"device", machine.device}};
  if (machine.threads > 0) json["threads"] = machine.threads;
  json["start_ms"] = machine.start_ms;
  json["limits"] = {{"copy_gb_s", limits.copy_bytes_per_ms * 1e-6},
                    {"read_gb_s", limits.read_bytes_per_ms * 1e-6},
                    {"fma_tflop_s", 2 * limits.fma_per_ms * 1e-9},
                    {"launch_us", 1e3 * limits.launch_ms},
                    {"drift", machine.drift}};
  if (limits.up_bytes_per_ms > 0) {
    json["limits"]["up_gb_s"] = limits.up_bytes_per_ms * 1e-6;
    json["limits"]["down_gb_s"] = limits.down_bytes_per_ms * 1e-6;
  }
  return json;
}

Json to_json(const BenchRow& row) {
  Json json{{"operation", row.operation}, {"group", row.group}, {"backend", row.backend}};
  if (!row.timed()) {
    json["not_possible"] = row.why_not;
    if (!row.agrees) json["agrees"] = false;
    return json;
  }
  json["ms"] = row.best().median;
  json["spread"] = row.best().spread();
  json["wall_ms"] = to_json(row.wall);
  if (row.device.median > 0) json["device_ms"] = to_json(row.device);
  json["first_ms"] = row.first_ms;
  if (row.warm.repeats > 0) json["warm_ms"] = to_json(row.warm);
  if (row.with_transfers.repeats > 0) json["with_transfers_ms"] = to_json(row.with_transfers);
  if (row.predicted_ms > 0) json["predicted_ms"] = row.predicted_ms;
  json["bytes_read"] = row.work.bytes_read;
  json["bytes_written"] = row.work.bytes_written;
  if (row.work.flop > 0) json["flop"] = row.work.flop;
  json["gb_s"] = row.gigabytes_per_s();
  if (row.work.flop > 0) json["tflop_s"] = row.teraflop_per_s();
  json["floor_ms"] = row.floor.ms;
  json["floor_by"] = row.floor.bound;
  json["reached"] = row.reached();
  if (row.cpu_ms > 0 && row.backend != "cpu") {
    json["cpu_ms"] = row.cpu_ms;
    json["times_cpu"] = row.gain();
  }
  if (!row.compared_with.empty()) {
    json["compared_with"] = row.compared_with;
    json["agreement"] = row.agreement;
    json["difference"] = number(row.difference);
    json["bound"] = row.bound;
    json["agrees"] = row.agrees;
  }
  for (const auto& [name, value] : row.values) json["values"][name] = number(value);
  return json;
}

}  // namespace

std::string to_json(const BenchTable& table) {
  Json json{{"program", table.program}, {"date", table.date},        {"size", table.size},   {"suite", table.suite},
            {"agrees", table.agrees()}, {"backends", Json::array()}, {"rows", Json::array()}};
  for (const BenchMachine& machine : table.machines) json["backends"].push_back(to_json(machine));
  for (const BenchRow& row : table.rows) json["rows"].push_back(to_json(row));
  return json.dump(1);
}

std::string to_json(const ScalingTable& table) {
  Json json{{"program", table.program},          {"date", table.date},   {"suite", table.suite},
            {"backend", to_json(table.machine)}, {"sizes", table.sizes}, {"rows", Json::array()}};
  const auto add_row = [&](const ScalingRow& row) {
    Json entry{{"operation", row.operation}, {"group", row.group}, {"ms", Json::array()}, {"floor_ms", Json::array()}};
    for (const double ms : row.ms) entry["ms"].push_back(number(ms));
    for (const double ms : row.floor_ms) entry["floor_ms"].push_back(number(ms));
    entry["fixed_us"] = number(table.fixed_us(row));
    json["rows"].push_back(std::move(entry));
  };
  add_row(table.copy);
  for (const ScalingRow& row : table.rows) add_row(row);
  return json.dump(1);
}

}  // namespace reber::app
