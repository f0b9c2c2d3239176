// SPDX-License-Identifier: BSD-3-Clause
// reber run: the whole pipeline over one file or many.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/commands/source_table.hpp"
#include "app/options/config_file.hpp"
#include "app/options/output_names.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/product_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/io/atomic_file.hpp"
#include "core/studies/verification.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShownSources = 10;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::vector<std::string> files;
  std::string folder;
  std::vector<std::string> products;
  ColumnOptions columns;
  bool verify = false;
};

const std::vector<std::string>& all_products() {
  static const std::vector<std::string> names{"csv",      "fits",    "vot",       "sqlite", "reg",    "crtf",
                                              "ann",      "mean",    "rms",       "snr",    "labels", "model",
                                              "residual", "picture", "convolved", "srl",    "gaul",   "skymodel"};
  return names;
}

/// Paths in the output folder that begin with an input's name.
class Names {
 public:
  Names(const std::string& folder, const std::string& input) : stem_((fs::path(folder) / stem_of(input)).string()) {}
  [[nodiscard]] std::string operator()(const char* ending) const { return stem_ + ending; }

 private:
  std::string stem_;
};

OutputRequest outputs(const Options& options, const Names& name, bool convolved) {
  const auto asked = [&](const char* product) {
    return std::find(options.products.begin(), options.products.end(), product) != options.products.end();
  };
  const auto wanted = [&](const char* product) { return options.products.empty() || asked(product); };
  OutputRequest output;
  apply(options.columns, output);
  output.overwrite = options.common.overwrite;
  if (wanted("csv")) output.catalogues.push_back(name(".csv"));
  if (wanted("fits")) output.catalogues.push_back(name("_cat.fits"));
  if (wanted("vot")) output.catalogues.push_back(name(".vot"));
  if (wanted("reg")) output.catalogues.push_back(name(".reg"));
  for (const char* asked_for : {"sqlite", "crtf", "ann", "srl", "gaul", "skymodel"})
    if (asked(asked_for)) output.catalogues.push_back(name((std::string(".") + asked_for).c_str()));
  if (asked("model")) output.model = name("_model.fits");
  if (asked("residual")) output.residual = name("_residual.fits");
  if (wanted("mean")) output.mean = name("_mean.fits");
  if (wanted("rms")) output.rms = name("_rms.fits");
  if (wanted("snr")) output.snr = name("_snr.fits");
  if (wanted("labels")) output.labels = name("_labels.fits");
  if (wanted("picture")) output.picture = name(".png");
  if (wanted("convolved") && convolved) output.convolved = name("_convolved.fits");
  return output;
}

Request make_request(const Options& options, const CLI::App& command, const std::string& path) {
  Request request = base_request(options.common, path);
  request.call = options_of_call(command, options.parameters);
  options.parameters.apply(request);
  request.output = outputs(options, Names(options.folder, path), request.convolve.has_value());
  return request;
}

void write_text(const std::string& path, const std::string& text, bool overwrite) {
  AtomicFile file(path, overwrite);
  file.write(text);
  file.commit();
}

/// A batch over many files.
class Batch {
 public:
  Batch(const Options& options, const CLI::App& command, Terminal& terminal)
      : options_(options), command_(command), terminal_(terminal) {}

  int execute() {
    (void)make_request(options_, command_, options_.files.front());
    check_distinct_names(options_.files);
    backend_ = make_backend(options_.common, terminal_);
    if (options_.verify && backend_->info().name == "reference") {
      throw InputError("--verify compares with the reference; it needs another --backend");
    }
    if (!options_.common.dry_run) make_folder(options_.folder);
    for (std::size_t i = 0; i < options_.files.size(); ++i) one_file(i);
    finish();
    return exit_code_;
  }

 private:
  void one_file(std::size_t index) {
    const std::string& path = options_.files[index];
    const bool many = options_.files.size() > 1;
    try {
      terminal_.set_subject(many ? fmt::format("[{}/{}] {}", index + 1, options_.files.size(), path) : path);
      process(path, many);
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      const Failure failure = current_failure(path);
      terminal_.error(failure.message);
      failures_.emplace_back(path, failure);
      documents_.push_back({{"input", path}, {"error", failure.message}, {"exit_code", failure.exit_code}});
      exit_code_ = worse(exit_code_, failure.exit_code);
    }
  }

