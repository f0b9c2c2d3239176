// SPDX-License-Identifier: BSD-3-Clause
// The texts of a report, and the files that hold them.
#include "core/studies/quality/quality_report.hpp"

#include <filesystem>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/studies/quality/documents.hpp"
#include "core/studies/quality/kept_completeness.hpp"
#include "core/studies/quality/page.hpp"

namespace reber {
namespace {

std::string beside(const std::string& path, const char* ending) {
  return std::filesystem::path(path).replace_extension(ending).string();
}

QualityReport report_of(const Request& request, const Result& result, std::optional<CompletenessResult> completeness,
                        const std::string& why_none, const QualityOptions& how, const Progress& progress) {
  QualityReport made;
  made.quality = measure_quality(request, result, std::move(completeness), why_none, how, progress);
  std::string no_figures;
  const std::vector<Figure> figures = draw_figures(made.quality, result, progress, no_figures);
  made.page = page_of(made.quality, figures, no_figures);
  made.json = to_json(made.quality);
  made.casda = casda_document(made.quality);
  return made;
}

}  // namespace

ReportFiles::ReportFiles(const std::string& path)
    : page(path),
      json(beside(path, ".json")),
      casda(beside(path, ".xml")),
      completeness(beside(path, ".completeness.json")) {}

Request report_run(Request request) {
  request.negative_too = request.reliability = true;
  request.output = {};
  return request;
}

QualityReport quick_report(const Request& request, const Result& result, const std::string& why_none,
                           const QualityOptions& how, const Progress& progress) {
  return report_of(request, result, {}, why_none, how, progress);
}

QualityReport full_report(const Request& request, const std::shared_ptr<Backend>& backend, const std::string& kept,
                          const QualityOptions& how, const Progress& progress, const LogSink& log) {
  const Request searched = report_run(request);
  const Result result = run_once(backend, searched, events_of(progress, log));
  const CompletenessOptions experiment;
  const std::string key = completeness_key(request, experiment);
  std::optional<CompletenessResult> completeness;
  std::string fresh, why_none;
  if (!kept.empty()) completeness = kept_completeness(kept, key);
  if (!completeness) {
    try {
      completeness = measure_completeness(request, experiment, backend, progress, log);
      fresh = kept_text(*completeness, key);
    } catch (const InputError& error) {
      why_none = error.what();
    }
  }
  QualityReport made = report_of(searched, result, std::move(completeness), why_none, how, progress);
  made.kept = std::move(fresh);
  return made;
}

void write_report(const QualityReport& report, const ReportFiles& files, const FileOptions& how) {
  const auto write = [&](const std::string& path, const std::string& text, const FileOptions& options) {
    AtomicFile file(path, options, report.quality.input);
    file.write(text);
    file.commit(static_cast<std::int64_t>(text.size()));
  };
  write(files.page, report.page, how);
  write(files.json, report.json + "\n", how);
  write(files.casda, report.casda, how);
  FileOptions again = how;
  again.overwrite = true;
  if (!report.kept.empty()) write(files.completeness, report.kept, again);
}

}  // namespace reber
