// SPDX-License-Identifier: BSD-3-Clause
// Which stage takes what of which: the keys, and the order.
#include "core/run/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/error.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/history.hpp"
#include "core/run/pipeline/judge_stage.hpp"
#include "core/run/pipeline/measure_stage.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/run/pipeline/read_stage.hpp"
#include "core/run/pipeline/stage_key.hpp"
#include "core/run/pipeline/stage_runner.hpp"
#include "core/run/request/parameter_rules.hpp"

namespace reber {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The ids of the outcomes that are there.
template <typename... Slots>
std::vector<OutcomeId> ids(const Slots&... slots) {
  std::vector<OutcomeId> all;
  ((slots ? all.push_back(slots->id) : void()), ...);
  return all;
}

}  // namespace

/// One request on its way.
class Pipeline::Run {
 public:
  Run(StageRunner& runner, const Input& input, const Request& request)
      : runner_(runner), input_(input), request_(std::make_shared<const Request>(request)) {
    if (request.detect && !request.background)
      throw InternalError("a request that detects sources must measure the background");
    if (request.input != input.path || !(request.open == input.open))
      throw InternalError("a request for another image than the pipeline's");
    made_.backend = runner.backend();
  }

  void open();
  void plan();
  void read(const TilingPlan& tiling);
  void convolve();
  void take(Shared<Convolved> convolved) { made_.outcomes.convolved = std::move(convolved); }
  void find();
  [[nodiscard]] std::vector<std::string> write_files();
  void write();
  /// HISTORY and report, from the outcomes.
  void describe();

  [[nodiscard]] const Request& request() const { return *request_; }
  [[nodiscard]] const Outcomes& outcomes() const { return made_.outcomes; }
  [[nodiscard]] const RunPlan& planned() const { return made_.outcomes.planned->value; }
  [[nodiscard]] Key key(StageId stage, std::vector<OutcomeId> from, Sign sign = Sign::positive) const {
    return {stage, sign, request_, std::move(from)};
  }
  [[nodiscard]] bool reads() const { return request_->convolve || request_->background || request_->detect; }
  Result& result() { return made_; }

 private:
  void measure_background();
  void find_in(Sign sign, const DetectOptions& options);
  void judge();
  [[nodiscard]] MeasuredPlane plane() const {
    const Convolved& convolved = made_.outcomes.convolved->value;
    return {*convolved.plane, made_.outcomes.background->value, *made_.outcomes.planned->value.header, convolved.beam,
            made_.beams()};
  }

  StageRunner& runner_;
  const Input& input_;
  std::shared_ptr<const Request> request_;
  Result made_;
};

void Pipeline::Run::open() {
  made_.outcomes.opened = runner_.step(runner_.kept().opened, key(StageId::open, {}), false,
                                       [&](StageWork& work) { return run_open(input_, work); });
}

/// Part of `open`, with a key of its own: convolution, beam, memory, and whether the background needs a copy.
void Pipeline::Run::plan() {
  Shared<RunPlan>& kept = runner_.kept().planned;
  const auto reads = [](const Request& r) { return r.convolve || r.background || r.detect; };
  const Key wanted = key(StageId::open, ids(made_.outcomes.opened));
  if (kept && kept->key == wanted) {
    const Request &before = *kept->key.parameters, &now = *request_;
    if (same_parameters(StageId::read, before, now) && same_parameters(StageId::convolve, before, now) &&
        needs_copy(before) == needs_copy(now) && reads(before) == reads(now) && before.psf_map == now.psf_map &&
        before.beam_is == now.beam_is && before.detect.has_value() == now.detect.has_value()) {
      made_.outcomes.planned = kept;
      return;
    }
  }
  StageWork work(*runner_.backend(), runner_.job(), runner_.events().log);
  auto made = std::make_shared<Outcome<RunPlan>>();
  made->value = plan_run(made_.outcomes.opened->value, *request_, work);
  StageRunner::record(*made, wanted, work);
  kept = made;
  made_.outcomes.planned = std::move(made);
}

