// SPDX-License-Identifier: BSD-3-Clause
// Runs one image and says what became of it.
#include "app/batch/run_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/options/output_names.hpp"
#include "app/options/product_options.hpp"
#include "app/results/extended_search.hpp"
#include "app/results/source_table.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/files/io/plain_path.hpp"
#include "core/run/cube/plane_runs.hpp"
#include "core/studies/quality/quality_report.hpp"
#include "core/studies/verification.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownSources = 10;

void write_text(const std::string& path, const std::string& text, const FileOptions& how) {
  AtomicFile file(path, how);
  file.write(text);
  file.commit();
}

void tell(ImageDone& done, const std::string& text) {
  done.told += text;
  if (!text.ends_with('\n')) done.told += '\n';
}

void fill(ImageRecord& record, const Result& result) {
  record.sources = static_cast<std::int64_t>(result.sources().size());
  record.seconds = result.report.wall_ms * 1e-3;
  for (const StageReport& stage : result.report.stages) record.stages.emplace_back(stage.name, stage.wall_ms * 1e-3);
  for (const std::string& path : result.report.outputs)
    record.outputs.emplace_back(fs::path(path).filename().string(), state_of(path).bytes);
}

}  // namespace

std::string result_path(const std::string& folder, const BatchImage& image, const char* ending) {
  return (fs::path(folder) / stem_of(image)).string() + ending;
}

LogSink log_of_image(const LogSink& log, const std::string& name) {
  return LogSink([log, name](LogLevel level, const std::string& text) {
    if (level == LogLevel::detail) return log.detail(text);
    if (level == LogLevel::info) return log.info(name + ": " + text);
    log.warning(name + ": " + text);
  });
}

ImageRunner::ImageRunner(const RunSettings& settings, CommonOptions options, Terminal& terminal, bool many)
    : settings_(settings), options_(std::move(options)), choice_(options_, terminal), many_(many) {}

ImageDone ImageRunner::run(const BatchImage& image, const Progress& progress, const LogSink& log, bool again) {
  const ThreadBudget budget(options_.threads);
  ImageDone done;
  done.record.input = image.path;
  done.record.plane = image.plane;
  try {
    done.record.path = plain_path(image.path);
    done.record.state = state_of(image.path);
    done.record.version = program_name();
    Request request = settings_.request_of(image);
    request.fit.threads = options_.threads;
    request.output.overwrite |= again;
    process(image, request, progress, log, done);
  } catch (const Cancelled&) {
    throw;
  } catch (...) {
    const Failure failure = current_failure(image.name());
    done.record.exit_code = failure.exit_code;
    done.record.message = failure.message;
    done.record.outputs.clear();
  }
  done.record.backend = choice_.info().name;
  done.record.device = choice_.info().device;
  done.record.ended = now_utc();
  return done;
}

Result ImageRunner::compute(Request request, const MoreFiles& more, const Input& input, const Progress& progress,
                            const LogSink& log, std::unique_ptr<CommitGroup>& group) {
  return on_backend(choice_, [&](const std::shared_ptr<Backend>& backend) {
    const Request once = request;
    request.output.overwrite = true;  // a second time: what the first wrote before its card failed
    group = std::make_unique<CommitGroup>(once.output.durable);
    RunEvents events = events_of(progress, log);
    events.outputs = group.get();
    Pipeline pipeline(backend, input);
    Result made = pipeline.run(once, events);
    if (once.dry_run) return made;
    const FileOptions how(once.output.overwrite, group.get());
    if (!more.extended.empty()) write_extended(more.extended, made, once, how, progress);
    if (more.report) write_quality(*more.report, once, pipeline, made, how, progress);
    return made;
  });
}

