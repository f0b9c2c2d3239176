// SPDX-License-Identifier: BSD-3-Clause
// reber mosaic: pointings added on one grid.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/grid_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/printable.hpp"
#include "core/studies/imaging/mosaic_work.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::vector<std::string> files;
  MosaicWork work;
  std::string target;
};

int tell(const Options& options, const MosaicDone& done, Terminal& terminal) {
  const MosaicWork& work = options.work;
  terminal.clear_progress();
  std::string text = fmt::format("{} image{}", options.files.size(), options.files.size() == 1 ? "" : "s");
  for (const std::string& line : done.history)
    if (line.starts_with("mosaic:")) text += "\n  " + printable(line);
  Json json{{"inputs", options.files}, {"history", done.history}};
  if (!options.common.dry_run) {
    for (const std::string& output : mosaic_outputs(work)) text += "\n  wrote " + printable(output);
    json["outputs"] = mosaic_outputs(work);
  } else if (work.common_beam || work.to_beam) {
    text += "\n  the beams can be reached";
  } else {
    text += fmt::format("\n  {} fields can be added", options.files.size());
  }
  terminal.print(text);
  write_json(options.common, json.dump(2, ' ', false, Json::error_handler_t::replace), terminal);
  return kDone;
}

int execute(Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  MosaicWork& work = options.work;
  work.base = base_request(options.common, options.files.front());
  work.inputs = mosaic_inputs(options.files);
  work.base.call = options_of_call(command, options.parameters);
  if (!options.target.empty()) work.to_beam = parse_beam(options.target, "--to-beam");
  work.threads = options.common.threads, work.overwrite = options.common.overwrite;
  check_outputs(mosaic_outputs(work), work.overwrite);
  const Progress progress = terminal.progress();
  if (options.common.dry_run) {
    const MosaicDone plan = plan_mosaic(work, progress);
    for (const std::string& warning : plan.warnings) terminal.log().warning(warning);
    return tell(options, plan, terminal);
  }
  std::optional<BackendChoice> choice;  // a card is started once the headers are known to do
  const OnBackend with = [&](const auto& each) {
    if (!choice) choice.emplace(options.common, terminal);
    on_backend(*choice, [&](const std::shared_ptr<Backend>& backend) {
      each(backend);
      return 0;
    });
  };
  const OnSubject subject = [&](const std::string& text) { terminal.set_subject(text); };
  return tell(options, make_mosaic(work, with, subject, progress, terminal.log()), terminal);
}

void add_outputs(Command& command, Options& options) {
  const auto file = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->type_name("FITS")->brief(help)->group("Output");
  };
  command.add_option("-o,--output", options.work.output, "The mosaic")
      ->required()
      ->type_name("FITS")
      ->brief("The mosaic")
      ->group("Output");
  file("--write-weight", options.work.weight, "The weights, sum of p^2 / rms^2");
  file("--write-rms-map", options.work.rms, "The noise, as weights and interpolation leave it");
  file("--write-psf-map", options.work.psf_map, "The fields' mean beam by place");
  file("--coverage", options.work.coverage, "A MOC of the pixels that are not blank");
}

}  // namespace

void add_mosaic(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("mosaic", "Add many pointings on one grid");
  command->add_option("files", options->files, "FITS images, or cubes of the same channels")
      ->required()
      ->type_name("IN")
      ->group("Input");
  add_grid_options(*command, options->work.grid);
  add_choice(*command, "--interpolation", options->work.how, "fitted to the beam, bilinear or nearest")->group("Grid");
  add_choice(*command, "--beam-is", options->work.beam_is, "Where a beam is the same all over its image")
      ->group("Grid");
  command->add_flag("--common", options->work.common_beam, "Smooth all images to their common beam first")
      ->brief("Smooth to the common beam first")
      ->group("Mosaic");
  command->add_flag("--per-plane", options->work.per_plane, "With --common: a beam for each plane of cubes")
      ->group("Mosaic");
  command->add_option("--to-beam", options->target, "Smooth all images to this beam first (arcsec, degrees)")
      ->type_name("MAJ,MIN,PA")
      ->group("Mosaic");
  command
      ->add_option("--beam-model", options->work.primary,
                   "Primary beam: none, gaussian:F@NU or mauch:F@NU (FWHM F degrees at NU MHz), airy:D,d (dish and "
                   "blockage in metres), image:NAME (% in it: the field's name without .fits)")
      ->type_name("MODEL")
      ->capture_default_str()
      ->brief("Primary beam: gaussian:F@NU, mauch:F@NU, airy:D,d, image:NAME")
      ->group("Mosaic");
  command->add_flag("--pb-corrected", options->work.corrected, "The images have been divided by their primary beams")
      ->group("Mosaic");
  command
      ->add_option("--weights", options->work.weights,
                   "Rms of each field: noise (measured), uniform, map:NAME (a map of it; % in it: the field's name "
                   "without .fits), or a text file of names, each with a number, one per channel, or a map")
      ->type_name("noise|uniform|map:NAME|FILE")
      ->capture_default_str()
      ->brief("Rms of each field: noise, uniform, map:NAME, or a text file")
      ->group("Mosaic");
  command->add_option("--cutoff", options->work.cutoff, "Least primary beam at which a field counts")
      ->check(within("mosaic.cutoff"))
      ->type_name("PART")
      ->capture_default_str()
      ->group("Mosaic");
  command
      ->add_option("--final-cutoff", options->work.final_cutoff,
                   "Blank where the weight is below the square of this times the largest one")
      ->check(within("mosaic.cutoff"))
      ->type_name("PART")
      ->capture_default_str()
      ->group("Mosaic");
  command
      ->add_option("--shifts", options->work.shifts,
                   "Text file: name, and what to add to its places east and north, arcsec")
      ->type_name("FILE")
      ->group("Mosaic");
  command->add_option("--scales", options->work.scales, "Text file: name, and a factor for its pixels")
      ->type_name("FILE")
      ->group("Mosaic");
  add_outputs(*command, *options);
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber mosaic p1.fits p2.fits p3.fits -o all.fits --beam-model gaussian:0.9@1400 --write-rms-map rms.fits\n"
      "  reber mosaic f*.fits -o all.fits --common --projection ZEA --pixel 2 --shifts shifts.txt\n"
      "\n"
      "Each field counts with p^2 / rms^2, p its primary beam: linmos' and MosaicQueen's weights. The centre of a beam "
      "is\n"
      "the reference pixel of its image. The mosaic is divided by the primary beam. Cubes are added plane by plane.\n"
      "docs/mosaics.md has the formulae.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) { return execute(*options, *command, terminal); };
  });
}

}  // namespace reber::app