void Pipeline::Run::read(const TilingPlan& tiling) {
  Outcomes& out = made_.outcomes;
  out.read = runner_.step(runner_.kept().read, key(StageId::read, ids(out.opened)), true, [&](StageWork& work) {
    return run_read({out.opened->value, tiling}, *request_, work);
  });
}

void Pipeline::Run::convolve() {
  Outcomes& out = made_.outcomes;
  out.convolved = runner_.step(
      runner_.kept().convolved, key(StageId::convolve, ids(out.read)), convolves(out.planned->value),
      [&](StageWork& work) {
        const bool once = runner_.events().rows_once;
        return run_convolve({out.read->value, out.planned->value, *out.opened->value.header, once}, *request_, work);
      });
}

void Pipeline::Run::measure_background() {
  Outcomes& out = made_.outcomes;
  const BackgroundInputs in{*out.convolved->value.plane, *out.planned->value.header,     out.convolved->value.beam,
                            out.planned->value.tiling,   !convolves(out.planned->value), labelled_next(*request_)};
  out.background = runner_.step(runner_.kept().background, key(StageId::background, ids(out.convolved)), true,
                                [&](StageWork& work) { return run_background(in, *request_->background, work); });
}

void Pipeline::Run::find_in(Sign sign, const DetectOptions& options) {
  Outcomes &out = made_.outcomes, &kept = runner_.kept();
  const bool first = sign == Sign::positive;
  FoundSources &found = first ? out.positive : out.negative, &before = first ? kept.positive : kept.negative;
  const Request& request = *request_;
  // The negative image takes the thresholds and the noise of the positive one.
  const auto of_first = [&](const auto& slot) { return first ? nullptr : slot; };
  found.detected = runner_.step(
      before.detected, key(StageId::detect, ids(out.convolved, out.background, of_first(out.positive.detected)), sign),
      true, [&](StageWork& work) { return run_detect(plane(), out.planned->value.tiling, options, request, work); });
  const Detected& detected = found.detected->value;
  found.measured = runner_.step(before.measured, key(StageId::measure, ids(found.detected), sign), true,
                                [&](StageWork& work) { return run_measure(plane(), detected, request, work); });
  if (!request.fit.wanted(out.convolved->value.beam.has_value())) return;
  found.fitted = runner_.step(
      before.fitted, key(StageId::fit, ids(found.measured, of_first(out.positive.fitted)), sign), true,
      [&](StageWork& work) {
        return run_fit({plane(), detected, found.measured->value, first ? nullptr : out.positive.fitted->value.fitter},
                       request, work);
      });
}

void Pipeline::Run::judge() {
  Outcomes& out = made_.outcomes;
  const auto inputs = [](const FoundSources& found) { return FoundInputs{found.detected->value, found.rows()}; };
  const JudgeInputs in{*out.planned->value.header, made_.beams(), inputs(out.positive),
                       out.negative.detected ? std::optional(inputs(out.negative)) : std::nullopt};
  const Key wanted =
      key(StageId::judge, ids(out.positive.measured, out.positive.fitted, out.negative.measured, out.negative.fitted));
  out.judged = runner_.step(runner_.kept().judged, wanted, false,
                            [&](StageWork& work) { return run_judge(in, *request_, work); });
}

/// All stages after the convolution. What is not asked for is not kept.
void Pipeline::Run::find() {
  Outcomes& kept = runner_.kept();
  if (!request_->background) return runner_.drop(kept.background);
  measure_background();
  if (!request_->detect) {
    runner_.drop(kept.positive.detected);
    return;
  }
  find_in(Sign::positive, *request_->detect);
  if (request_->negative_too || request_->reliability)
    find_in(Sign::negative, options_of_negative(made_.outcomes.positive.detected->value));
  else
    runner_.drop(kept.negative.detected);
  judge();
}

void Pipeline::Run::describe() {
  runner_.fill_report(input_.path, made_);
  if (!request_->dry_run) made_.history = history_lines(*request_, made_);
}

std::vector<std::string> Pipeline::Run::write_files() {
  return write_products(*request_, made_, runner_.job(), runner_.events().outputs);
}

