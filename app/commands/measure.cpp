// SPDX-License-Identifier: BSD-3-Clause
// reber measure: fluxes at the positions of a list.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/commands/plane_backends.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "core/run/cube/joined_catalogue.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/cube/plane_runs.hpp"
#include "core/studies/forced.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

constexpr std::size_t kShown = 15;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, list, columns, planes;
  std::vector<std::string> catalogues;
  ForcedRequest::Free free = ForcedRequest::Free::flux;
  ForcedRequest::ShapeOf shape = ForcedRequest::ShapeOf::beam;
  double limit = 3;
};

SkyList read_list(const Options& options, Terminal& terminal) {
  const ColumnChoice choice = parse_columns(options.columns, "--columns");
  SkyList list = sky_list(read_catalogue(options.list, {terminal.progress(), 0}), choice);
  if (list.lon.empty() && list.x.empty())
    throw InputError(
        fmt::format("{}: no columns of positions; name them: --columns lon=COLUMN,lat=COLUMN", options.list));
  terminal.log().detail(fmt::format("{}: {}", printable(options.list), printable(describe_columns(list))));
  if (!list.refused.empty())
    terminal.log().warning(fmt::format("{}: {} positions are refused: {}", printable(options.list), list.refused.size(),
                                       describe_refused(list)));
  return list;
}

Request request_of(const Options& options) {
  Request request = base_request(options.common, options.input);
  options.parameters.apply(request);
  request.detect = DetectOptions();  // the noise is measured outside of what is found
  request.fit.method = FitRequest::Method::moments;
  return request;
}

struct Counts {
  std::int64_t measured = 0, limits = 0, off = 0, blank = 0, without = 0, held = 0;
};

Counts count(const std::vector<ForcedSource>& sources) {
  Counts counts;
  for (const ForcedSource& s : sources) {
    counts.measured += std::isfinite(s.peak) ? 1 : 0;
    counts.limits += (s.flag & kForcedLimit) != 0 ? 1 : 0;
    counts.off += (s.flag & kForcedOffImage) != 0 ? 1 : 0;
    counts.blank += (s.flag & kForcedBlank) != 0 ? 1 : 0;
    counts.without += (s.flag & kForcedNoPosition) != 0 ? 1 : 0;
    counts.held += (s.flag & kForcedHeld) != 0 ? 1 : 0;
  }
  return counts;
}

std::string table(const std::vector<ForcedSource>& sources, const SkyList& list) {
  std::string text = fmt::format("{:>14} {:>11} {:>11} {:>24} {:>8} {:>12} {:>5}\n", "name", "lon deg", "lat deg",
                                 "total mJy", "S/N", "limit mJy", "flag");
  for (std::size_t i = 0; i < std::min(kShown, sources.size()); ++i) {
    const ForcedSource& s = sources[i];
    const auto cell = [](double value, int width, int decimals) {
      return std::isfinite(value) ? fmt::format("{:>{}.{}f}", value, width, decimals)
                                  : fmt::format("{:>{}}", "-", width);
    };
    const std::string name = printable(list.name[static_cast<std::size_t>(s.row)]);
    text += fmt::format("{:>14} {} {} {} +- {} {} {} {:>5}\n", name.substr(0, 14), cell(s.lon, 11, 6),
                        cell(s.lat, 11, 6), cell(s.total * 1e3, 12, 4), cell(s.e_total * 1e3, 8, 4), cell(s.snr, 8, 1),
                        cell(s.limit * 1e3, 12, 4), s.flag);
  }
  if (sources.size() > kShown) text += fmt::format("{:>14} and {} more\n", "...", sources.size() - kShown);
  return text;
}

std::vector<std::string> history_of(const Options& options, const Result& result) {
  std::vector<std::string> history = result.history;
  history.push_back(fmt::format("forced photometry: list {}, free {}, shape of the {}, limits below {:g} sigma",
                                options.list, to_string(options.free), to_string(options.shape), options.limit));
  return history;
}

ForcedRequest forced_of(const Options& options) {
  ForcedRequest forced;
  forced.free = options.free;
  forced.shape = options.shape;
  forced.limit_sigma = options.limit;
  forced.threads = options.common.threads;
  return forced;
}

