// SPDX-License-Identifier: BSD-3-Clause
// reber match: two catalogues held against each other on the sky.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "core/studies/match_report.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  std::string a, b;
  double radius_arcsec = 0;
  std::string columns_a, columns_b;
  std::vector<std::string> matched, only_a, only_b;
  std::string plot;
};

MatchInput read(const std::string& path, const std::string& columns, const char* option, const ReadLimits& limits) {
  const ColumnChoice choice = parse_columns(columns, option);
  MatchInput input{path, read_catalogue(path, limits), {}};
  try {
    input.list = sky_list(input.table, choice);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} '{}': {}", option, columns, error.what()));
  }
  if (!input.list.lon.empty()) return input;
  std::string known;
  constexpr std::size_t kShown = 30;
  const std::size_t count = input.table.columns.size();
  for (std::size_t c = 0; c < std::min(count, kShown); ++c)
    known += (known.empty() ? "" : ", ") + input.table.columns[c].info.name;
  if (count > kShown) known += fmt::format(" and {} more", count - kShown);
  throw InputError(fmt::format("{}: no columns of sky positions among {}; name them: {} lon=COLUMN,lat=COLUMN", path,
                               printable(known), option));
}

std::vector<std::string> outputs_of(const Options& options) {
  std::vector<std::string> paths = options.matched;
  paths.insert(paths.end(), options.only_a.begin(), options.only_a.end());
  paths.insert(paths.end(), options.only_b.begin(), options.only_b.end());
  paths.push_back(options.plot);
  return paths;
}

/// A FITS table has 999 columns at most: known before the work.
void check_columns_fit(const Options& options, const MatchInput& a, const MatchInput& b) {
  static constexpr std::size_t kMostColumns = 999;
  const auto check = [](const std::vector<std::string>& paths, std::size_t columns) {
    for (const std::string& path : paths)
      if (columns > kMostColumns && (path.ends_with(".fits") || path.ends_with(".fit")))
        throw InputError(fmt::format("{} would have {} columns, and a FITS table holds {}: write .vot or .csv",
                                     printable(path), columns, kMostColumns));
  };
  check(options.matched, matched_columns(a, b));
  check(options.only_a, a.table.columns.size());
  check(options.only_b, b.table.columns.size());
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  check_outputs(outputs_of(options), options.common.overwrite);
  for (const auto* paths : {&options.matched, &options.only_a, &options.only_b}) check_catalogue_extensions(*paths);
  const Progress progress = terminal.progress();
  ReadLimits limits{progress, 0};
  if (!options.common.host_memory.empty())
    limits.memory_bytes = parse_bytes(options.common.host_memory, "--host-memory") / 2;
  const MatchInput a = read(options.a, options.columns_a, "--columns-a", limits);
  const MatchInput b = read(options.b, options.columns_b, "--columns-b", limits);
  check_columns_fit(options, a, b);
  for (const MatchInput* input : {&a, &b}) {
    terminal.log().detail(fmt::format("{}: {}", printable(input->path), printable(describe_columns(input->list))));
    if (!input->list.refused.empty())
      terminal.log().warning(fmt::format("{}: {} positions are refused: {}", printable(input->path),
                                         input->list.refused.size(), describe_refused(input->list)));
  }
  const MatchRadius radius = options.radius_arcsec > 0 ? MatchRadius{options.radius_arcsec / 3600, "as asked for"}
                                                       : default_radius(a.list, b.list);
  const MatchSummary summary = match_lists(a.list, b.list, radius.deg, progress);
  progress.check();
  const bool overwrite = options.common.overwrite;
  for (const std::string& path : options.matched) write_catalogue(matched_catalogue(a, b, summary), path, overwrite);
  for (const std::string& path : options.only_a)
    write_catalogue(unmatched_catalogue(a, summary, true), path, overwrite);
  for (const std::string& path : options.only_b)
    write_catalogue(unmatched_catalogue(b, summary, false), path, overwrite);
  if (!options.plot.empty()) write_match_plot(options.plot, a, b, radius, summary, overwrite);
  std::string text = to_text(a, b, radius, summary);
  for (const std::string& path : outputs_of(options))
    if (!path.empty()) text += fmt::format("  wrote {}\n", printable(path));
  text.pop_back();
  terminal.print(text);
  write_json(options.common, to_json(a, b, radius, summary), terminal);
  return kDone;
}

void add_input_options(Command& command, Options& options) {
  const std::string group = "Input";
  command.add_option("a", options.a, "Catalogue: FITS table, VOTable, CSV or other text")
      ->required()
      ->type_name("A")
      ->group(group);
  command.add_option("b", options.b, "The one to hold it against")->required()->type_name("B")->group(group);
  command
      .add_option("--radius", options.radius_arcsec,
                  "Farthest that two sources of a pair may be apart; 0: half the larger median size, less where the "
                  "lists are crowded")
      ->check(within("match.radius"))
      ->type_name("ARCSEC")
      ->capture_default_str()
      ->brief("Farthest apart; 0: by the sizes")
      ->group(group);
  command
      .add_option("--columns-a", options.columns_a,
                  "Columns of A where their names are not known, like lon=RA_1,lat=DEC_1,total=S150:mJy; quantities: "
                  "lon lat e_lon e_lat peak e_peak total e_total major minor pa rms snr")
      ->type_name("QUANTITY=COLUMN[:UNIT],...")
      ->brief("Columns of A, like lon=RA_1,lat=DEC_1")
      ->group(group);
  command.add_option("--columns-b", options.columns_b, "The same of B")
      ->type_name("QUANTITY=COLUMN[:UNIT],...")
      ->brief("Columns of B")
      ->group(group);
}

void add_output_options(Command& command, Options& options) {
  const auto output = [&](const char* name, std::vector<std::string>& paths, const char* text, const char* brief) {
    command.add_option(name, paths, text)->type_name("CATALOGUE")->brief(brief)->group("Output");
  };
  output("-o,--output", options.matched, "Write the pairs: the columns of A with _1, those of B with _2",
         "Write the pairs");
  output("--only-a", options.only_a, "Write the rows of A without a match", "Write the rows of A without a match");
  output("--only-b", options.only_b, "Write the rows of B without a match", "Write the rows of B without a match");
  command.add_option("--plot", options.plot, "Draw offsets and fluxes: a PNG, PDF or SVG")
      ->type_name("FILE.png")
      ->brief("Draw offsets and fluxes")
      ->group("Output");
  add_overwrite_option(command, options.common);
  command
      .add_option("--host-memory", options.common.host_memory,
                  "Memory that the two tables may take together; default: what this process may have")
      ->type_name("BYTES")
      ->group("Input");
}

}  // namespace

void add_match(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("match", "Hold two catalogues against each other: pairs, offsets, fluxes");
  add_input_options(*command, *options);
  add_output_options(*command, *options);
  add_message_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber match new.csv old_pybdsf.fits\n"
      "  reber match new.csv racs.vot --radius 5 -o pairs.fits --plot match.png\n"
      "  reber match new.fits table.csv --columns-b lon=RA_1,lat=DEC_1,total=S150:mJy\n"
      "\n"
      "Columns of PyBDSF, Aegean, Selavy/CASDA, SExtractor, PySE, SoFiA and of surveys in VizieR are known by name; "
      "what\n"
      "was taken is printed. Pairs are unique: the closest first. Chance pairs are counted by shifting A.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
