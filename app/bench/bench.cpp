// SPDX-License-Identifier: BSD-3-Clause
// reber bench: every stage and algorithm against what the hardware allows, with the agreement of the backends.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>

#include "app/bench/bench_run.hpp"
#include "app/bench/bench_sky.hpp"
#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

using Clock = std::chrono::steady_clock;
using Sessions = std::vector<std::unique_ptr<BenchSession>>;

struct Options {
  CommonOptions common;
  std::int64_t size = 2048;
  std::vector<std::int64_t> sizes;
  std::string suite = "quick", only, plot, sky;
  int repeat = 0;
  bool reference = false;
};

/// first: of the machine that the benchmark is about; the others are there to be compared with.
BenchPace pace_of(const Options& options, const std::string& backend, bool first) {
  const bool full = options.suite == "full";
  BenchPace pace;
  if (backend == "cuda") pace = full ? BenchPace{25, 5, 5, 5, true} : BenchPace{15, 3, 0.5, 2};
  if (backend == "cpu")
    pace = full ? BenchPace{15, 3, 4, 3, true} : first ? BenchPace{7, 3, 0.5, 2} : BenchPace{7, 1, 0.3, 0};
  if (backend == "reference") pace = {3, 1, 1, 0};
  if (options.repeat > 0) pace = {options.repeat, options.repeat, 0, std::min(options.repeat, pace.transfers), full};
  return pace;
}

class Benchmark {
 public:
  Benchmark(const Options& options, Terminal& terminal) : options_(options), terminal_(terminal) {}

  int execute() {
    open_backends();
    return options_.sizes.empty() ? run_all() : run_sizes();
  }

 private:
  void open_backends() {
    const BackendOptions wanted = backend_options(options_.common);
    for (const BackendEntry& entry : backend_table()) {
      const std::string name = entry.name;
      const bool asked = options_.common.backend == name;
      const bool by_itself = options_.common.backend == "auto" && name != "reference";
      if (!asked && !by_itself && !(name == "reference" && options_.reference)) continue;
      if (!options_.sizes.empty() && !sessions_.empty()) continue;
      const auto begin = Clock::now();
      const std::string reason = entry.unavailable(wanted);
      if (!reason.empty()) {
        if (asked) throw DeviceError(fmt::format("backend '{}' cannot run here: {}", name, reason));
        terminal_.message(fmt::format("no {}: {}", name, reason));
        continue;
      }
      auto session = std::make_unique<BenchSession>();
      session->backend = entry.make(wanted);
      session->name = name;
      const BackendInfo info = session->backend->info();
      const double start_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      session->probe = entry.probe(wanted);
      sessions_.push_back(std::move(session));
      machines_.push_back({name, info.device, info.threads, start_ms, {}, 0});
    }
    if (sessions_.empty()) {
      throw DeviceError(fmt::format("no backend '{}' can run in this build on this machine", options_.common.backend));
    }
  }

  [[nodiscard]] bool wanted(const BenchCase& one) const {
    return options_.only.empty() || one.loads || one.name.find(options_.only) != std::string::npos ||
           one.group == options_.only || one.needed;
  }