/// The list in every plane: one row per plane and source.
int measure_planes(const Options& options, const Request& request, const SkyList& list, Terminal& terminal) {
  if (request.open.plane) throw InputError("give either --plane or --planes");
  if (request.dry_run) throw InputError("--dry-run tells of one plane: give --plane N in place of --planes");
  const Progress progress = terminal.progress();
  const CubeSource cube = CubeSource::open(options.input, request.open, progress, terminal.log());
  PlaneWalk walk(cube, parse_planes(options.planes, cube.planes()), PlaneWalk::kAheadBytes, true);
  BackendChoice backend(options.common, terminal);
  JoinedCatalogue joined;
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  int exit_code = kDone;
  std::atomic<std::size_t> ended{0};
  const std::vector<PlaneLane> lanes = plane_backends(backend, options.common, walk, terminal);
  const Progress overall = progress_of_planes(lanes.size(), ended, walk.planes().size(), terminal);
  PlaneEvents told;
  told.began = [&](std::int64_t plane, std::size_t index) {
    terminal.set_subject(
        fmt::format("[{}/{}] {} plane {}", index + 1, walk.planes().size(), printable(options.input), plane), index,
        walk.planes().size());
  };
  told.made = [&](const CubePlane& plane, const Result& result) {
    ForcedRequest forced = forced_of(options);
    if (lanes.size() > 1) forced.threads = 0;  // the lane's own
    const std::vector<ForcedSource> sources = measure_forced(list, result, forced, overall);
    Catalogue catalogue = forced_catalogue(sources, list, *plane.header, history_of(options, result));
    return [&, counts = count(sources), catalogue = std::move(catalogue)]() mutable {
      joined.add(*plane.header, result.beam(), std::move(catalogue));
      ++ended;
      terminal.clear_progress();
      terminal.print(fmt::format("  plane {:>5}: {} measured, {} of them upper limits", plane.plane, counts.measured,
                                 counts.limits));
      documents.push_back({{"plane", plane.plane}, {"measured", counts.measured}, {"upper_limits", counts.limits}});
    };
  };
  const auto tell = [&](std::int64_t plane, const char* key, const std::string& words) {
    ++ended;
    terminal.clear_progress();
    terminal.message(fmt::format("plane {} is skipped: {}", plane, printable(words)));
    documents.push_back({{"plane", plane}, {key, words}});
  };
  told.skipped = [&](std::int64_t plane, const std::string& why) { tell(plane, "skipped", why); };
  told.failed = [&](std::int64_t plane, const std::string& message) {
    tell(plane, "error", message);
    exit_code = worse(exit_code, kDataError);
  };
  told.card_failed = [&](const CardError& failure) { return backend.in_place(failure); };
  run_planes(
      lanes, walk, [&](std::int64_t) { return request; }, told, events_of(overall, terminal.log()));
  terminal.clear_progress();
  if (joined.rows() == 0) throw DataError(fmt::format("{}: no plane could be measured", printable(options.input)));
  const Catalogue catalogue = joined.take();
  for (const std::string& path : options.catalogues) {
    write_catalogue(catalogue, path, options.common.overwrite);
    terminal.print("  wrote " + printable(path));
  }
  const nlohmann::ordered_json json{
      {"input", options.input}, {"list", options.list}, {"planes", documents}, {"outputs", options.catalogues}};
  write_json(options.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return exit_code;
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  check_catalogue_extensions(options.catalogues);
  const Request request = request_of(options);
  if (!request.dry_run) check_outputs(options.catalogues, options.common.overwrite);
  const SkyList list = read_list(options, terminal);
  if (!options.planes.empty()) return measure_planes(options, request, list, terminal);
  terminal.set_subject(options.input);
  const Progress progress = terminal.progress();
  const ForcedRequest forced = forced_of(options);
  const auto [result, sources] = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    Result made = run_once(backend, request, events_of(progress, terminal.log()));
    std::vector<ForcedSource> found;
    if (!request.dry_run) found = measure_forced(list, made, forced, progress);
    return std::pair(std::move(made), std::move(found));
  });
  if (request.dry_run) {
    terminal.print(to_text(result.report));
    return kDone;
  }
  const Counts counts = count(sources);
  terminal.clear_progress();
  const Catalogue catalogue = forced_catalogue(sources, list, result.header(), history_of(options, result));
  for (const std::string& path : options.catalogues) write_catalogue(catalogue, path, options.common.overwrite);
  std::string text = fmt::format("{}\n  list        {}: {} sources\n              {}\n", printable(options.input),
                                 printable(options.list), list.rows, printable(describe_columns(list)));
  text += fmt::format("  measured    {}; {} of them below {:g} sigma: upper limits\n", counts.measured, counts.limits,
                      options.limit);
  if (counts.off + counts.blank + counts.without > 0)
    text += fmt::format("  flagged     {} off the image, {} on blank pixels, {} without a position\n", counts.off,
                        counts.blank, counts.without);
  if (counts.held > 0)
    text += fmt::format("  held        {} positions: too faint, or the fit did not settle\n", counts.held);
  if (!list.refused.empty()) text += fmt::format("  refused     {}\n", describe_refused(list));
  for (const std::string& warning : result.report.warnings) text += "  warning: " + printable(warning) + "\n";
  for (const std::string& path : options.catalogues) text += "  wrote " + printable(path) + "\n";
  terminal.print(text + "\n" + table(sources, list));
  nlohmann::ordered_json json{{"input", options.input},
                              {"list", options.list},
                              {"sources", list.rows},
                              {"measured", counts.measured},
                              {"upper_limits", counts.limits},
                              {"off_image", counts.off},
                              {"blank", counts.blank},
                              {"without_position", counts.without},
                              {"held", counts.held},
                              {"frame", list.frame},
                              {"frame_assumed", list.frame_assumed},
                              {"columns", describe_columns(list)},
                              {"refused", list.refused},
                              {"outputs", options.catalogues}};
  write_json(options.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return kDone;
}