void Pipeline::Run::write() {
  if (!any_product(request_->output)) return;
  auto made = std::make_shared<Outcome<std::vector<std::string>>>();
  made->id = next_outcome_id();
  made->key = key(StageId::write, {});
  made->cost = runner_.timed(StageId::write, Sign::positive, true, [&] {
    made->value = write_files();
    return fmt::format("{} {}", made->value.size(), made->value.size() == 1 ? "file" : "files");
  });
  made_.report.outputs = made->value;
  made_.report.stages.push_back(made->cost);
  made_.stages_run.push_back(made->cost.name);
  made_.outcomes.written = std::move(made);
}

/// Several requests that differ in their convolutions, in groups that the device's memory holds together.
class Pipeline::RunEach {
 public:
  RunEach(StageRunner& runner, const Input& input, std::span<const Request> requests, const Take& take)
      : runner_(runner), take_(take) {
    for (const Request& request : requests) runs_.emplace_back(runner, input, request);
  }

  Report execute();

 private:
  void plan_all();
  [[nodiscard]] std::int64_t free_bytes() const;
  void convolve(std::span<Run> group);
  void finish(std::span<Run> group, std::size_t first);
  void tell(const Run& run);
  /// What tells one request's words from another's: its file.
  [[nodiscard]] static std::string prefix(const Run& run) { return run.request().output.file_of("convolved") + ": "; }

  StageRunner& runner_;
  const Take& take_;
  std::vector<Run> runs_;
  Report report_;
  MemoryNeeds needs_;
  TilingPlan tiling_;
  Shared<std::shared_ptr<const Plane>> read_;
  std::optional<double> range_;
};

/// What the device still offers, within what the user allows.
std::int64_t Pipeline::RunEach::free_bytes() const {
  const std::int64_t offered = runner_.backend()->info().device_memory_bytes;
  const std::int64_t allowed = runs_.front().request().device_memory_bytes;
  const std::int64_t held = read_ && tiling_.resident ? read_->value->shape().count() * 4 : 0;
  const std::int64_t cap = allowed > 0 ? std::max<std::int64_t>(allowed - held, 1) : 0;
  return offered > 0 && cap > 0 ? std::min(cap, offered) : offered;
}

/// One tiling serves all kernels: the halo and the workspace are those of the largest.
void Pipeline::RunEach::plan_all() {
  for (Run& run : runs_) {
    run.open();
    run.plan();
    const RunPlan& plan = run.planned();
    needs_ = needs_of_both(needs_, plan.needs);
  }
  const auto& of_image = runs_.front().outcomes();
  report_.warnings = of_image.opened->warnings;
  for (const Fact& fact : of_image.planned->facts)
    if (fact.first == "image" || fact.first == "unit" || fact.first == "beam" || fact.first == "sky")
      report_.facts.push_back(fact);
  for (const Run& run : runs_) {
    if (!run.planned().choice) report_.facts.emplace_back("kernel", "none");
    for (const Fact& fact : convolution_facts(run.planned())) report_.facts.push_back(fact);
    report_.facts.emplace_back("file", run.request().output.file_of("convolved"));
  }
  tiling_ = plan_tiling(needs_, free_bytes());
  for (const Run& run : runs_)
    if (const TilingPlan& own = run.planned().tiling; own.in_source) tiling_ = own;
  report_.facts.emplace_back("plan", tiling_.reason);
}

void Pipeline::RunEach::convolve(std::span<Run> group) {
  std::vector<LogSink> logs;
  std::vector<StageWork> works;
  std::vector<ConvolutionOfMany> each;
  logs.reserve(group.size());
  works.reserve(group.size());
  for (Run& run : group) {
    logs.emplace_back(
        [&log = runner_.events().log, of = prefix(run)](LogLevel, const std::string& text) { log.warning(of + text); });
    works.emplace_back(*runner_.backend(), runner_.job(), logs.back());
    each.push_back({run.request(), run.planned(), works.back()});
  }
  std::vector<Convolved> planes;
  const StageReport cost = runner_.timed(StageId::convolve, Sign::positive, true, [&] {
    planes = run_convolve_each(read_->value, each, range_, runner_.job());
    std::string words;
    for (const StageWork& work : works) words += (words.empty() ? "" : ", ") + work.algorithm;
    return words;
  });
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto made = std::make_shared<Outcome<Convolved>>();
    made->value = std::move(planes[i]);
    made->cost = cost;
    StageRunner::record(*made, group[i].key(StageId::convolve, ids(read_)), works[i]);
    group[i].take(std::move(made));
  }
}

