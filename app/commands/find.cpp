// SPDX-License-Identifier: BSD-3-Clause
// reber find: the sources of one image.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/product_options.hpp"
#include "app/results/extended_search.hpp"
#include "app/results/source_table.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/run/pipeline/row_account.hpp"
#include "core/show/picture/canvas.hpp"
#include "core/studies/quality/source_stamps.hpp"

namespace reber::app {
namespace {

constexpr std::size_t kShownSources = 15;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, planes;
  std::vector<std::string> catalogues, extended;
  ColumnOptions columns;
  MapOptions maps;
  ShareOptions share;
  std::optional<std::int64_t> why;
  std::string why_plot;
};

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  Request request = base_request(options.common, options.input);
  request.call = options_of_call(command, options.parameters);
  options.parameters.apply(request);
  request.output.catalogues = options.catalogues;
  apply(options.columns, request.output);
  apply(options.maps, request.output);
  check_catalogue_extensions(options.catalogues, options.columns.format, true);
  check_extended(options.extended, request, !options.planes.empty());
  if (!options.share.folder.empty() && !(options.planes.empty() && options.extended.empty()))
    throw InputError(
        "--share is for the catalogue and the maps of one image: planes of a cube are shared out by reber run "
        "--planes, "
        "and --extended needs one process");
  if (options.why && !(options.share.folder.empty() && options.planes.empty()))
    throw InputError("--why is of one image and one process: it goes with neither --share nor --planes");
  if (!options.why_plot.empty() && !(options.why && is_picture(options.why_plot)))
    throw InputError("--why-plot draws the source of --why, as .png, .pdf or .svg");
  if (!options.why_plot.empty() && !request.dry_run) check_outputs({options.why_plot}, request.output.overwrite);
  if (!options.planes.empty()) return search_planes(request, options.planes, options.common, terminal);
  const Result result = run_one(
      request, options.common, terminal,
      [&](Result& found, const Progress& progress) {
        if (!options.extended.empty())
          write_extended(options.extended, found, request, request.output.overwrite, progress);
        if (!options.why_plot.empty()) {
          write_source_plot(options.why_plot, found, *options.why, request.output.overwrite, progress);
          found.report.outputs.push_back(options.why_plot);
        }
      },
      options.share);
  if (!request.dry_run)
    terminal.print("\n" + source_table(result.sources(), result.header(), kShownSources, Terminal::page_columns()));
  if (options.why && !request.dry_run) terminal.print("\n" + to_text(RowAccounts(result).of(*options.why)));
  return kDone;
}

}  // namespace

void add_find(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("find", "Find and measure the sources of an image");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  add_planes_option(*command, options->planes);
  command
      ->add_option("-o,--output", options->catalogues,
                   fmt::format("Catalogues to write, format by extension: {}", known_catalogue_formats(true)))
      ->type_name("CATALOGUE")
      ->brief("By ending: .csv .fits .vot .reg ...")
      ->group("Output");
  command
      ->add_option(
          "--extended", options->extended,
          "Write the extended sources as a tree of structures at every scale, with outlines: tables, regions, and .png "
          "for a picture with them")
      ->type_name("CATALOGUE")
      ->brief("Shells, lobes and the like, with outlines")
      ->group("Output");
  command
      ->add_option(
          "--why", options->why,
          "Tell how the source with this Source_id was made: its island, what deblending did, the fits that were "
          "tried, what was refined after them, and its flags")
      ->type_name("SOURCE_ID")
      ->brief("Tell how a source was made")
      ->not_configurable()
      ->group("Output");
  command
      ->add_option("--why-plot", options->why_plot,
                   "Draw image, model and residual about that source, in the same colours: .png, .pdf or .svg")
      ->type_name("FILE")
      ->not_configurable()
      ->group("Output");
  add_column_option(*command, options->columns);
  add_format_option(*command, options->columns);
  add_map_options(*command, options->maps, Product::Needs::sources, {"model", "residual", "snr", "labels"});
  options->parameters.add(*command, ParameterOptions::Group::detection);
  options->parameters.add(*command, ParameterOptions::Group::background);
  add_durable_option(*command, options->common);
  add_run_options(*command, options->common);
  add_devices_option(*command, options->common);
  add_share_options(*command, options->share);
  command->footer(
      "Examples:\n"
      "  reber find in.fits                                   print the brightest sources\n"
      "  reber find in.fits -o cat.csv cat.vot regions.reg\n"
      "  reber find in.fits -o cat.fits --threshold 6 --flood 4 --write-rms rms.fits\n"
      "  reber find in.fits -o cat.vot --columns casda --fit gaussian --write-residual residual.fits\n"
      "  reber find in.fits -o in.srl in.gaul in.skymodel in-sources.txt --group-tol 10\n"
      "  reber find in.fits -o cat.fits --extended ext.vot ext.reg   shells, lobes, filaments by their pixels\n"
      "  reber find in.fits --why 17                          how source 17 of the catalogue was made\n"
      "  reber find in.fits --why 17 --why-plot 17.png        and its image, model and residual\n"
      "  reber find cube.fits --planes all -o cat.fits        a row knows its plane, frequency and beam\n"
      "\n"
      "Positions are in the image's own frame. Fluxes are in Jy and Jy/beam where BUNIT is known, with errors for\n"
      "noise that is correlated over the beam; sizes are FWHM. The catalogue files describe each column. Maps are\n"
      "tile-compressed where their name ends in .fz.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