void add_forced_options(Command& command, Options& options) {
  const std::string group = "Photometry";
  command.add_option("--at", options.list, "List of positions: FITS table, VOTable, CSV or other text")
      ->required()
      ->type_name("CATALOGUE")
      ->brief("List of positions: FITS, VOTable, CSV")
      ->group("Input");
  command
      .add_option("--columns", options.columns,
                  "Columns of the list where their names are not known, like lon=RA_1,lat=DEC_1")
      ->type_name("QUANTITY=COLUMN[:UNIT],...")
      ->group("Input");
  add_choice(command, "--free", options.free,
             "flux: position and shape are held; position: sources above 3 sigma may move by half a FWHM")
      ->brief("flux or position")
      ->group(group);
  add_choice(command, "--shape", options.shape,
             "What is held: the beam (point sources), or the list's sizes where they are larger than the beam")
      ->brief("What is held: beam or catalogue")
      ->group(group);
  command
      .add_option("--limit", options.limit,
                  "Sources below this S/N get an upper limit, max(flux, 0) + this many errors")
      ->check(within("measure.limit"))
      ->type_name("SIGMA")
      ->capture_default_str()
      ->brief("Below this S/N an upper limit")
      ->group(group);
}

}  // namespace

void add_measure(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("measure", "Fluxes at given positions, with upper limits: forced photometry");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  add_planes_option(*command, options->planes);
  add_forced_options(*command, *options);
  command
      ->add_option("-o,--output", options->catalogues,
                   fmt::format("Catalogues to write, format by extension: {}", known_catalogue_formats()))
      ->type_name("CATALOGUE")
      ->brief("By ending: .csv .fits .vot")
      ->group("Output");
  options->parameters.add(*command, ParameterOptions::Group::background);
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber measure epoch2.fits --at epoch1_cat.fits -o epoch2_forced.fits\n"
      "  reber measure in.fits --at list.csv --free position --shape catalogue -o out.vot\n"
      "  reber measure cube.fits --at list.csv --planes all -o spectra.csv     a row per source and plane\n"
      "\n"
      "Every row of the list has a row in the result: what is off the image, on blank pixels or without a position is\n"
      "flagged. Sources that overlap are fitted together; the errors allow for noise correlated over the beam.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
