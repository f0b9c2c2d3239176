// SPDX-License-Identifier: BSD-3-Clause
// What `reber bench` measured, as plain values: the tables, the JSON document and the plots are made of these.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/compute/machine_probe.hpp"

namespace reber::app {

/// Times in ms; zeros where nothing was measured.
struct Timing {
  double median = 0, low = 0, high = 0;
  double quarter = 0, three_quarters = 0;
  int repeats = 0;

  static Timing of(std::vector<double> samples);
  /// Half of all runs lie within this part of the median, from end to end.
  [[nodiscard]] double spread() const { return median > 0 ? (three_quarters - quarter) / median : 0; }
};

/// What an operation must at least do, whatever the algorithm.
struct Work {
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< where the planes live
  std::int64_t bytes_up = 0, bytes_down = 0;       ///< between host and device, where there is one
  double flop = 0;  ///< floating-point operations, a multiply-add counts two; 0 where they are not the measure
};

/// The least time that work can take within measured limits, and which of them says so: "copy", "read", "FMA", "bus",
/// "launch"; empty where there is none.
struct Floor {
  double ms = 0;
  std::string bound;
};
[[nodiscard]] Floor floor_of(const Work& work, const MachineLimits& limits);

/// One operation on one backend.
struct BenchRow {
  std::string operation, group, backend;
  std::string why_not;  ///< set where the backend cannot do it or failed; nothing below is set then
  Work work;
  double first_ms = 0;    ///< the first call, with what is made once: plan, code, memory
  Timing wall, device;    ///< caches flushed before each run; device is zero on a CPU
  Timing warm;            ///< one right after another; device time where there is a device
  Timing with_transfers;  ///< image loaded, operation, result fetched to the host; wall clock
  double predicted_ms = 0;
  Floor floor;
  double cpu_ms = 0;          ///< wall clock of the cpu backend; 0 where it was not timed
  std::string compared_with;  ///< the backend whose result was compared; empty for none
  std::string agreement;      ///< in words
  double difference = 0;      ///< largest, in the unit of `bound`; may be infinite
  double bound = 0;           ///< what docs/numerics.md allows; 0: the same bits
  bool agrees = true;
  std::vector<std::pair<std::string, double>> values;  ///< of the result, for other programs to compare theirs with

  /// The time that counts: the device's own where there is one.
  [[nodiscard]] const Timing& best() const { return device.median > 0 ? device : wall; }
  [[nodiscard]] bool timed() const { return wall.repeats > 0; }
  [[nodiscard]] double reached() const { return floor.ms > 0 ? floor.ms / best().median : 0; }
  [[nodiscard]] double gigabytes_per_s() const {
    return static_cast<double>(work.bytes_read + work.bytes_written) * 1e-6 / best().median;
  }
  [[nodiscard]] double teraflop_per_s() const { return work.flop * 1e-9 / best().median; }
  [[nodiscard]] double gain() const { return cpu_ms > 0 && backend != "cpu" ? cpu_ms / wall.median : 0; }
};

/// A backend and the hardware below it.
struct BenchMachine {
  std::string name, device;
  int threads = 0;
  double start_ms = 0;   ///< until the backend could take its first operation
  MachineLimits limits;  ///< the better of before and after the operations
  double drift = 0;      ///< largest relative difference between the two
};

struct BenchTable {
  std::int64_t size = 0;
  std::string suite, program, date;
  std::vector<BenchMachine> machines;
  std::vector<BenchRow> rows;

  [[nodiscard]] bool agrees() const {
    return std::all_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.agrees; });
  }
};

/// One operation at several sizes.
struct ScalingRow {
  std::string operation, group;
  std::vector<double> ms;  ///< of each size; NaN where it could not be done
  std::vector<double> floor_ms;
};
struct ScalingTable {
  std::string program, suite, date;
  BenchMachine machine;
  std::vector<std::int64_t> sizes;
  ScalingRow copy;  ///< of the image to another place: what the hardware itself takes
  std::vector<ScalingRow> rows;

  /// Time per pixel in ps at size k.
  [[nodiscard]] double ps_of(const std::vector<double>& ms, std::size_t k) const {
    return ms[k] * 1e9 / static_cast<double>(sizes[k] * sizes[k]);
  }
  /// Largest time per pixel over the least; NaN where there is none.
  [[nodiscard]] double spread(const ScalingRow& row) const;
  /// The part of a row's time that does not grow: of the line fixed + rate x pixels with the least relative deviations
  /// from its times. NaN where there are fewer than two.
  [[nodiscard]] double fixed_us(const ScalingRow& row) const;
};

/// For people, at most 106 columns; rows of operations 100.
[[nodiscard]] std::string to_text(const BenchTable& table);
[[nodiscard]] std::string to_text(const ScalingTable& table);
/// JSON documents; docs/performance.md says what the fields are.
[[nodiscard]] std::string to_json(const BenchTable& table);
[[nodiscard]] std::string to_json(const ScalingTable& table);
/// A roofline beside the time of each operation on each machine.   throws as write_catalogue
void write_bench_plot(const std::string& path, const BenchTable& table, bool overwrite);
/// Time per pixel against the size.
void write_scaling_plot(const std::string& path, const ScalingTable& table, bool overwrite);

}  // namespace reber::app
