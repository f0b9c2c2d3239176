// SPDX-License-Identifier: BSD-3-Clause
// One image of `reber run`: the pipeline, the files beside its products, and what is to be recorded of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/open_cube.hpp"
#include "app/options/backend_choice.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/run/batch/input_list.hpp"
#include "core/run/batch/record.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/studies/quality/quality_report.hpp"

namespace reber::app {

/// What `reber run` was asked for.
struct RunSettings {
  CommonOptions common;
  std::vector<std::string> files;  ///< words of the command line: files, patterns, @LIST, -
  std::string planes;              ///< of each file, as parse_planes() takes them; empty: a file is one image
  std::string folder;
  bool verify = false;
  bool resume = false;
  int jobs = 0;         ///< images at a time; 0: as many as serve, on all cards
  int lanes = 0;        ///< 0: as many as serve
  std::string join;     ///< a path, "none", or empty for the default
  std::string rank;     ///< "I/N", or empty for the environment's
  int workers = 0;      ///< processes; 0: this one alone
  std::string devices;  ///< "all", "0,2": a process per card; empty: none

  std::function<Request(const BatchImage& image)> request_of;
  bool extended = false;  ///< looks for extended sources, and draws them in the picture
  /// Their tables and regions.
  std::function<std::vector<std::string>(const BatchImage& image)> extended_of;
  /// Every option in force, as TOML.
  std::function<std::string(const Request&, const std::vector<std::string>& inputs)> config_of;
  /// Shared by all lanes of this process.
  std::shared_ptr<OpenCube> cube = std::make_shared<OpenCube>();
};

/// The path of an image's result in the batch's folder: its name, then the ending.
[[nodiscard]] std::string result_path(const std::string& folder, const BatchImage& image, const char* ending);

/// The same log, of which warnings and messages begin with the image's name.
[[nodiscard]] LogSink log_of_image(const LogSink& log, const std::string& name);

/// What became of an image: done, or failed where the record says so.
struct ImageDone {
  ImageRecord record;  ///< without `list`, `index`
  std::string report;  ///< JSON, of a dry run: no file holds it
  std::string told;    ///< for people: what an image alone tells; of many, only a verification
};

/// Runs images one after the other on one backend, and on the next one where a card fails and --backend is auto. One
/// thread at a time; several runners may work side by side.
class ImageRunner {
 public:
  /// options: with this runner's own threads. many: the image is one of a batch.   throws InputError, DeviceError
  ImageRunner(const RunSettings& settings, CommonOptions options, Terminal& terminal, bool many);

  [[nodiscard]] const BackendInfo& info() const { return choice_.info(); }

  /// A failure is what became of the image.   throws Cancelled
  /// again: the image was begun before by a process that was lost; files that it may have left are replaced.
  [[nodiscard]] ImageDone run(const BatchImage& image, const Progress& progress, const LogSink& log,
                              bool again = false);

 private:
  void process(const BatchImage& image, Request request, const Progress& progress, const LogSink& log, ImageDone& done);
  /// What is made of a finished run beside its products.
  struct MoreFiles {
    std::vector<std::string> extended;  ///< of extended sources; none where nobody looks for them
    std::optional<ReportFiles> report;
  };
  /// group: takes the files of the attempt that succeeds, for the caller to commit.
  Result compute(Request request, const MoreFiles& more, const Input& input, const Progress& progress,
                 const LogSink& log, std::unique_ptr<CommitGroup>& group);
  void write_quality(const ReportFiles& files, const Request& request, Pipeline& pipeline, Result& made,
                     const FileOptions& how, const Progress& progress) const;
  void verify_one(const BatchImage& image, const Request& request, const Progress& progress, ImageDone& done);

  const RunSettings& settings_;
  CommonOptions options_;
  BackendChoice choice_;
  std::shared_ptr<Backend> oracle_;
  bool many_;
};

}  // namespace reber::app
