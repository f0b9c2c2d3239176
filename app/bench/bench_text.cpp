// SPDX-License-Identifier: BSD-3-Clause
// The tables of `reber bench` for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/bench_rows.hpp"

namespace reber::app {
namespace {

/// Three digits that matter, at most three decimals: 0.062, 1.24, 24.7, 1235.
std::string ms_text(double ms) {
  if (!(ms > 0)) return "-";
  if (ms < 1) return fmt::format("{:.3f}", ms);
  if (ms < 10) return fmt::format("{:.2f}", ms);
  return fmt::format("{:.{}f}", ms, ms < 100 ? 1 : 0);
}

std::string rate_text(double rate) {
  if (!(rate > 0)) return "-";
  if (rate < 1) return fmt::format("{:.3f}", rate);
  return fmt::format("{:.{}f}", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::string gain_text(double gain) {
  if (!(gain > 0)) return "-";
  return fmt::format("{:.{}f}", gain, gain < 1 ? 2 : gain < 100 ? 1 : 0);
}

std::string ps_text(double ps) {
  return std::isfinite(ps) ? fmt::format("{:.{}f}", ps, ps < 10 ? 2 : ps < 100 ? 1 : 0) : "-";
}

std::string percent(double part) { return part > 0 ? fmt::format("{:.0f}%", 100 * part) : "-"; }

std::string spread_text(double part) { return fmt::format("{:.{}f}%", 100 * part, part < 0.1 ? 1 : 0); }

std::string limits_text(const BenchMachine& machine) {
  const MachineLimits& limits = machine.limits;
  std::string text =
      fmt::format("  copy {:.0f} GB/s, read {:.0f} GB/s, multiply-add {:.3g} TFLOP/s", limits.copy_bytes_per_ms * 1e-6,
                  limits.read_bytes_per_ms * 1e-6, 2 * limits.fma_per_ms * 1e-9);
  if (limits.up_bytes_per_ms > 0) {
    text += fmt::format(", bus {:.0f} up {:.0f} down GB/s,\n ", limits.up_bytes_per_ms * 1e-6,
                        limits.down_bytes_per_ms * 1e-6);
  } else {
    text += ",";
  }
  return text + fmt::format(" nothing at all {:.1f} us; +-{:.1f} %\n", 1e3 * limits.launch_ms, 50 * machine.drift);
}

std::string machine_text(const BenchMachine& machine) {
  std::string text = fmt::format("{}: {}", machine.name, machine.device);
  if (machine.threads > 1) text += fmt::format(", {} threads", machine.threads);
  return text + fmt::format("; ready after {:.0f} ms\n", machine.start_ms) + limits_text(machine);
}

std::string main_table(const BenchTable& table, const BenchMachine& machine, bool with_cpu) {
  std::string text = fmt::format("{:<24}{:>7}{:>7}{:>7}{:>8}{:>9} {:<5}{:>8}", "operation", "ms", "spread", "GB/s",
                                 "TFLOP/s", "floor ms", "by", "reached");
  if (with_cpu) text += fmt::format("{:>7}", "CPU ms");
  text += "  agreement\n";
  for (const BenchRow& row : table.rows) {
    if (row.backend != machine.name) continue;
    text += fmt::format("{:<24}", row.operation);
    if (!row.timed()) {
      text += fmt::format("{:>7}  {:.66}\n", "-", row.why_not);
      continue;
    }
    text +=
        fmt::format("{:>7}{:>7}{:>7}{:>8}{:>9} {:<5}{:>8}", ms_text(row.best().median),
                    spread_text(row.best().spread()), rate_text(row.gigabytes_per_s()), rate_text(row.teraflop_per_s()),
                    ms_text(row.floor.ms), row.floor.bound, percent(row.reached()));
    if (with_cpu) text += fmt::format("{:>7}", ms_text(row.cpu_ms));
    text += fmt::format("  {}\n", row.agreement.empty() ? "-" : row.agreement);
  }
  return text;
}

/// What a caller waits for: wall clock but for `warm`.
std::string caller_table(const BenchTable& table, const BenchMachine& machine, bool with_cpu) {
  std::string text = fmt::format("{:<25}{:>14}{:>9}{:>9}{:>19}", "operation", "first call ms", "wall ms", "warm ms",
                                 "with transfers ms");
  text += with_cpu ? fmt::format("{:>8}\n", "x CPU") : "\n";
  for (const BenchRow& row : table.rows) {
    if (row.backend != machine.name || !row.timed() || row.warm.repeats == 0) continue;
    text += fmt::format("{:<25}{:>14}{:>9}{:>9}{:>19}", row.operation, ms_text(row.first_ms), ms_text(row.wall.median),
                        ms_text(row.warm.median), ms_text(row.with_transfers.median));
    text += with_cpu ? fmt::format("{:>8}\n", gain_text(row.gain())) : "\n";
  }
  return text;
}

constexpr const char* kLegend =
    "ms: median of the runs, caches flushed before each; on a card by its own events, else wall clock. spread:\n"
    "the middle half of all runs, end to end. GB/s, TFLOP/s: the least bytes and the usual operations of the\n"
    "work over ms. floor: these over the rates above, measured in this run; reached: floor/ms. agreement: with\n"
    "the CPU's result, largest difference of all pixels or numbers. first call: with plan, code and memory.\n"
    "wall: until the result can be used. warm: right after another, no flush. with transfers: image from the\n"
    "host, operation, result back there. x CPU: wall clock of the cpu backend over wall clock.\n";

}  // namespace

std::string to_text(const BenchTable& table) {
  std::string text = fmt::format("{0}, {1} suite: {2} x {2} float32 pixels ({3:.0f} MB)\n\n", table.program,
                                 table.suite, table.size, static_cast<double>(table.size * table.size) * 4e-6);
  const bool with_cpu = table.machines.size() > 1;
  for (const BenchMachine& machine : table.machines) {
    text += machine_text(machine);
    text += main_table(table, machine, with_cpu && machine.name != "cpu") + "\n";
  }
  const BenchMachine& first = table.machines.front();
  text += fmt::format("{}, as a caller sees it: cold and warm, without and with the way from and to the host:\n",
                      first.name);
  text += caller_table(table, first, with_cpu && first.name != "cpu") + "\n" + kLegend;
  const auto wrong = std::count_if(table.rows.begin(), table.rows.end(), [](const BenchRow& r) { return !r.agrees; });
  if (wrong > 0) text += fmt::format("\n{} results differ by more than docs/numerics.md allows, or failed.\n", wrong);
  return text;
}

std::string to_text(const ScalingTable& table) {
  std::string text =
      fmt::format("{}, {} suite, time per pixel in ps against the image's side\n\n", table.program, table.suite) +
      machine_text(table.machine) + fmt::format("{:<25}", "operation");
  for (const std::int64_t size : table.sizes) text += fmt::format("{:>9}", size);
  text += fmt::format("{:>15}{:>8}{:>10}{:>9}\n", "largest/least", "/ copy", "fixed us", "reached");
  const auto ratio = [](double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "-"; };
  const auto add_row = [&](const ScalingRow& row) {
    text += fmt::format("{:<25}", row.operation);
    for (std::size_t k = 0; k < table.sizes.size(); ++k) text += fmt::format("{:>9}", ps_text(table.ps_of(row.ms, k)));
    const double fixed = table.fixed_us(row), spread = table.spread(row);
    text += fmt::format("{:>15}{:>8}{:>10}{:>9}\n", ratio(spread), ratio(spread / table.spread(table.copy)),
                        fixed >= 0.5 ? fmt::format("{:.0f}", fixed) : "-",
                        std::isfinite(row.ms.back()) ? percent(row.floor_ms.back() / row.ms.back()) : "-");
  };
  add_row(table.copy);
  for (const ScalingRow& row : table.rows) add_row(row);
  return text +
         "\ncopy: the image to another place, which no operation that writes as much can beat: how far from flat the\n"
         "hardware itself is; / copy: largest/least over the copy's. fixed: what a line through these times leaves at\n"
         "no pixels, launches and counts that come back: it is why small images cost more a pixel. reached: the floor\n"
         "over the time, at the largest size. Every size shows the smallest one's sky, repeated.\n";
}

}  // namespace reber::app
