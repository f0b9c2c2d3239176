// SPDX-License-Identifier: BSD-3-Clause
// reber smooth: many images or planes to their smallest common beam, or to a given one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/output_names.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/studies/imaging/smoothing.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr double kArcsec = 3600;
/// Cubes of more planes show those that limit the beam or lack one.
constexpr std::size_t kShownPlanes = 16;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::vector<std::string> files;
  std::string folder, target, old_target;
  std::optional<double> max_beam_arcsec;
  bool common_beam = false, per_plane = false;
};

std::string words(const Beam& beam) {
  return fmt::format("{:.4f} x {:.4f}, {:.2f}", beam.major_deg * kArcsec, beam.minor_deg * kArcsec, beam.pa_deg);
}

Json json_of(const Beam& beam) {
  return {
      {"major_arcsec", beam.major_deg * kArcsec}, {"minor_arcsec", beam.minor_deg * kArcsec}, {"pa_deg", beam.pa_deg}};
}

Json json_of(const SmoothPlane& plane) {
  Json json{{"plane", plane.plane}};
  if (!plane.own) {
    json["blank"] = true;
    return json;
  }
  json["beam"] = json_of(*plane.own);
  json["target"] = json_of(*plane.target);
  json["kernel"] = json_of(plane.kernel);
  json["kernel_pixels"] = {{"major", plane.kernel_px.major}, {"minor", plane.kernel_px.minor}};
  json["flux_factor"] = plane.flux_factor;
  json["noise_factor"] = plane.noise_factor;
  json["limiting"] = plane.limiting;
  return json;
}

/// A batch: beams of all files, the target, then one file after the other.
class Batch {
 public:
  Batch(const Options& options, const Command& command, Terminal& terminal)
      : options_(options), command_(command), terminal_(terminal) {}

  int execute() {
    if (!options_.old_target.empty()) warn_old_beam(terminal_);
    if (!options_.target.empty() && !options_.old_target.empty()) throw InputError("give --to-beam once");
    if (options_.common_beam == !target().empty())
      throw InputError("give either --common (the smallest beam that all can reach) or --to-beam MAJ,MIN,PA");
    if (options_.max_beam_arcsec && !options_.common_beam) throw InputError("--max-beam belongs to --common");
    if (options_.per_plane && !options_.common_beam) throw InputError("--per-plane belongs to --common");
    check_distinct_names(options_.files);
    base_ = base_request(options_.common, {});
    base_.call = options_of_call(command_, options_.parameters);
    base_.convolve.emplace();
    options_.parameters.apply(base_);
    read_beams();
    if (!inputs_.empty()) aim();
    plan();
    terminal_.print(table());
    if (!options_.common.dry_run && !inputs_.empty()) work();
    finish();
    return exit_code_;
  }

 private:
  std::string output_of(const std::string& path) const {
    const fs::path folder = options_.folder.empty() ? fs::path(path).parent_path() : fs::path(options_.folder);
    return (folder / (stem_of(path) + "_smoothed.fits")).string();
  }

  void fail(const std::string& path) {
    const Failure failure = current_failure(path);
    terminal_.error(failure.message);
    failures_.push_back({{"input", path}, {"error", failure.message}, {"exit_code", failure.exit_code}});
    exit_code_ = worse(exit_code_, failure.exit_code);
  }

  /// Runs body for the file; a failure is told and does not stop the others.   returns whether it went well
  template <typename Body>
  bool attempt(const std::string& path, Body body) {
    try {
      body();
      return true;
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      fail(path);
      return false;
    }
  }

  void read_beams() {
    std::optional<Beam> own;
    if (!options_.common.beam.empty()) own = parse_beam(options_.common.beam, "--image-beam");
    for (const std::string& path : options_.files) {
      terminal_.progress().check();
      (void)attempt(path, [&] {
        inputs_.push_back(read_smooth_input(path, base_.open, own, terminal_.progress()));
        // Inflated files of a whole batch would not fit.
        if (options_.files.size() > 1) inputs_.back().file.reset();
        if (!options_.common.dry_run && options_.folder.empty())
          check_outputs({output_of(path)}, options_.common.overwrite);
      });
    }
  }

  void aim() {
    if (!options_.common_beam) return aim_at(inputs_, parse_beam(target(), "--to-beam"));
    std::optional<double> max_deg;
    if (options_.max_beam_arcsec) max_deg = *options_.max_beam_arcsec / kArcsec;
    for (const std::string& told : aim_at_common_beam(inputs_, options_.per_plane, max_deg))
      terminal_.log().warning(told);
  }
  [[nodiscard]] const std::string& target() const {
    return options_.target.empty() ? options_.old_target : options_.target;
  }

  void plan() {
    std::erase_if(inputs_, [&](SmoothInput& input) { return !attempt(input.path, [&] { plan_smoothing(input); }); });
  }

  void work() {
    BackendChoice choice(options_.common, terminal_);
    if (!options_.folder.empty()) make_folder(options_.folder);
    std::size_t done = 0;
    for (const SmoothInput& input : inputs_) {
      terminal_.set_subject(fmt::format("[{}/{}] {}", done + 1, inputs_.size(), input.path), done, inputs_.size());
      ++done;
      const std::string output = output_of(input.path);
      const bool well = attempt(input.path, [&] {
        check_outputs({output}, options_.common.overwrite);
        reports_.push_back(on_backend(choice, [&](const std::shared_ptr<Backend>& backend) {
          return smooth(input, base_, output, backend, terminal_.progress(), terminal_.log());
        }));
      });
      terminal_.clear_progress();
      outputs_.push_back(well ? output : "");
      if (!well) reports_.emplace_back();
      if (well) terminal_.print("  wrote " + printable(output));
    }
  }