  void process(const std::string& path, bool many) {
    const Request request = make_request(options_, command_, path);
    const Names name(options_.folder, path);
    std::vector<std::string> wanted = outputs_of(request.output);
    wanted.insert(wanted.end(), {name("_report.json"), name(".toml")});
    if (options_.verify) wanted.push_back(name("_verification.json"));
    if (!request.dry_run) check_outputs(wanted, request.output.overwrite);
    const Progress progress = terminal_.progress();
    Result result = run_once(backend_, request, events_of(progress, terminal_.log()));
    if (!request.dry_run) {
      result.report.outputs.insert(result.report.outputs.end(), {name("_report.json"), name(".toml")});
      write_text(name(".toml"), effective_config(command_, request, {path}), request.output.overwrite);
      write_text(name("_report.json"), to_json(result.report) + "\n", request.output.overwrite);
    }
    terminal_.clear_progress();
    documents_.push_back(Json::parse(to_json(result.report)));
    if (many && !request.dry_run) {
      terminal_.print(fmt::format("{}: {} sources, {:.2f} s", printable(path), result.sources().size(),
                                  result.report.wall_ms * 1e-3));
      terminal_.detail(to_text(result.report));
    } else {
      terminal_.print(to_text(result.report));
      if (request.dry_run) {
        for (const std::string& output : wanted) terminal_.print("  would write " + printable(output));
      } else {
        terminal_.print("\n" + source_table(result.sources(), result.header(), kShownSources));
      }
    }
    if (options_.verify && !request.dry_run) verify_one(request, name("_verification.json"));
  }

  void verify_one(const Request& request, const std::string& path) {
    if (!oracle_) oracle_ = reber::make_backend("reference", {}, LogSink());
    const VerificationReport report = verify(request, *backend_, *oracle_, terminal_.progress());
    terminal_.clear_progress();
    terminal_.print("\n" + to_text(report));
    documents_.back()["verification"] = Json::parse(to_json(report));
    write_text(path, to_json(report) + "\n", request.output.overwrite);
    if (!report.passed()) {
      ++breached_;
      exit_code_ = worse(exit_code_, kCheckFailed);
    }
  }

  void finish() {
    if (options_.files.size() > 1) {
      terminal_.print(fmt::format("{} of {} files done{}", options_.files.size() - failures_.size(),
                                  options_.files.size(),
                                  breached_ > 0 ? fmt::format(", {} broke a bound", breached_) : ""));
      for (const auto& [path, failure] : failures_) terminal_.error(fmt::format("failed: {}", path));
    }
    write_json(options_.common, documents_.dump(2, ' ', false, Json::error_handler_t::replace), terminal_);
  }

  const Options& options_;
  const CLI::App& command_;
  Terminal& terminal_;
  std::shared_ptr<Backend> backend_, oracle_;
  Json documents_ = Json::array();
  std::vector<std::pair<std::string, Failure>> failures_;
  std::size_t breached_ = 0;
  int exit_code_ = kDone;
};

void add_output_options(CLI::App& command, Options& options) {
  command.add_option("-o,--output", options.folder, "Folder for the results; made if it is not there")
      ->required()
      ->type_name("DIR")
      ->group("Output");
  command
      .add_option("--products", options.products,
                  "Write these alone; default: all but sqlite, crtf, ann, srl, gaul, skymodel, model and residual "
                  "(convolved with --kernel)")
      ->check(CLI::IsMember(all_products()))
      ->delimiter(',')
      ->type_name("LIST")
      ->group("Output");
  command
      .add_flag("--verify", options.verify,
                "Compare every stage with the reference afterwards; exit code 1 on a breach")
      ->group("Output");
  add_column_option(command, options.columns);
  add_overwrite_option(command, options.common);
  add_dry_run_option(command, options.common);
}

}  // namespace

void add_run(CLI::App& root, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("run", "Everything: convolve if asked, background, sources, maps, picture");
  command->add_option("files", options->files, "FITS images, plain or compressed (.gz, .fz)")
      ->required()
      ->type_name("FILE")
      ->group("Input");
  add_output_options(*command, *options);
  options->parameters.add(*command, ParameterOptions::Group::detection);
  options->parameters.add(*command, ParameterOptions::Group::background);
  options->parameters.add(*command, ParameterOptions::Group::convolution);
  add_image_options(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Written for NAME.fits: NAME.csv, NAME_cat.fits, NAME.vot and NAME.reg (the catalogue), NAME_mean.fits,\n"
      "NAME_rms.fits, NAME_snr.fits and NAME_labels.fits (maps), NAME_convolved.fits (with --kernel), NAME.png,\n"
      "if asked for by --products NAME.sqlite, NAME.crtf, NAME.ann, NAME.srl, NAME.gaul, "
      "NAME.skymodel,\nNAME_model.fits, NAME_residual.fits,\n"
      "NAME_report.json (times and decisions) and NAME.toml (every option: reber run --config NAME.toml -o DIR2).\n"
      "\n"
      "Examples:\n"
      "  reber run m31.fits -o results\n"
      "  reber run m31.fits -o results --kernel beam:20,20,0 --threshold 6 --verify\n"
      "  reber run survey/*.fits -o results --products csv --json batch.json\n"
      "\n"
      "A file that fails does not stop the others; the exit code is the worst of them.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) {
      apply(options->common, terminal);
      return Batch(*options, *command, terminal).execute();
    };
  });
}

}  // namespace reber::app
