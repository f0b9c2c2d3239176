// SPDX-License-Identifier: BSD-3-Clause
// reber run: the whole pipeline over one file or many.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/batch/run_batch.hpp"
#include "app/batch/worker_process.hpp"
#include "app/commands/command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/config_file.hpp"
#include "app/options/output_names.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/product_options.hpp"
#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/show/picture/canvas.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

struct Options : RunSettings {
  ParameterOptions parameters;
  std::vector<std::string> products;
  ColumnOptions columns;
  std::string task;    ///< of a worker process
  bool plain = false;  ///< S/N and labels without compression
  bool draws = true;   ///< false: nothing here can draw, so that no picture is written unasked
};

/// Paths in the output folder that begin with an input's name.
class Names {
 public:
  Names(const std::string& folder, const BatchImage& image) : stem_((fs::path(folder) / stem_of(image)).string()) {}
  [[nodiscard]] std::string operator()(std::string_view ending) const { return stem_ + std::string(ending); }

 private:
  std::string stem_;
};

bool wanted(const Product& product, const Options& options) {
  if (options.products.empty() && product.kind == Product::Kind::picture && !options.draws) return false;
  return options.products.empty() ? product.usual : std::ranges::count(options.products, product.word) > 0;
}

OutputRequest outputs(const Options& options, const Names& name, bool convolved) {
  OutputRequest output;
  apply(options.columns, output);
  output.overwrite = options.common.overwrite || options.resume;
  output.durable = options.common.durable;
  for (const Product& product : kProducts) {
    if (!wanted(product, options) || (product.needs == Product::Needs::convolution && !convolved)) continue;
    std::string_view ending = product.ending;
    if (options.plain && ending.ends_with(".fz")) ending.remove_suffix(3);
    if (product.kind == Product::Kind::catalogue)
      output.catalogues.push_back(name(ending));
    else
      output.want(product.word, name(ending));
  }
  return output;
}

/// Of the tables and regions that are written of the sources, those of extended ones.
std::vector<std::string> extended_outputs(const Options& options, const Names& name) {
  std::vector<std::string> paths;
  for (const Product& product : kProducts)
    if (product.extended && wanted(product, options)) paths.push_back(name(fmt::format("_extended.{}", product.word)));
  return paths;
}

/// Words of the products that are written anyway.
std::string usual_words() {
  std::string text;
  for (const Product& product : kProducts)
    if (product.usual && product.needs != Product::Needs::convolution) {
      text += text.empty() ? "" : ", ";
      text += product.word;
    }
  return text;
}

/// Names of the files of products, those written anyway or the others, in lines of a terminal's width.
std::string file_names(bool usual) {
  constexpr std::size_t kWidth = 110;
  std::string text, line;
  for (const Product& product : kProducts) {
    if (product.usual != usual) continue;
    std::string one =
        fmt::format("NAME{}{}", product.ending, product.needs == Product::Needs::convolution ? " (with --kernel)" : "");
    if (line.size() + one.size() + 2 > kWidth) text += std::exchange(line, "") + ",\n";
    line += (line.empty() ? "" : ", ") + one;
  }
  return text + line;
}

Request make_request(const Options& options, const Command& command, const BatchImage& image) {
  Request request = base_request(options.common, image.path);
  request.call = options_of_call(command, options.parameters);
  options.parameters.apply(request);
  request.output = outputs(options, Names(options.folder, image), request.convolve.has_value());
  if (image.is_plane()) {
    request.open.plane = image.plane;
    request.output.plane_columns = true;
    for (std::string& line : request.call)
      if (line.starts_with("planes = ")) line = fmt::format("planes = \"{}\"", image.plane);
  }
  return request;
}

void add_output_options(Command& command, Options& options) {
  command.add_option("-o,--output", options.folder, "Folder for the results; made if it is not there")
      ->required()
      ->type_name("DIR")
      ->brief("Folder for the results")
      ->group("Output");
  std::vector<std::string> words;
  for (const Product& product : kProducts) words.emplace_back(product.word);
  command
      .add_option("--products", options.products,
                  fmt::format("Write these alone; default: {} (convolved with --kernel)", usual_words()))
      ->check(one_of(words))
      ->delimiter(',')
      ->type_name("LIST")
      ->brief("Write these alone: csv, fits, reg, rms, ...")
      ->group("Output");
  command
      .add_flag("--verify", options.verify,
                "Compare every stage with the reference afterwards; exit code 1 on a breach")
      ->group("Output");
  command
      .add_flag(
          "--extended", options.extended,
          "Look for extended sources as well: NAME_extended.csv, .fits, .vot and .reg, their outlines in NAME.png")
      ->brief("Look for extended sources as well")
      ->group("Output");
  command.add_flag("--no-compress", options.plain, "Write S/N and labels as plain images, not tile-compressed")
      ->group("Output");
  add_column_option(command, options.columns);
  add_overwrite_option(command, options.common);
  add_durable_option(command, options.common);
  add_dry_run_option(command, options.common);
}

