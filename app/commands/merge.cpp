// SPDX-License-Identifier: BSD-3-Clause
// reber merge: what the records of a batch say, and one catalogue of its images.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/batch/join.hpp"
#include "core/run/batch/record_file.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonOptions common;
  std::string folder, output;
};

/// The catalogue among an image's outputs; empty where none is CSV.
std::string csv_of(const ImageRecord& record) {
  const auto found =
      std::ranges::find_if(record.outputs, [](const auto& file) { return file.first.ends_with(".csv"); });
  if (found == record.outputs.end()) return "";
  if (fs::path(found->first).filename() != found->first)
    throw DataError(
        fmt::format("a record names the catalogue '{}', which is no file of its folder", printable(found->first)));
  return found->first;
}

class Merge {
 public:
  Merge(const Options& options, Terminal& terminal)
      : options_(options), terminal_(terminal), records_(read_records(options.folder)) {}

  int execute() {
    if (records_.images.empty())
      throw InputError(
          fmt::format("'{}' holds no records (batch.jsonl or batch.RANK.jsonl): expected the -o folder of "
                      "reber run",
                      printable(options_.folder)));
    join();
    say();
    write_reports();
    return exit_code_;
  }

 private:
  void join() {
    const auto has_catalogue = [](const ImageRecord& record) { return record.done() && !csv_of(record).empty(); };
    if (std::ranges::none_of(records_.images, has_catalogue)) {
      if (!options_.output.empty()) throw InputError("no image of the batch has a CSV catalogue to join");
      return;
    }
    joined_ = options_.output.empty() ? (fs::path(options_.folder) / "catalogue.csv").string() : options_.output;
    if (!joined_.ends_with(".csv"))
      throw InputError(fmt::format("-o '{}': expected a name that ends in .csv", printable(joined_)));
    auto at = records_.images.begin();
    const auto next = [&]() -> std::optional<JoinPart> {
      at = std::find_if(at, records_.images.end(), has_catalogue);
      if (at == records_.images.end()) return std::nullopt;
      const ImageRecord& record = *at++;
      return JoinPart{fs::path(record.input).filename().string(),
                      (fs::path(options_.folder) / csv_of(record)).string()};
    };
    without_catalogue_ = std::ranges::count_if(records_.images, [&](const ImageRecord& record) {
      return record.done() && record.skipped.empty() && !has_catalogue(record);
    });
    rows_ = join_catalogues(next, joined_, options_.common.overwrite);
  }

  void say() {
    std::int64_t done = 0, sources = 0;
    double seconds = 0;
    for (const ImageRecord& record : records_.images) {
      exit_code_ = worse(exit_code_, record.exit_code);
      seconds += record.seconds;
      if (!record.done()) continue;
      ++done;
      sources += record.sources;
    }
    const auto images = static_cast<std::int64_t>(records_.images.size()) + records_.missing;
    terminal_.print(fmt::format("{} of {} images done; {} sources; {:.3g} s of work in {} {}", done, images, sources,
                                seconds, records_.files.size(), records_.files.size() == 1 ? "record" : "records"));
    if (!joined_.empty()) terminal_.print(fmt::format("wrote {} ({} rows)", printable(joined_), rows_));
    if (without_catalogue_ > 0)
      terminal_.log().warning(fmt::format(
          "{} of the images done have no CSV catalogue: their sources are not among the rows", without_catalogue_));
    for (const ImageRecord& record : records_.images)
      if (!record.done()) terminal_.error(fmt::format("failed: {}", record.message));
    if (records_.missing > 0) {
      terminal_.error(
          fmt::format("{} of the list's images have no record: start the batch again with --resume", records_.missing));
      exit_code_ = worse(exit_code_, kDataError);
    }
  }

  void write_reports() {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    if (options_.common.json.empty()) return;
    for (const ImageRecord& record : records_.images) lines.push_back(nlohmann::ordered_json::parse(to_line(record)));
    write_json(options_.common, lines.dump(2), terminal_);
  }

  const Options& options_;
  Terminal& terminal_;
  FolderRecords records_;
  std::string joined_;
  std::int64_t without_catalogue_ = 0;
  std::int64_t rows_ = 0;
  int exit_code_ = kDone;
};

}  // namespace

void add_merge(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("merge", "Join what the processes of a batch left in a folder");
  command->add_option("folder", options->folder, "Folder that reber run wrote to (-o)")
      ->required()
      ->type_name("DIR")
      ->group("Input");
  command
      ->add_option("-o,--output", options->output,
                   "The images' catalogues as one, in the order of the list, with a column File before the others; "
                   "default: DIR/catalogue.csv")
      ->type_name("FILE.csv")
      ->brief("All catalogues as one")
      ->group("Output");
  add_overwrite_option(*command, options->common);
  add_message_options(*command, options->common);
  command->footer(
      "Example:\n"
      "  srun -n 4 reber run @fields.txt -o results && reber merge results -o fields.csv\n"
      "\n"
      "Reads batch.jsonl and batch.RANK.jsonl. The exit code is the worst of all images; 3 also where an image of the\n"
      "list has no record.");
  command->callback([options, &action] {
    action = [options](Terminal& terminal) {
      apply(options->common, terminal);
      return Merge(*options, terminal).execute();
    };
  });
}

}  // namespace reber::app
