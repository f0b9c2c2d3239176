// SPDX-License-Identifier: BSD-3-Clause
// reber mosaic: pointings added on one grid.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/field_table.hpp"
#include "app/options/grid_options.hpp"
#include "app/options/output_names.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/studies/imaging/common_fields.hpp"
#include "core/studies/imaging/mosaic.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  GridWords grid;
  std::vector<std::string> files;
  std::string output, target, primary = "none", weights = "noise", shifts, scales;
  std::string write_weight, write_rms, write_psf, coverage;
  bool common_beam = false, corrected = false;
  double cutoff = 0.1, final_cutoff = 0.2;
  Interpolation how = Interpolation::fitted;
  BeamIs beam_is = BeamIs::automatic;
};

std::vector<std::string> outputs_of(const Options& options) {
  std::vector<std::string> outputs{options.output};
  for (const std::string* more : {&options.write_weight, &options.write_rms, &options.write_psf, &options.coverage})
    if (!more->empty()) outputs.push_back(*more);
  return outputs;
}

class Work {
 public:
  Work(const Options& options, const Command& command, Terminal& terminal)
      : options_(options), command_(command), terminal_(terminal), progress_(terminal.progress()) {}

  int execute() {
    base_ = base_request(options_.common, options_.files.front());
    base_.call = options_of_call(command_, options_.parameters);
    if (options_.common_beam && !options_.target.empty()) throw InputError("give --common or --to-beam, not both");
    check_outputs(outputs_of(options_), options_.common.overwrite);
    MosaicRequest request = request_of();
    if (!options_.common_beam && options_.target.empty()) {
      Mosaic mosaic(request, progress_);
      return finish(mosaic);
    }
    std::optional<Beam> target;
    if (!options_.common_beam) target = parse_beam(options_.target, "--to-beam");
    CommonFields fields(options_.files, target, base_, progress_);
    if (options_.common.dry_run) return tell({}, "the beams can be reached");
    BackendChoice choice(options_.common, terminal_);
    const OnBackend with = [&](const auto& each) {
      on_backend(choice, [&](const std::shared_ptr<Backend>& backend) {
        each(backend);
        return 0;
      });
    };
    const auto before = [&](std::size_t i) {
      terminal_.set_subject(fmt::format("[{}/{}] {}", i + 1, options_.files.size(), options_.files[i]));
    };
    const std::string folder = fs::path(options_.output).parent_path().string();
    const auto paths = fields.make(folder, with, before, progress_, terminal_.log());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      request.inputs[i].path = paths[i];
      request.history.push_back(fmt::format("mosaic: {} smoothed to the common beam first", options_.files[i]));
    }
    request.beam.reset();
    request.open = {};
    Mosaic mosaic(request, progress_);
    return finish(mosaic);
  }

 private:
  MosaicRequest request_of() {
    MosaicRequest request;
    request.primary = PrimaryBeam::parse(options_.primary);
    request.corrected = options_.corrected;
    request.cutoff = options_.cutoff, request.final_cutoff = options_.final_cutoff;
    request.how = options_.how, request.beam_is = options_.beam_is;
    request.beam = base_.beam, request.open = base_.open, request.threads = options_.common.threads;
    request.history = {base_.program};
    for (const std::string& line : base_.call) request.history.push_back("option: " + line);
    for (const std::string& file : options_.files) request.inputs.push_back({file, 1, {}, {}});
    const auto table = [&](const std::string& path, int count, double otherwise, const auto& put) {
      if (path.empty()) return;
      const auto rows = read_field_table(path, options_.files, count, otherwise);
      for (std::size_t i = 0; i < rows.size(); ++i) put(request.inputs[i], rows[i]);
    };
    table(options_.shifts, 2, 0, [](MosaicInput& input, const auto& row) { input.shift = {row[0], row[1]}; });
    table(options_.scales, 1, 1, [&](MosaicInput& input, const auto& row) {
      if (!(row[0] > 0))
        throw InputError(fmt::format("--scales {}: factors must be above 0", printable(options_.scales)));
      input.scale = row[0];
    });
    if (options_.weights == "uniform") {
      for (MosaicInput& input : request.inputs) input.rms = 1;
    } else if (options_.weights != "noise") {
      table(options_.weights, 1, 0, [&](MosaicInput& input, const auto& row) {
        if (!(row[0] > 0))
          throw InputError(
              fmt::format("--weights {}: {} has no rms above 0", printable(options_.weights), printable(input.path)));
        input.rms = row[0];
      });
    }
    std::vector<ImageHeader> headers;
    for (const std::string& file : options_.files)
      headers.push_back(ImagePlane::open(file, base_.open, progress_).header());
    std::vector<const ImageHeader*> images;
    for (const ImageHeader& header : headers) images.push_back(&header);
    request.grid = grid_of(options_.grid, images, base_.open, progress_, true);
    return request;
  }

  int finish(Mosaic& mosaic) {
    for (const std::string& warning : mosaic.warnings()) terminal_.log().warning(warning);
    if (options_.common.dry_run)
      return tell(mosaic.history(), fmt::format("{} fields can be added", mosaic.fields().size()));
    terminal_.set_subject(options_.output);
    on_backend(options_.common, terminal_, [&](const std::shared_ptr<Backend>& backend) {
      mosaic.make(backend, options_.output, progress_);
      return 0;
    });
    CommitGroup group(options_.common.durable);
    const FileOptions how(options_.common.overwrite, &group);
    mosaic.write_image(options_.output, how, progress_);
    if (!options_.write_weight.empty()) mosaic.write_weight(options_.write_weight, how, progress_);
    if (!options_.write_rms.empty()) mosaic.write_rms(options_.write_rms, how, progress_);
    if (!options_.write_psf.empty()) mosaic.write_psf(options_.write_psf, how, progress_);
    if (!options_.coverage.empty()) mosaic.write_coverage(options_.coverage, how, progress_);
    group.commit(progress_);
    return tell(mosaic.history(), "");
  }

  int tell(const std::vector<std::string>& history, const std::string& dry) {
    terminal_.clear_progress();
    std::string text = fmt::format("{} image{}", options_.files.size(), options_.files.size() == 1 ? "" : "s");
    for (const std::string& line : history)
      if (line.starts_with("mosaic:")) text += "\n  " + printable(line);
    if (!dry.empty()) text += "\n  " + dry;
    if (dry.empty())
      for (const std::string& output : outputs_of(options_)) text += "\n  wrote " + printable(output);
    terminal_.print(text);
    Json json{{"inputs", options_.files}, {"history", history}};
    if (dry.empty()) json["outputs"] = outputs_of(options_);
    write_json(options_.common, json.dump(2, ' ', false, Json::error_handler_t::replace), terminal_);
    return kDone;
  }

  const Options& options_;
  const Command& command_;
  Terminal& terminal_;
  Progress progress_;
  Request base_;
};

