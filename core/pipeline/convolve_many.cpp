// SPDX-License-Identifier: BSD-3-Clause
// Opens, resolves, reads, then convolves and writes by groups of tasks whose results the device holds together.
#include "core/pipeline/convolve_many.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/pipeline/bright_sources.hpp"
#include "core/pipeline/history.hpp"
#include "core/pipeline/products.hpp"
#include "core/pipeline/stage.hpp"
#include "core/plan/tiling.hpp"

namespace reber {
namespace {

/// A task made ready.
struct Planned {
  Request request;  ///< as if it were run alone
  ResolvedConvolution convolution;
  std::optional<AlgorithmChoice> choice;  ///< empty where the image is copied
  std::vector<ConvolutionQuote> quotes;
};

class ManyConvolutions {
 public:
  ManyConvolutions(const Request& base, Backend& backend, const Progress& progress, const LogSink& log)
      : base_(base), backend_(backend), progress_(progress), job_(progress, &counters_), log_(log) {}

  Report execute(std::span<const ConvolutionTask> tasks) {
    const auto start = std::chrono::steady_clock::now();
    open();
    for (const ConvolutionTask& task : tasks) resolve(task);
    plan_memory();
    if (!base_.dry_run) {
      read();
      for (std::size_t done = 0; done < planned_.size();) {
        const std::size_t count =
            planes_at_once(plane_->shape(), planned_.size() - done, free_bytes() - workspace_bytes_);
        convolve_and_write(std::span(planned_).subspan(done, count));
        done += count;
      }
    }
    report_.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  void fact(const std::string& name, std::string value) { report_.facts.emplace_back(name, std::move(value)); }
  void warn(const std::string& text) {
    report_.warnings.push_back(text);
    log_.warning(text);
  }
  template <typename Body>
  void stage(const std::string& name, Body body) {
    run_stage(counters_, log_, report_, name, body);
  }

  void open();
  void resolve(const ConvolutionTask& task);
  void plan_memory();
  void read();
  void spare_bright_sources(std::span<Planned> group);
  [[nodiscard]] std::vector<std::shared_ptr<const Plane>> convolve(std::span<Planned> group);
  void convolve_and_write(std::span<Planned> group);
  [[nodiscard]] std::int64_t free_bytes() const;

  const Request& base_;
  Backend& backend_;
  const Progress& progress_;
  OpCounters counters_;  ///< of the stage under way
  const Job job_;
  const LogSink& log_;
  Report report_;
  std::shared_ptr<const FitsImage> image_;
  std::optional<Beam> beam_;
  std::vector<Planned> planned_;
  TilingPlan tiling_;
  std::int64_t workspace_bytes_ = 0;
  std::shared_ptr<const Plane> plane_;
  std::optional<double> range_;
};

/// A run that stops before the first pixel tells of the image.
void ManyConvolutions::open() {
  Request request = base_;
  request.convolve.reset();
  request.output = {};
  request.dry_run = true;
  PipelineResult opened = run_pipeline(request, backend_, progress_, log_);
  report_ = std::move(opened.report);
  image_ = std::move(opened.image);
  beam_ = opened.beam;
}

void ManyConvolutions::resolve(const ConvolutionTask& task) {
  Planned planned;
  planned.request = base_;
  planned.request.convolve = task.convolve;
  planned.request.output.convolved = task.path;
  planned.convolution = resolve_convolution(task.convolve, image_->header(), beam_);
  const ConvolutionSpec& spec = planned.convolution.spec;
  if (planned.convolution.copy) {
    fact("kernel", "none");
  } else {
    planned.quotes = backend_.quote(spec, image_->header().shape);
    planned.choice = choose_algorithm(planned.quotes, task.convolve.algorithm, 0);
    fact("kernel", fmt::format("{}, {} x {} weights", spec.kernel.text, spec.kernel.shape.nx, spec.kernel.shape.ny));
    fact("algorithm", fmt::format("{}: {}", to_string(planned.choice->algorithm), planned.choice->reason));
  }
  for (const std::string& note : planned.convolution.notes) fact("convolution", note);
  fact("file", task.path);
  planned_.push_back(std::move(planned));
}

/// One tiling serves all kernels: the halo and the workspace are those of the largest.
void ManyConvolutions::plan_memory() {
  MemoryNeeds needs;
  needs.shape = image_->header().shape;
  for (const Planned& planned : planned_) {
    if (!planned.choice) continue;
    needs.convolve = true;
    needs.halo_rows = std::max(needs.halo_rows, planned.convolution.spec.kernel.shape.ny / 2 + 1);
    for (const ConvolutionQuote& quote : planned.quotes)
      if (quote.algorithm == planned.choice->algorithm)
        needs.workspace_bytes = std::max(needs.workspace_bytes, quote.workspace_bytes);
  }
  workspace_bytes_ = needs.workspace_bytes;
  tiling_ = plan_tiling(needs, free_bytes());
  fact("plan", tiling_.reason);
}

/// What the device still offers, within what the user allows.
std::int64_t ManyConvolutions::free_bytes() const {
  const std::int64_t offered = backend_.info().device_memory_bytes;
  const std::int64_t held = plane_ && tiling_.resident ? plane_->shape().count() * 4 : 0;
  const std::int64_t cap =
      base_.device_memory_bytes > 0 ? std::max<std::int64_t>(base_.device_memory_bytes - held, 1) : 0;
  return offered > 0 && cap > 0 ? std::min(cap, offered) : offered;
}

void ManyConvolutions::read() {
  stage("read", [&] {
    plane_ = backend_.load(*image_->pixels(), tiling_, job_);
    const std::int64_t all = plane_->shape().count();
    if (plane_->infinite() > 0) warn(fmt::format("{} infinite pixels count as blank", plane_->infinite()));
    fact("blank pixels", fmt::format("{} of {}", plane_->blank(), all));
    return fmt::format("{:.1f} MB of pixels", static_cast<double>(all * std::abs(image_->header().bitpix) / 8) * 1e-6);
  });
  if (plane_->blank() == plane_->shape().count()) warn(fmt::format("{}: no finite pixels", base_.input));
}

void ManyConvolutions::spare_bright_sources(std::span<Planned> group) {
  for (Planned& planned : group) {
    if (!planned.choice || planned.choice->algorithm != Algorithm::fft || planned.request.convolve->algorithm) continue;
    if (!range_) range_ = dynamic_range(backend_, *plane_, job_);
    const auto again = choice_for_range(planned.quotes, *range_);
    if (!again) continue;
    planned.choice = again->choice;
    fact("algorithm", fmt::format("{}: {}", planned.request.output.convolved, again->choice.reason));
    if (!again->warning.empty()) warn(fmt::format("{}: {}", planned.request.output.convolved, again->warning));
  }
}

/// One plane a task of the group; the image's own where it is copied.
std::vector<std::shared_ptr<const Plane>> ManyConvolutions::convolve(std::span<Planned> group) {
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  std::vector<const ConvolutionPlan*> each;
  for (const Planned& planned : group) {
    if (!planned.choice) continue;
    plans.push_back(
        backend_.plan_convolution(planned.convolution.spec, plane_->shape(), planned.choice->algorithm, job_));
    each.push_back(plans.back().get());
  }
  auto made = backend_.convolve(*plane_, each, job_);
  std::vector<std::shared_ptr<const Plane>> planes;
  auto next = made.begin();
  for (const Planned& planned : group) planes.push_back(planned.choice ? std::move(*next++) : plane_);
  return planes;
}

void ManyConvolutions::convolve_and_write(std::span<Planned> group) {
  std::vector<std::shared_ptr<const Plane>> planes;
  stage("convolve", [&] {
    spare_bright_sources(group);
    planes = convolve(group);
    std::string words;
    for (const Planned& planned : group)
      words += fmt::format("{}{}", words.empty() ? "" : ", ",
                           planned.choice ? to_string(planned.choice->algorithm) : "copy");
    return words;
  });
  stage("write", [&] {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Planned& planned = group[i];
      PipelineResult result;
      result.image = image_;
      result.plane = std::move(planes[i]);
      result.beam = planned.convolution.beam_after;
      const auto history = history_lines({planned.request,
                                          report_,
                                          planned.choice ? &planned.convolution : nullptr,
                                          planned.choice ? &*planned.choice : nullptr,
                                          {},
                                          {}});
      const auto written = write_products(planned.request.output, backend_, result, history, job_);
      report_.outputs.insert(report_.outputs.end(), written.begin(), written.end());
    }
    return fmt::format("{} files", group.size());
  });
}

}  // namespace

Report convolve_many(const Request& base, std::span<const ConvolutionTask> tasks, Backend& backend,
                     const Progress& progress, const LogSink& log) {
  return ManyConvolutions(base, backend, progress, log).execute(tasks);
}

}  // namespace reber