/// What a request adds to the report of all, under its file's name.
void Pipeline::RunEach::tell(const Run& run) {
  bool after_read = false;
  for (const auto& record : run.outcomes().records()) {
    after_read = after_read || record->key.stage == StageId::convolve;
    if (!after_read) continue;
    for (const auto& [name, text] : record->facts) report_.facts.emplace_back(name, prefix(run) + text);
    for (const std::string& warning : record->warnings) report_.warnings.push_back(prefix(run) + warning);
  }
}

void Pipeline::RunEach::finish(std::span<Run> group, std::size_t first) {
  for (Run& run : group) {
    run.find();
    run.describe();
    tell(run);
  }
  if (std::ranges::any_of(group, [](const Run& run) { return any_product(run.request().output); }))
    (void)runner_.timed(StageId::write, Sign::positive, true, [&] {
      const std::size_t before = report_.outputs.size();
      for (Run& run : group) {
        run.result().report.outputs = run.write_files();
        const auto& written = run.result().report.outputs;
        report_.outputs.insert(report_.outputs.end(), written.begin(), written.end());
      }
      const std::size_t count = report_.outputs.size() - before;
      return fmt::format("{} {}", count, count == 1 ? "file" : "files");
    });
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (take_) take_(first + i, group[i].result());
    group[i].result() = {};
  }
}

Report Pipeline::RunEach::execute() {
  const auto start = Clock::now();
  const BackendInfo info = runner_.backend()->info();
  report_.backend = info.name;
  report_.device = info.device;
  report_.input = runs_.front().request().input;
  plan_all();
  if (!runs_.front().request().dry_run) {
    for (Run& run : runs_) run.read(tiling_);
    read_ = runs_.front().outcomes().read;
    report_.facts.insert(report_.facts.end(), read_->facts.begin(), read_->facts.end());
    report_.warnings.insert(report_.warnings.end(), read_->warnings.begin(), read_->warnings.end());
    // A plane that is kept from earlier runs would take the room of a group.
    runner_.drop(runner_.kept().convolved);
    for (std::size_t done = 0; done < runs_.size();) {
      const std::size_t count =
          planes_at_once(needs_.shape, runs_.size() - done, free_bytes() - needs_.workspace_bytes);
      const std::span group = std::span(runs_).subspan(done, count);
      convolve(group);
      finish(group, done);
      done += count;
    }
    report_.stages = runner_.rows();
  }
  report_.wall_ms = ms_since(start);
  return std::move(report_);
}

Pipeline::Pipeline(std::shared_ptr<Backend> backend, Input input)
    : backend_(std::move(backend)), input_(std::move(input)) {}

Result Pipeline::run(const Request& request, const RunEvents& events) {
  const auto start = Clock::now();
  refuse_broken_rules(request);
  StageRunner runner(backend_, kept_, events);
  Run run(runner, input_, request);
  run.open();
  run.plan();
  if (!request.dry_run && run.reads()) {
    run.read(run.planned().tiling);
    run.convolve();
    run.find();
  }
  run.describe();
  if (!request.dry_run) run.write();
  run.result().report.wall_ms = ms_since(start);
  return std::move(run.result());
}

Report Pipeline::run_each(std::span<const Request> requests, const Take& take, const RunEvents& events) {
  StageRunner runner(backend_, kept_, events);
  return RunEach(runner, input_, requests, take).execute();
}

Result run_once(std::shared_ptr<Backend> backend, const Request& request, const RunEvents& events) {
  return Pipeline(std::move(backend), input_of(request)).run(request, events);
}

}  // namespace reber