/// The pipeline keeps what it made: the negative image alone is searched anew.
void ImageRunner::write_quality(const ReportFiles& files, const Request& request, Pipeline& pipeline, Result& made,
                                const FileOptions& how, const Progress& progress) const {
  const Request searched = report_run(request);
  QualityOptions options;
  options.levels = read_levels("default");
  options.threads = options_.threads;
  const Result result = pipeline.run(searched, events_of(progress));
  const char* const why = "'reber run' leaves it out; 'reber report' measures it";
  write_report(quick_report(searched, result, why, options, progress), files, how);
  for (const std::string& path : files.all()) made.report.outputs.push_back(path);
}

void ImageRunner::process(const BatchImage& image, Request request, const Progress& progress, const LogSink& log,
                          ImageDone& done) {
  const auto name = [&](const char* ending) { return result_path(settings_.folder, image, ending); };
  MoreFiles more;
  std::vector<std::string>& extended = more.extended;
  if (const std::string page = request.output.file_of("report"); !page.empty()) {
    more.report.emplace(page);
    std::erase_if(request.output.products, [](const ProductFile& one) { return one.word == "report"; });
  }
  if (settings_.extended) {
    extended = settings_.extended_of(image);
    // With their outlines, which come after the run.
    if (const std::string picture = request.output.file_of("picture"); !picture.empty()) {
      extended.push_back(picture);
      std::erase_if(request.output.products, [](const ProductFile& one) { return one.word == "picture"; });
    }
    if (extended.empty()) throw InputError("--extended writes tables, regions and the picture: ask for one of these");
    check_extended(extended, request, false);
  }
  std::vector<std::string> wanted = request.output.files();
  wanted.insert(wanted.end(), extended.begin(), extended.end());
  if (more.report) std::ranges::copy(more.report->all(), std::back_inserter(wanted));
  wanted.insert(wanted.end(), {name("_report.json"), name(".toml")});
  if (settings_.verify) wanted.push_back(name("_verification.json"));
  if (!request.dry_run) check_outputs(wanted, request.output.overwrite);
  Input input = input_of(request);
  if (image.is_plane()) {
    const CubePlane plane = settings_.cube->plane(request, progress, log);
    done.record.skipped = why_no_search(plane, request, progress);
    if (!done.record.skipped.empty()) return;
    input.pixels = plane.pixels;
    input.header = plane.header;
  }
  std::unique_ptr<CommitGroup> group;
  Result result = compute(request, more, input, progress, log, group);
  if (!request.dry_run) {
    const FileOptions how(request.output.overwrite, group.get());
    result.report.outputs.insert(result.report.outputs.end(), {name("_report.json"), name(".toml")});
    write_text(name(".toml"), settings_.config_of(request, {image.path}), how);
    write_text(name("_report.json"), to_json(result.report) + "\n", how);
    group->commit(progress);
  }
  fill(done.record, result);
  if (request.dry_run) done.report = to_json(result.report);
  if (many_ && !request.dry_run) {
    log.detail(to_text(result.report));
  } else {
    tell(done, to_text(result.report));
    if (request.dry_run)
      for (const std::string& output : wanted) tell(done, "  would write " + printable(output));
    else
      tell(done, "\n" + source_table(result.sources(), result.header(), kShownSources, Terminal::page_columns()));
  }
  if (settings_.verify && !request.dry_run) verify_one(image, request, progress, done);
}

void ImageRunner::verify_one(const BatchImage& image, const Request& request, const Progress& progress,
                             ImageDone& done) {
  const std::string path = result_path(settings_.folder, image, "_verification.json");
  if (!oracle_) oracle_ = reber::make_backend("reference", {}, LogSink());
  const VerificationReport report = verify(request, *choice_.backend(), *oracle_, progress);
  tell(done, "\n" + to_text(report));
  write_text(path, to_json(report) + "\n", request.output.overwrite);
  done.record.outputs.emplace_back(fs::path(path).filename().string(), state_of(path).bytes);
  if (!report.passed()) done.record.exit_code = kCheckFailed;
}

}  // namespace reber::app