  void add_rows(const SmoothInput& input, std::string& text) const {
    const std::string name = fs::path(input.path).filename().string();
    const bool all = input.planes.size() <= kShownPlanes || options_.common.verbose;
    std::size_t hidden = 0;
    for (const SmoothPlane& plane : input.planes) {
      if (!all && plane.own && !plane.limiting) {
        ++hidden;
        continue;
      }
      const std::string label = printable(name) + (input.cube ? fmt::format("[{}]", plane.plane) : "");
      if (!plane.own) {
        text += fmt::format("  {:<28} {}: stays blank\n", label, plane.left_out.empty() ? "no beam" : "left out");
        continue;
      }
      const bool copied = !(plane.kernel.major_deg > 0);
      text += fmt::format("  {:<28} {:<30} {:<30} {:>7.3f} x {:<7.3f} {:>9.6g} {:>7.4f} {}\n", label, words(*plane.own),
                          copied ? "none: copied" : words(plane.kernel), plane.kernel_px.major, plane.kernel_px.minor,
                          plane.flux_factor, plane.noise_factor, plane.limiting ? "limits" : "");
    }
    if (hidden > 0)
      text += fmt::format("  {}: {} planes more; --verbose and --json list them\n", printable(name), hidden);
  }

  [[nodiscard]] std::string table() const {
    std::string text;
    if (!options_.per_plane && !inputs_.empty()) {
      for (const SmoothPlane& plane : inputs_.front().planes) {
        if (!plane.target) continue;
        text +=
            fmt::format("{} beam {} (arcsec, deg)\n", options_.common_beam ? "common" : "target", words(*plane.target));
        break;
      }
    }
    text += fmt::format("  {:<28} {:<30} {:<30} {:^17} {:>9} {:>7}\n", "input", "beam", "kernel", "kernel pixels",
                        "flux x", "noise x");
    for (const SmoothInput& input : inputs_) add_rows(input, text);
    return text + "  noise x: expected rms after over before, for noise correlated like the beam";
  }

  void finish() {
    if (options_.files.size() > 1) {
      terminal_.print(fmt::format("{} of {} files {}", options_.files.size() - failures_.size(), options_.files.size(),
                                  options_.common.dry_run ? "can be smoothed" : "smoothed"));
    }
    Json documents = Json::array();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Json one{{"input", inputs_[i].path}};
      for (const SmoothPlane& plane : inputs_[i].planes) one["planes"].push_back(json_of(plane));
      if (i < outputs_.size() && !outputs_[i].empty()) {
        one["output"] = outputs_[i];
        for (const Report& report : reports_[i]) one["reports"].push_back(Json::parse(to_json(report)));
        documents.push_back(std::move(one));
      } else if (options_.common.dry_run) {
        documents.push_back(std::move(one));
      }
    }
    for (const Json& failure : failures_) documents.push_back(failure);
    write_json(options_.common, documents.dump(2, ' ', false, Json::error_handler_t::replace), terminal_);
  }

  const Options& options_;
  const Command& command_;
  Terminal& terminal_;
  Request base_;
  std::vector<SmoothInput> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::vector<Report>> reports_;
  std::vector<Json> failures_;
  int exit_code_ = kDone;
};

}  // namespace

void add_smooth(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("smooth", "Smooth many images or planes to their common beam");
  command->add_option("files", options->files, "FITS images and cubes")->required()->type_name("IN")->group("Input");
  command->add_flag("--common", options->common_beam, "Smooth to the smallest beam that every input can reach")
      ->brief("To the smallest beam that all can reach")
      ->group("Convolution");
  command->add_flag("--per-plane", options->per_plane, "With --common: one for each plane number, not one for all")
      ->brief("One beam for each plane number")
      ->group("Convolution");
  command
      ->add_option("--to-beam", options->target,
                   "Smooth to this beam instead (FWHM in arcsec, position angle in degrees)")
      ->type_name("MAJ,MIN,PA")
      ->brief("To this beam instead, in arcsec and deg")
      ->group("Convolution");
  command->add_option("--beam", options->old_target)->group("");
  command
      ->add_option(
          "--max-beam", options->max_beam_arcsec,
          "With --common: planes with a longer beam stay blank; default: of eight beams or more, those of more "
          "than 3 times the median length")
      ->check(within("smooth.max_beam"))
      ->type_name("ARCSEC")
      ->group("Convolution");
  options->parameters.add(*command, ParameterOptions::Group::convolution, {"convolve.kernel", "convolve.normalise"});
  command->add_option("-o,--output", options->folder, "Folder for NAME_smoothed.fits; default: that of each input")
      ->type_name("OUTDIR")
      ->brief("Folder for NAME_smoothed.fits")
      ->group("Output");
  add_run_options(*command, options->common, "--image-beam");
  command->footer(
      "Examples:\n"
      "  reber smooth a.fits b.fits c.fits --common --dry-run        the beam, and what each input needs\n"
      "  reber smooth a.fits b.fits c.fits --common -o smoothed\n"
      "  reber smooth cube.fits --common -o smoothed                 all planes of a cube to one beam\n"
      "  reber smooth cube.fits --to-beam 20,20,0 -o smoothed\n"
      "\n"
      "The common beam is exact, not searched on samples: no smaller beam holds all inputs. Beams come from BMAJ, "
      "BMIN,\n"
      "BPA, from CASA's table of beams (CASAMBM) or from HISTORY of AIPS. Cubes are read and written plane by plane; "
      "a\n"
      "plane without a beam stays blank. A file that fails does not stop the others; the exit code is the worst of "
      "them.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) {
      apply(options->common, terminal);
      return Batch(*options, *command, terminal).execute();
    };
  });
}

}  // namespace reber::app
