// SPDX-License-Identifier: BSD-3-Clause
// reber bench: every stage and convolution algorithm on every backend, with the agreement of their results.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/bench_cases.hpp"
#include "app/command.hpp"
#include "app/common_options.hpp"
#include "core/base/error.hpp"
#include "core/io/picture.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

/// Repeats end once an operation has taken this long, but not before kMinRepeats.
constexpr double kSecondsPerCase = 5;
constexpr int kMinRepeats = 3;
constexpr int kMaxRepeats = 1000;

struct Options {
  CommonOptions common;
  std::int64_t size = 2048;
  std::string suite = "quick";
  int repeat = 0;
  bool reference = false;
  std::string plot;
};

struct Timing {
  double median = 0, low = 0, high = 0;
};

Timing timing_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {median, samples.front(), samples.back()};
}

/// One operation on one backend.
struct Row {
  std::string operation, backend;
  std::string why_not;  ///< set where the backend cannot do it
  int repeats = 0;
  Timing wall, device;  ///< ms; device is zero on a CPU
  double predicted_ms = 0;
  double gigabytes_per_s = 0;
  double speed_up = 0;    ///< over the cpu backend; 0 where there is nothing to compare
  std::string agreement;  ///< with the first backend of the operation
  double difference = std::numeric_limits<double>::quiet_NaN();
};

/// Largest difference; infinite where one is NaN and the other is not, or the sizes differ.
template <typename Value>
double largest_difference(const std::vector<Value>& a, const std::vector<Value>& b, bool relative) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    if (std::isnan(x) && std::isnan(y)) continue;
    double difference = std::abs(x - y);
    if (relative && difference > 0) difference /= std::max(std::abs(x), std::abs(y));
    if (!(difference <= worst)) worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return worst;
}

/// Images are compared in units of the noise, numbers relative to themselves.
void compare(const BenchResult& first, const BenchResult& second, double rms, Row& row) {
  const double pixels = largest_difference(first.pixels, second.pixels, false) / rms;
  const double numbers = largest_difference(first.numbers, second.numbers, true);
  row.difference = std::max(pixels, numbers);
  if (row.difference == 0) {
    row.agreement = "identical";
  } else {
    row.agreement =
        first.numbers.empty() ? fmt::format("{:.1e} sigma", pixels) : fmt::format("{:.1e} relative", numbers);
  }
}

class Benchmark {
 public:
  Benchmark(const Options& options, Terminal& terminal) : options_(options), terminal_(terminal) {}

  int execute() {
    open_backends();
    make_sky();
    const std::vector<BenchCase> cases = bench_cases(sky_, options_.suite == "full");
    std::size_t done = 0;
    for (const BenchCase& one : cases) {
      progress_.report(one.name, static_cast<double>(done++) / static_cast<double>(cases.size()));
      run_case(one);
    }
    terminal_.clear_progress();
    terminal_.print(table());
    write_json(options_.common, json().dump(2), terminal_);
    if (!options_.plot.empty()) plot();
    return kDone;
  }

 private:
  void open_backends() {
    BackendOptions wanted;
    wanted.device = options_.common.device;
    wanted.threads = options_.common.threads;
    for (const BackendEntry& entry : backend_table()) {
      const std::string name = entry.name;
      const bool asked = options_.common.backend == name;
      const bool by_itself = options_.common.backend == "auto" && (name != "reference" || options_.reference);
      if (!asked && !by_itself && !(name == "reference" && options_.reference)) continue;
      const std::string reason = entry.unavailable(wanted);
      if (!reason.empty()) {
        if (asked) throw DeviceError(fmt::format("backend '{}' cannot run here: {}", name, reason));
        terminal_.message(fmt::format("no {}: {}", name, reason));
        continue;
      }
      auto session = std::make_unique<BenchSession>();
      session->backend = entry.make(wanted);
      session->name = name;
      sessions_.push_back(std::move(session));
    }
    if (sessions_.empty()) {
      throw DeviceError(fmt::format("no backend '{}' can run in this build on this machine", options_.common.backend));
    }
  }