void add_outputs(Command& command, Options& options) {
  const auto file = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->type_name("FITS")->brief(help)->group("Output");
  };
  command.add_option("-o,--output", options.output, "The mosaic")
      ->required()
      ->type_name("FITS")
      ->brief("The mosaic")
      ->group("Output");
  file("--write-weight", options.write_weight, "The weights, sum of p^2 / rms^2");
  file("--write-rms-map", options.write_rms, "The noise, as weights and interpolation leave it");
  file("--write-psf-map", options.write_psf, "The fields' mean beam by place");
  file("--coverage", options.coverage, "A MOC of the pixels that are not blank");
}

}  // namespace

void add_mosaic(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("mosaic", "Add many pointings on one grid");
  command->add_option("files", options->files, "FITS images")->required()->type_name("IN")->group("Input");
  add_grid_options(*command, options->grid);
  add_choice(*command, "--interpolation", options->how, "fitted to the beam, bilinear or nearest")->group("Grid");
  add_choice(*command, "--beam-is", options->beam_is, "Where a beam is the same all over its image")->group("Grid");
  command->add_flag("--common", options->common_beam, "Smooth all images to their common beam first")
      ->brief("Smooth to the common beam first")
      ->group("Mosaic");
  command->add_option("--to-beam", options->target, "Smooth all images to this beam first (arcsec, degrees)")
      ->type_name("MAJ,MIN,PA")
      ->group("Mosaic");
  command
      ->add_option("--beam-model", options->primary,
                   "Primary beam: none, gaussian:F@NU or mauch:F@NU (FWHM F degrees at NU MHz), airy:D,d (dish and "
                   "blockage in metres), image:NAME (% in it: the field's name without .fits)")
      ->type_name("MODEL")
      ->capture_default_str()
      ->brief("Primary beam: gaussian:F@NU, mauch:F@NU, airy:D,d, image:NAME")
      ->group("Mosaic");
  command->add_flag("--pb-corrected", options->corrected, "The images have been divided by their primary beams")
      ->group("Mosaic");
  command
      ->add_option("--weights", options->weights,
                   "Rms of each field: noise (measured), uniform, or a text file of names and numbers")
      ->type_name("noise|uniform|FILE")
      ->capture_default_str()
      ->group("Mosaic");
  command->add_option("--cutoff", options->cutoff, "Least primary beam at which a field counts")
      ->check(within("mosaic.cutoff"))
      ->type_name("PART")
      ->capture_default_str()
      ->group("Mosaic");
  command
      ->add_option("--final-cutoff", options->final_cutoff,
                   "Blank where the weight is below the square of this times the largest one")
      ->check(within("mosaic.cutoff"))
      ->type_name("PART")
      ->capture_default_str()
      ->group("Mosaic");
  command
      ->add_option("--shifts", options->shifts, "Text file: name, and what to add to its places east and north, arcsec")
      ->type_name("FILE")
      ->group("Mosaic");
  command->add_option("--scales", options->scales, "Text file: name, and a factor for its pixels")
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
      "the reference pixel of its image. The mosaic is divided by the primary beam. docs/mosaics.md has the formulae.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) {
      apply(options->common, t);
      return Work(*options, *command, t).execute();
    };
  });
}

}  // namespace reber::app
