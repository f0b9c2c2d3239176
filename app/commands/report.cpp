// SPDX-License-Identifier: BSD-3-Clause
// reber report: the quality of an image, as a page and as numbers.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/studies/quality/documents.hpp"
#include "core/studies/quality/index_page.hpp"
#include "core/studies/quality/quality_report.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string output;
  std::vector<std::string> inputs;
  std::vector<std::string> against;
  std::string levels = "default";
  bool quick = false;
};

QualityReport make(const Request& request, const Options& options, const ReportFiles& files, const QualityOptions& how,
                   const std::shared_ptr<Backend>& backend, Terminal& terminal) {
  const Progress progress = terminal.progress();
  if (!options.quick) return full_report(request, backend, files.completeness, how, progress, terminal.log());
  const Request searched = report_run(request);
  const Result result = run_once(backend, searched, events_of(progress, terminal.log()));
  return quick_report(searched, result, "left out by --quick", how, progress);
}

/// What one image leaves: its files, and its row in the index.
struct Reported {
  IndexEntry entry;
  std::vector<std::string> files;
  std::string text, json;
};

Reported report_one(const std::string& input, const std::string& page, const Options& options,
                    const QualityOptions& how, Terminal& terminal) {
  Request request = base_request(options.common, input);
  options.parameters.apply(request);
  const ReportFiles files(page);
  terminal.set_subject(input);
  QualityReport made = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    return make(request, options, files, how, backend, terminal);
  });
  terminal.clear_progress();
  CommitGroup group;
  write_report(made, files, {options.common.overwrite, &group});
  group.commit(terminal.progress());
  return {index_entry(made.quality, fs::path(page).filename().string()), files.all(), to_text(made.quality),
          std::move(made.json)};
}

/// The pages of several images in a folder, by the images' names.   throws InputError where two would be the same
std::vector<std::string> pages_of(const Options& options) {
  std::vector<std::string> pages;
  std::set<std::string> taken{"index"};
  for (const std::string& input : options.inputs) {
    const std::string stem = fs::path(input).stem().string();
    if (!taken.insert(stem).second)
      throw InputError(
          fmt::format("{}: another image has a report of this name; give them in separate calls", printable(input)));
    pages.push_back((fs::path(options.output) / (stem + ".html")).string());
  }
  return pages;
}

/// One image and its page.
int report_image(const Options& options, const QualityOptions& how, Terminal& terminal) {
  const Reported made = report_one(options.inputs.front(), options.output, options, how, terminal);
  std::string text = printable(options.inputs.front()) + "\n" + made.text;
  for (const std::string& path : made.files) text += "  wrote " + printable(path) + "\n";
  text.pop_back();
  terminal.print(text);
  write_json(options.common, made.json, terminal);
  return kDone;
}

/// Several images into a folder, with an index. One that fails does not stop the others.
int report_images(const Options& options, const std::vector<std::string>& pages, const QualityOptions& how,
                  Terminal& terminal) {
  std::vector<IndexEntry> entries;
  std::string json;
  int code = kDone;
  for (std::size_t k = 0; k < pages.size(); ++k) {
    const std::string& input = options.inputs[k];
    const auto fail = [&](const std::exception& error, int its) {
      entries.push_back({fs::path(input).filename().string(), "", printable(error.what()), {}, true});
      terminal.log().warning(fmt::format("{}: {}", printable(input), printable(error.what())));
      code = worse(code, its);
    };
    try {
      Reported made = report_one(input, pages[k], options, how, terminal);
      terminal.print(fmt::format("{}: {}", printable(input), made.entry.verdict));
      entries.push_back(std::move(made.entry));
      json += (json.empty() ? "" : ",\n") + made.json;
    } catch (const InputError& error) {
      fail(error, current_failure().exit_code);
    } catch (const DataError& error) {
      fail(error, current_failure().exit_code);
    }
  }
  const std::string path = (fs::path(options.output) / "index.html").string(),
                    page = index_page(entries, program_name());
  AtomicFile file(path, options.common.overwrite);
  file.write(page);
  file.commit(static_cast<std::int64_t>(page.size()));
  terminal.print("wrote " + printable(path));
  write_json(options.common, "[" + json + "]", terminal);
  return code;
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  QualityOptions how;
  how.levels = read_levels(options.levels);
  how.threads = options.common.threads;
  for (const std::string& word : options.against) how.against.push_back(against_input(word));
  if (fs::path(options.output).extension() == ".html") {
    if (options.inputs.size() > 1)
      throw InputError(fmt::format("-o {}: several images have a page each: name a folder", printable(options.output)));
    check_outputs(ReportFiles(options.output).all(), options.common.overwrite);
    return report_image(options, how, terminal);
  }
  const std::vector<std::string> pages = pages_of(options);
  std::error_code wrong;
  fs::create_directories(options.output, wrong);
  if (wrong || !fs::is_directory(options.output))
    throw InputError(fmt::format("-o {}: neither a name that ends in .html nor a folder that can be made",
                                 printable(options.output)));
  std::vector<std::string> outputs{(fs::path(options.output) / "index.html").string()};
  for (const std::string& page : pages)
    for (const std::string& path : ReportFiles(page).all()) outputs.push_back(path);
  check_outputs(outputs, options.common.overwrite);
  return report_images(options, pages, how, terminal);
}

void add_report_options(Command& command, Options& options) {
  command.add_option("input", options.inputs, "FITS image, or several")->required()->type_name("IN")->group("Input");
  command
      .add_option("--against", options.against,
                  "Catalogues to hold positions and fluxes against, as 'reber match' reads them; @MHZ behind a name "
                  "where the file does not tell its frequency")
      ->type_name("CATALOGUE[@MHZ]")
      ->brief("Catalogues to hold it against")
      ->group("Input");
  command
      .add_option("--levels", options.levels,
                  "Where metrics pass: 'default', 'askap', or a TOML or JSON file (docs/report.md)")
      ->type_name("default|askap|FILE")
      ->capture_default_str()
      ->brief("Where metrics pass: a name or a file")
      ->group("Report");
  command
      .add_flag("--quick", options.quick,
                "Leave out completeness, which takes many searches; else it is kept beside the report and used again "
                "for the same image and options")
      ->brief("Leave out completeness, which takes long")
      ->group("Report");
  command
      .add_option(
          "-o,--output", options.output,
          "The page, NAME.html; NAME.json, NAME.xml (for CASDA) and NAME.completeness.json are written beside it")
      ->required()
      ->type_name("NAME.html|DIR")
      ->brief("The page, or a folder for several")
      ->group("Output");
}

}  // namespace

void add_report(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("report", "Quality report of an image: noise, completeness, astrometry, flux");
  add_report_options(*command, *options);
  options->parameters.add(*command, ParameterOptions::Group::detection);
  options->parameters.add(*command, ParameterOptions::Group::background);
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber report field.fits -o field.html\n"
      "  reber report field.fits --against racs.fits nvss.vot@1400 -o field.html\n"
      "  reber report survey/*.fits -o reports                a page each, and index.html with all\n"
      "  reber report field.fits --levels askap --quick -o field.html\n"
      "\n"
      "The page needs neither network nor script. Detection and measurement take the options of 'reber find',\n"
      "completeness those that 'reber complete' has by itself.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