  int run_all() {
    auto begin = Clock::now();
    const SimulatedSky sky = bench_sky(options_.size, *sessions_.front()->backend, progress_);
    const Shape shape = sky.image.shape();
    spent("sky", begin);
    begin = Clock::now();
    if (!options_.sky.empty()) save(sky);
    spent("sky written", begin);
    BenchTable table{options_.size, options_.suite, program_name(), now(), {}, {}};
    limits(shape, "measuring the machine");
    BenchRunner runner(
        sessions_, shape,
        [this](const std::string& name) { return pace_of(options_, name, name == machines_.front().name); }, progress_);
    begin = Clock::now();
    std::vector<BenchCase> cases = bench_cases(sky.image, options_.suite == "full");
    std::erase_if(cases, [this](const BenchCase& one) { return !wanted(one); });
    spent("cases made", begin);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      progress_.report(cases[i].name, static_cast<double>(i) / static_cast<double>(cases.size()));
      begin = Clock::now();
      for (BenchRow& row : runner.run(cases[i], cases.front())) table.rows.push_back(std::move(row));
      spent(cases[i].name, begin);
    }
    limits(shape, "measuring the machine again");
    table.machines = machines_;
    for (BenchRow& row : table.rows) row.floor = floor_of(row.work, machine(row.backend).limits);
    terminal_.clear_progress();
    terminal_.print(to_text(table));
    write_json(options_.common, to_json(table), terminal_);
    if (!options_.plot.empty()) {
      write_bench_plot(options_.plot, table, options_.common.overwrite);
      terminal_.print("wrote " + options_.plot);
    }
    return table.agrees() ? kDone : kCheckFailed;
  }

  int run_sizes() {
    ScalingTable table{program_name(), options_.suite, now(), {}, options_.sizes, {}, {}};
    std::sort(table.sizes.begin(), table.sizes.end());
    const std::vector<double> none(table.sizes.size(), std::numeric_limits<double>::quiet_NaN());
    table.copy = {"copy", "copy", none, none};
    BenchSession& session = *sessions_.front();
    const Image tile = bench_sky(table.sizes.front(), *session.backend, progress_).image;
    std::map<std::string, std::size_t> rows;
    for (std::size_t k = 0; k < table.sizes.size(); ++k) {
      const Image image = repeated(tile, table.sizes[k]);
      machines_.front().limits = {};
      limits(image.shape(), fmt::format("measuring the machine at {}", table.sizes[k]));
      time_copy(session, image.shape(), k, table.copy);
      BenchRunner runner(
          sessions_, image.shape(),
          [this](const std::string& name) { return pace_of(options_, name, name == machines_.front().name); },
          progress_);
      for (const BenchCase& one : bench_cases(image, options_.suite == "full")) {
        if (one.group == "fit" || !wanted(one)) continue;
        progress_.report(fmt::format("{0} x {0}: {1}", table.sizes[k], one.name),
                         static_cast<double>(k) / static_cast<double>(table.sizes.size()));
        BenchRow row = runner.run_alone(one, session);
        const auto [place, fresh] = rows.try_emplace(one.name, table.rows.size());
        if (fresh) table.rows.push_back({one.name, one.group, none, none});
        failed_ = failed_ || !row.agrees;
        if (!row.timed()) {
          terminal_.message(fmt::format("{0} x {0}, {1}: {2}", table.sizes[k], row.operation, row.why_not));
          continue;
        }
        table.rows[place->second].ms[k] = row.best().median;
        table.rows[place->second].floor_ms[k] = floor_of(row.work, machines_.front().limits).ms;
      }
    }
    table.machine = machines_.front();
    terminal_.clear_progress();
    terminal_.print(to_text(table));
    write_json(options_.common, to_json(table), terminal_);
    if (!options_.plot.empty()) {
      write_scaling_plot(options_.plot, table, options_.common.overwrite);
      terminal_.print("wrote " + options_.plot);
    }
    return failed_ ? kCheckFailed : kDone;
  }

  void time_copy(BenchSession& session, Shape shape, std::size_t k, ScalingRow& row) const {
    const std::int64_t bytes = shape.count() * static_cast<std::int64_t>(sizeof(float));
    const Timing timing = Timing::of(session.probe->time_copy(bytes, pace_of(options_, session.name, true).repeats));
    if (timing.repeats == 0) return;
    row.ms[k] = timing.median;
    row.floor_ms[k] = floor_of({bytes, bytes, 0, 0, 0}, machines_.front().limits).ms;
  }

  void limits(Shape shape, const std::string& stage) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      progress_.report(stage, 0);
      const auto begin = Clock::now();
      measure_limits(*sessions_[i], shape, machines_[i]);
      spent(fmt::format("{}: {}", machines_[i].name, stage), begin);
    }
  }

  /// With --verbose: where the benchmark's own time goes.
  void spent(const std::string& what, Clock::time_point begin) {
    terminal_.detail(fmt::format("{:.2f} s: {}", std::chrono::duration<double>(Clock::now() - begin).count(), what));
  }

  [[nodiscard]] const BenchMachine& machine(const std::string& name) const {
    return *std::find_if(machines_.begin(), machines_.end(), [&](const BenchMachine& m) { return m.name == name; });
  }

  void save(const SimulatedSky& sky) const {
    OutputHeader header;
    header.cards = sky.cards;
    const std::int64_t nx = sky.image.shape().nx;
    const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
      std::memcpy(out, sky.image.data() + y0 * nx, static_cast<std::size_t>(ny * nx) * sizeof(float));
    };
    write_fits(options_.sky, sky.image.shape(), header, rows, options_.common.overwrite, progress_);
  }

  static std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  }

  const Options& options_;
  Terminal& terminal_;
  Progress progress_ = terminal_.progress();
  Sessions sessions_;
  std::vector<BenchMachine> machines_;  ///< of the sessions
  bool failed_ = false;                 ///< an operation at some size
};

