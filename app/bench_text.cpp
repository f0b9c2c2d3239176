// SPDX-License-Identifier: BSD-3-Clause
// The tables of `reber bench` for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench_rows.hpp"

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

std::string percent(double part) { return part > 0 ? fmt::format("{:.0f}%", 100 * part) : "-"; }

std::string spread_text(double part) { return fmt::format("{:.{}f}%", 100 * part, part < 0.1 ? 1 : 0); }

std::string limits_text(const BenchMachine& machine) {
  const MachineLimits& limits = machine.limits;
  std::string text =
      fmt::format("  copy {:.0f} GB/s, read {:.0f} GB/s, multiply-add {:.3g} TFLOP/s", limits.copy_bytes_per_ms * 1e-6,
                  limits.read_bytes_per_ms * 1e-6, 2 * limits.fma_per_ms * 1e-9);
  if (limits.up_bytes_per_ms > 0) {
    text +=
        fmt::format(", bus {:.0f} up {:.0f} down GB/s", limits.up_bytes_per_ms * 1e-6, limits.down_bytes_per_ms * 1e-6);
  }
  return text + fmt::format(", nothing at all {:.1f} us; +-{:.1f} %\n", 1e3 * limits.launch_ms, 50 * machine.drift);
}

std::string machine_text(const BenchMachine& machine) {
  std::string text = fmt::format("{}: {}", machine.name, machine.device);
  if (machine.threads > 1) text += fmt::format(", {} threads", machine.threads);
  return text + fmt::format("; ready after {:.0f} ms\n", machine.start_ms) + limits_text(machine);
}

std::string main_table(const BenchTable& table, const BenchMachine& machine, bool with_cpu) {
  std::string text = fmt::format("{:<25}{:>7}{:>7}{:>8}{:>7}{:>8}{:>9} {:<7}{:>7}", "operation", "ms", "spread",
                                 "wall ms", "GB/s", "TFLOP/s", "floor ms", "by", "reached");
  if (with_cpu) text += fmt::format("{:>8}{:>6}", "CPU ms", "x CPU");
  text += "  agreement\n";
  for (const BenchRow& row : table.rows) {
    if (row.backend != machine.name) continue;
    text += fmt::format("{:<25}", row.operation);
    if (!row.timed()) {
      text += fmt::format("{:>7}  {:.80}\n", "-", row.why_not);
      continue;
    }
    text +=
        fmt::format("{:>8}{:>7}{:>9}{:>7}{:>9}{:>9} {:<7}{:>8}", ms_text(row.best().median),
                    spread_text(row.best().spread()), ms_text(row.wall.median), rate_text(row.gigabytes_per_s()),
                    rate_text(row.teraflop_per_s()), ms_text(row.floor.ms), row.floor.bound, percent(row.reached()));
    if (with_cpu) text += fmt::format("{:>8}{:>6}", ms_text(row.cpu_ms), gain_text(row.gain()));
    text += fmt::format("  {}\n", row.agreement.empty() ? "-" : row.agreement);
  }
  return text;
}

std::string cold_table(const BenchTable& table, const BenchMachine& machine) {
  std::string text = fmt::format("{:<25}{:>14}{:>14}{:>12}{:>20}\n", "operation", "first call ms", "flushed ms",
                                 "warm ms", "with transfers ms");
  for (const BenchRow& row : table.rows) {
    if (row.backend != machine.name || !row.timed() || row.warm.repeats == 0) continue;
    text += fmt::format("{:<25}{:>14}{:>14}{:>12}{:>20}\n", row.operation, ms_text(row.first_ms),
                        ms_text(row.best().median), ms_text(row.warm.median), ms_text(row.with_transfers.median));
  }
  return text;
}

constexpr const char* kLegend =
    "ms: median of the runs, caches flushed before each; on a card by its own events, else wall clock. spread: the\n"
    "middle half of all runs, end to end. wall: until the result can be used. GB/s, TFLOP/s: the least bytes and the\n"
    "usual operations of the work over ms. floor: these over the rates above, measured in this run; reached: "
    "floor/ms.\n"
    "x CPU: wall clock over wall clock. agreement: with the CPU's result, largest difference of all pixels or "
    "numbers.\n";

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
  text += fmt::format("{}, cold and warm, without and with the way from and to the host (wall clock):\n", first.name);
  text += cold_table(table, first) + "\n" + kLegend;
  const auto wrong = std::count_if(table.rows.begin(), table.rows.end(), [](const BenchRow& r) { return !r.agrees; });
  if (wrong > 0) text += fmt::format("\n{} results differ by more than docs/numerics.md allows, or failed.\n", wrong);
  return text;
}

std::string to_text(const ScalingTable& table) {
  std::string text =
      fmt::format("{}, {} suite, time per pixel in ps against the image's side\n\n", table.program, table.suite) +
      machine_text(table.machine) + fmt::format("{:<25}", "operation");
  for (const std::int64_t size : table.sizes) text += fmt::format("{:>10}", size);
  text += fmt::format("{:>14}{:>14}\n", "largest/least", "reached");
  for (const ScalingRow& row : table.rows) {
    text += fmt::format("{:<25}", row.operation);
    double least = INFINITY, most = 0;
    for (std::size_t i = 0; i < table.sizes.size(); ++i) {
      const double ps = row.ms[i] * 1e9 / static_cast<double>(table.sizes[i] * table.sizes[i]);
      text += fmt::format("{:>10}", std::isfinite(ps) ? fmt::format("{:.{}f}", ps,
                                                                    ps < 10    ? 2
                                                                    : ps < 100 ? 1
                                                                               : 0)
                                                      : "-");
      if (!std::isfinite(ps)) continue;
      least = std::min(least, ps);
      most = std::max(most, ps);
    }
    text += fmt::format("{:>14}{:>14}\n", most > 0 ? fmt::format("{:.2f}", most / least) : "-",
                        std::isfinite(row.ms.back()) ? percent(row.floor_ms.back() / row.ms.back()) : "-");
  }
  return text +
         "\nreached: the floor over the time, at the largest size. Every size shows the smallest one's sky, "
         "repeated.\n";
}

}  // namespace reber::app
