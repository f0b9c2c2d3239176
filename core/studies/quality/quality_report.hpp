// SPDX-License-Identifier: BSD-3-Clause
// A quality report from a finished run to its files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/io/atomic_file.hpp"
#include "core/studies/quality/quality.hpp"

namespace reber {

/// Files of a report, by the name of its page.
struct ReportFiles {
  std::string page, json, casda;
  std::string completeness;  ///< kept from report to report
  explicit ReportFiles(const std::string& path);
  /// Those that are written anew; completeness is not among them.
  [[nodiscard]] std::vector<std::string> all() const { return {page, json, casda}; }
};

struct QualityReport {
  Quality quality;
  std::string page, json, casda;  ///< texts of the files
  std::string kept;               ///< of completeness; empty where the file has it already, or there is none
};

/// What is run for a report: the request with negative sources and reliability, and without files.
[[nodiscard]] Request report_run(Request request);

/// The report of report_run()'s result, without completeness.   why_none: in words
///   throws as measure_quality
[[nodiscard]] QualityReport quick_report(const Request& request, const Result& result, const std::string& why_none,
                                         const QualityOptions& how, const Progress& progress);

/// Runs report_run(request) and reports, with completeness: that of the file where it is of this request, else
/// measured.
///   kept: the file; empty: there is none   throws as measure_completeness and measure_quality
[[nodiscard]] QualityReport full_report(const Request& request, const std::shared_ptr<Backend>& backend,
                                        const std::string& kept, const QualityOptions& how, const Progress& progress,
                                        const LogSink& log);

/// how: where files are there already; its group takes them   throws as AtomicFile
void write_report(const QualityReport& report, const ReportFiles& files, const FileOptions& how);

}  // namespace reber