  void make_sky() {
    SimulationOptions sky;
    sky.shape = {options_.size, options_.size};
    const double area = static_cast<double>(sky.shape.count()) / (1024.0 * 1024.0);
    sky.point_sources = static_cast<std::int64_t>(300 * area);
    sky.extended_sources = static_cast<std::int64_t>(10 * area);
    progress_.report("simulating the sky", 0);
    sky_ = simulate(sky, *sessions_.front()->backend, progress_);
    rms_ = sky.rms;
  }

  void run_case(const BenchCase& one) {
    BenchResult first;
    const std::size_t first_row = rows_.size();
    bool have_first = false;
    for (const auto& session : sessions_) {
      Row row;
      row.operation = one.name;
      row.backend = session->name;
      if (!one.prepare(*session, row.why_not)) {
        rows_.push_back(std::move(row));
        continue;
      }
      row.why_not.clear();
      time(one, *session, row);
      BenchResult result = one.result(*session);
      if (have_first)
        compare(first, result, rms_, row);
      else
        first = std::move(result);
      have_first = true;
      rows_.push_back(std::move(row));
    }
    add_speed_up(first_row);
  }

  void time(const BenchCase& one, BenchSession& session, Row& row) {
    row.predicted_ms = one.predicted_ms(session);
    const int asked = options_.repeat > 0 ? options_.repeat : (options_.suite == "full" ? 15 : 5);
    std::vector<double> wall, device;
    one.work(session);  // warm-up
    const auto begin = Clock::now();
    for (int i = 0; i < std::min(asked, kMaxRepeats); ++i) {
      progress_.check();
      (void)session.backend->take_counters();
      const auto start = Clock::now();
      one.work(session);
      const auto end = Clock::now();
      wall.push_back(std::chrono::duration<double, std::milli>(end - start).count());
      device.push_back(session.backend->take_counters().device_ms);
      const double spent = std::chrono::duration<double>(end - begin).count();
      if (options_.repeat == 0 && spent > kSecondsPerCase && i + 1 >= kMinRepeats) break;
    }
    row.repeats = static_cast<int>(wall.size());
    row.wall = timing_of(wall);
    row.device = timing_of(device);
    row.gigabytes_per_s =
        static_cast<double>(one.bytes) * 1e-6 / (row.device.median > 0 ? row.device : row.wall).median;
  }

  /// Wall clock against wall clock: what a user gains.
  void add_speed_up(std::size_t first_row) {
    double cpu = 0;
    for (std::size_t i = first_row; i < rows_.size(); ++i) {
      if (rows_[i].backend == "cpu" && rows_[i].repeats > 0) cpu = rows_[i].wall.median;
    }
    for (std::size_t i = first_row; i < rows_.size(); ++i) {
      if (cpu > 0 && rows_[i].repeats > 0) rows_[i].speed_up = cpu / rows_[i].wall.median;
    }
  }

  [[nodiscard]] std::string title() const {
    return fmt::format("{0} x {0} float32 pixels ({1:.0f} MB), {2} suite", options_.size,
                       static_cast<double>(options_.size * options_.size) * 4e-6, options_.suite);
  }

  [[nodiscard]] std::string table() const {
    std::string text = fmt::format("{}: {}\n", program_name(), title());
    for (const auto& session : sessions_) {
      text += fmt::format("  {:<10} {}\n", session->name, session->backend->info().device);
    }
    text += fmt::format("\n{:<24} {:<10} {:>10} {:>17} {:>10} {:>8} {:>8}  {}\n", "operation", "backend", "wall ms",
                        "from - to", "device ms", "GB/s", "x cpu", "agreement");
    std::string last;
    for (const Row& row : rows_) {
      text += fmt::format("{:<24} {:<10} ", row.operation == last ? "" : row.operation, row.backend);
      last = row.operation;
      if (row.repeats == 0) {
        text += fmt::format("{:>10}  {}\n", "-", row.why_not);
        continue;
      }
      text += fmt::format("{:>10.3f} {:>17} {:>10} {:>8.1f} {:>8}  {}\n", row.wall.median,
                          fmt::format("{:.3f} - {:.3f}", row.wall.low, row.wall.high),
                          row.device.median > 0 ? fmt::format("{:.3f}", row.device.median) : "-", row.gigabytes_per_s,
                          row.speed_up > 0 ? fmt::format("{:.2f}", row.speed_up) : "-", row.agreement);
    }
    text +=
        "\nMedians; GB/s counts the bytes that must be read and written once; agreement is the largest difference\n"
        "from the operation's first row, in units of the image's noise or relative to the value.\n";
    return text;
  }