void add_options(Command& command, Options& options) {
  command.add_option("--size", options.size, "Pixels on a side of the simulated sky")
      ->check(in_range(128, 65536))
      ->type_name("PX")
      ->capture_default_str()
      ->brief("Pixels on a side")
      ->group("Benchmark");
  command.add_option("--suite", options.suite, "quick: typical kernels; full: more sizes, more repeats")
      ->check(one_of({"quick", "full"}))
      ->type_name("quick|full")
      ->capture_default_str()
      ->brief("quick or full")
      ->group("Benchmark");
  command
      .add_option("--sizes", options.sizes,
                  "How cost grows: one backend, several sides, time per pixel; beside it a plain copy's")
      ->check(in_range(128, 65536))
      ->delimiter(',')
      ->type_name("PX,PX,...")
      ->group("Benchmark");
  command.add_option("--only", options.only, "Operations with this in their name (and what they need)")
      ->type_name("TEXT")
      ->brief("Operations with this in their name")
      ->group("Benchmark");
  command
      .add_option("--repeat", options.repeat, "Timed runs of each; 0: up to 15 (quick) or 25 (full), fewer where slow")
      ->check(not_negative())
      ->type_name("N")
      ->capture_default_str()
      ->brief("Timed runs of each; 0: by their length")
      ->group("Benchmark");
  command.add_flag("--reference", options.reference, "Time the reference as well (slow)")
      ->brief("Time the reference as well (slow)")
      ->group("Benchmark");
  command
      .add_option("--plot", options.plot,
                  "Picture (PNG, PDF or SVG): roofline and times, or time per pixel with --sizes")
      ->type_name("FILE")
      ->brief("Picture: roofline and times")
      ->group("Output");
  command.add_option("--sky", options.sky, "Write the simulated sky, for other programs to be timed on")
      ->type_name("FITS")
      ->group("Output");
}

}  // namespace

void add_bench(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("bench", "Time every stage and algorithm against what the hardware allows");
  add_options(*command, *options);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber bench\n"
      "  reber bench --size 16384 --json bench.json --plot bench.png\n"
      "  reber bench --sizes 4096,8192,16384,32768 --plot scaling.png\n"
      "  reber bench --backend cpu --threads 1 --only separable\n"
      "\n"
      "Every backend that can run here works on the same sky, unless --backend names one. The rates of memory and of\n"
      "multiply-adds that the floors come from are measured in the same run. Exit code 1 where two backends' results\n"
      "differ by more than docs/numerics.md allows. docs/performance.md explains the columns.");
  command->callback([options, &action] {
    action = [options](Terminal& terminal) {
      apply(options->common, terminal);
      check_outputs({options->plot, options->sky}, options->common.overwrite);
      return Benchmark(*options, terminal).execute();
    };
  });
}

}  // namespace reber::app