/// A picture that nobody named must not cost the catalogues: without what draws it is left out, with a warning.
void see_what_draws(Options& options, Terminal& terminal) {
  if (!options.products.empty()) return;
  try {
    (void)drawing();
  } catch (const InputError& error) {
    options.draws = false;
    if (options.task.empty()) terminal.log().warning(fmt::format("no picture is written: {}", error.what()));
  }
}

std::string lanes_or_auto(const std::string& word) { return word == "auto" ? std::string() : within("run.jobs")(word); }

void add_batch_options(Command& command, Options& options) {
  command
      .add_option("--jobs", options.jobs,
                  "At most so many images at a time; 0: as many as serve, on the cards of this host, or on the CPU a "
                  "thread or more for each. The results are the same")
      ->check(within("run.jobs"))
      ->type_name("N")
      ->brief("Images at a time; 0: as many as serve")
      ->capture_default_str()
      ->group("Batch");
  command
      .add_flag("--resume", options.resume,
                "Do only the images that the records in DIR/batch.jsonl do not show as done: of these options, the "
                "input unchanged, the outputs whole; replaces what others left")
      ->brief("Do only the images that are not done")
      ->group("Batch");
  command
      .add_option_function(
          "--lanes", [&options](const std::string& word) { options.lanes = word == "auto" ? 0 : std::stoi(word); },
          "Images in flight; auto: as many as serve. On the CPU they divide the threads among them")
      ->check(lanes_or_auto)
      ->type_name("N|auto")
      ->default_str("auto")
      ->group("Batch");
  command
      .add_option("--join", options.join,
                  "One catalogue of all images in the order of the list, with a column File before the others; 'none' "
                  "for none. Default for several images: DIR/catalogue.csv")
      ->type_name("FILE.csv|none")
      ->group("Batch");
  command
      .add_option("--devices", options.devices,
                  "One worker process per card, given images as it is free: all, or numbers like 0,2. A process that "
                  "dies is replaced")
      ->type_name("all|LIST")
      ->group("Batch");
  command
      .add_option("--workers", options.workers,
                  "Worker processes on whichever backend, which divide the threads; 0: this process alone")
      ->check(within("run.workers"))
      ->type_name("N")
      ->capture_default_str()
      ->group("Batch");
  command.add_option("--serve", options.task)->group("");
  command
      .add_option("--rank", options.rank,
                  "Do share I of N (from 0) of the list; default: what srun, mpirun or PMI say. 0/1 for all. The "
                  "records are batch.I.jsonl; reber merge joins them")
      ->type_name("I/N")
      ->brief("Do share I of N of the list, from 0")
      ->group("Batch");
}

}  // namespace

void add_run(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("run", "Everything: convolve if asked, background, sources, maps, picture");
  command
      ->add_option("files", options->files,
                   "FITS images, plain or compressed (.gz, .fz); quoted patterns like 'survey/*.fits'; @LIST, a file "
                   "with a path per line; - for such lines from standard input")
      ->required()
      ->type_name("FILE")
      ->brief("Images, patterns, @LIST; - for a list")
      ->group("Input");
  add_planes_option(*command, options->planes);
  add_output_options(*command, *options);
  add_batch_options(*command, *options);
  options->parameters.add(*command, ParameterOptions::Group::detection);
  options->parameters.add(*command, ParameterOptions::Group::background);
  options->parameters.add(*command, ParameterOptions::Group::convolution);
  add_image_options(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Written for NAME.fits:\n" + file_names(true) + ",\nand if asked for by --products\n" + file_names(false) +
      ".\n"
      "NAME_mean.fits and NAME_rms.fits hold the mesh's nodes, those with _full every pixel.\n"
      "Besides these: "
      "NAME_report.json (times and decisions) and NAME.toml (every option: reber run --config NAME.toml\n-o DIR2).\n"
      "\n"
      "Examples:\n"
      "  reber run m31.fits -o results\n"
      "  reber run m31.fits -o results --kernel beam:20,20,0 --threshold 6 --verify\n"
      "  reber run survey/*.fits -o results --products csv --json batch.json\n"
      "  reber run @fields.txt -o results --resume\n"
      "  reber run cube.fits --planes all -o results       each plane as an image, cube_p0000.csv and so on\n"
      "\n"
      "DIR/batch.jsonl gets a line of JSON as each image ends. A file that fails is named and recorded and does not\n"
      "stop the others; the exit code is the worst of all images: 3 where one could not be read, say.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) {
      if (!options->task.empty()) options->common.json.clear();
      apply(options->common, terminal);
      see_what_draws(*options, terminal);
      RunSettings settings = *options;
      settings.request_of = [options, command](const BatchImage& image) {
        return make_request(*options, *command, image);
      };
      settings.extended_of = [options](const BatchImage& image) {
        return extended_outputs(*options, Names(options->folder, image));
      };
      settings.config_of = [command](const Request& request, const std::vector<std::string>& inputs) {
        return effective_config(*command, request, inputs);
      };
      if (!options->task.empty()) return serve(settings, WorkerTask::parse(options->task), terminal);
      return run_batch(settings, terminal);
    };
  });
}

}  // namespace reber::app