  [[nodiscard]] Json json() const {
    Json json{{"program", program_name()}, {"size", options_.size}, {"suite", options_.suite}};
    for (const auto& session : sessions_) {
      json["backends"].push_back({{"name", session->name}, {"device", session->backend->info().device}});
    }
    for (const Row& row : rows_) {
      Json entry{{"operation", row.operation}, {"backend", row.backend}};
      if (row.repeats == 0) {
        entry["not_possible"] = row.why_not;
      } else {
        entry["repeats"] = row.repeats;
        entry["wall_ms"] = {{"median", row.wall.median}, {"min", row.wall.low}, {"max", row.wall.high}};
        entry["device_ms"] = {{"median", row.device.median}, {"min", row.device.low}, {"max", row.device.high}};
        if (row.predicted_ms > 0) entry["predicted_ms"] = row.predicted_ms;
        entry["gigabytes_per_s"] = row.gigabytes_per_s;
        if (row.speed_up > 0) entry["speed_up_over_cpu"] = row.speed_up;
        if (!row.agreement.empty()) {
          entry["agreement"] = row.agreement;
          entry["difference"] = std::isfinite(row.difference) ? Json(row.difference) : Json("infinite");
        }
      }
      json["rows"].push_back(std::move(entry));
    }
    return json;
  }

  void plot() const {
    std::vector<std::string> labels;
    for (const Row& row : rows_) {
      if (labels.empty() || labels.back() != row.operation) labels.push_back(row.operation);
    }
    std::vector<PlotSeries> series;
    for (const auto& session : sessions_) {
      PlotSeries bars;
      const std::string device = session->backend->info().device;
      bars.name = fmt::format("{}: {:.32}", session->name, device.substr(0, device.find(" (")));
      for (const Row& row : rows_) {
        if (row.backend == session->name) {
          bars.y.push_back(row.repeats > 0 ? row.wall.median : std::numeric_limits<double>::quiet_NaN());
        }
      }
      series.push_back(std::move(bars));
    }
    PlotOptions plot;
    plot.title = title();
    plot.x_label = "wall clock, ms (median)";
    plot.overwrite = options_.common.overwrite;
    write_bars(options_.plot, labels, series, plot);
    terminal_.print("wrote " + options_.plot);
  }

  const Options& options_;
  Terminal& terminal_;
  Progress progress_ = terminal_.progress();
  SimulatedSky sky_;
  double rms_ = 1;
  std::vector<std::unique_ptr<BenchSession>> sessions_;
  std::vector<Row> rows_;
};

}  // namespace

void add_bench(CLI::App& root, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("bench", "Time every stage and algorithm on GPU and CPU");
  command->add_option("--size", options->size, "Pixels on a side of the simulated sky")
      ->check(CLI::Range(128, 65536))
      ->type_name("PX")
      ->capture_default_str()
      ->group("Benchmark");
  command->add_option("--suite", options->suite, "quick: typical kernels; full: more sizes, more repeats")
      ->check(CLI::IsMember({"quick", "full"}))
      ->type_name("quick|full")
      ->capture_default_str()
      ->group("Benchmark");
  command->add_option("--repeat", options->repeat, "Timed runs of each; 0: 5 (quick) or 15 (full), less where slow")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str()
      ->group("Benchmark");
  command->add_flag("--reference", options->reference, "Time the reference as well (slow)")->group("Benchmark");
  command->add_option("--plot", options->plot, "Write a picture of the times")->type_name("PNG")->group("Output");
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber bench\n"
      "  reber bench --size 8192 --suite full --json bench.json --plot bench.png\n"
      "  reber bench --backend cpu --threads 1\n"
      "\n"
      "Every backend that can run here is timed on the same sky unless --backend names one. Device times are taken\n"
      "by events on the device; wall clock counts everything until the result can be used.");
  command->callback([options, &action] {
    action = [options](Terminal& terminal) {
      apply(options->common, terminal);
      check_outputs({options->plot}, options->common.overwrite);
      return Benchmark(*options, terminal).execute();
    };
  });
}

}  // namespace reber::app
