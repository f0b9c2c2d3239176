// SPDX-License-Identifier: BSD-3-Clause
// reber cube: a cube through steps, to a cube, a mask, moments with their errors, and cuts.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/cube_run.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/studies/feather.hpp"
#include "core/studies/smoothing.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, output, planes = "all";
  std::vector<std::string> steps;
};

/// Cubes between steps, beside the output, which go when this does.
class StepFiles {
 public:
  explicit StepFiles(const std::string& output) : output_(output) {}
  StepFiles(const StepFiles&) = delete;
  StepFiles& operator=(const StepFiles&) = delete;
  ~StepFiles() {
    std::error_code ignored;
    for (const fs::path& path : paths_) fs::remove(path, ignored);
  }
  std::string fresh() {
    const std::string name = fmt::format(".{}.{}.step{}.fits", output_.stem().string(), ::getpid(), paths_.size() + 1);
    return paths_.emplace_back(output_.parent_path() / name).string();
  }

 private:
  fs::path output_;
  std::vector<fs::path> paths_;
};

class CubeCommand {
 public:
  CubeCommand(const Options& options, const Command& command, Terminal& terminal)
      : options_(options),
        terminal_(terminal),
        base_(base_request(options.common, options.input)),
        steps_(parse_cube_steps(options.steps)),
        files_(options.output),
        beam_(base_.beam),
        open_(base_.open),
        path_(options.input) {
    base_.call = options_of_call(command, options.parameters);
  }

  int execute() {
    if (base_.open.plane) throw InputError("--plane is one plane: --planes says which the steps take");
    const std::vector<std::string> paths = cube_outputs(steps_, options_.output);
    check_outputs(paths, options_.common.overwrite);
    terminal_.set_subject(options_.input);
    CubeRequest request = first_request();
    if (options_.common.dry_run) {
      const CubeSource cube = open();
      terminal_.print(fmt::format("{}: {} of {} planes of {} x {} pixels\n  would write {}", printable(options_.input),
                                  request.planes.size(), cube.planes(), cube.shape().nx, cube.shape().ny,
                                  fmt::join(paths, "\n  would write ")));
      return kDone;
    }
    for (std::size_t i = 0; i < steps_.planes.size(); ++i) take_planes(i);
    if (!only_planes()) run_rest(request);
    tell(request);
    return kDone;
  }

 private:
  [[nodiscard]] CubeSource open() const {
    return CubeSource::open(path_, open_, terminal_.progress(), terminal_.log());
  }
  /// Nothing is asked for but steps on planes, of all planes.
  [[nodiscard]] bool only_planes() const {
    return !steps_.planes.empty() && whole_ && steps_.spectra.empty() && !steps_.mask && steps_.moments.empty() &&
           steps_.cuts.empty();
  }

  CubeRequest first_request() {
    CubeRequest request;
    request.output = options_.output;
    const CubeSource cube = open();
    request.planes = parse_planes(options_.planes, cube.planes());
    whole_ = static_cast<std::int64_t>(request.planes.size()) == cube.planes();
    CubeSteps trial = parse_cube_steps(options_.steps);
    if (!only_planes()) check_cube(cube, trial, request);
    request.memory_bytes = base_.host_memory_bytes;
    request.threads = options_.common.threads;
    request.overwrite = options_.common.overwrite;
    request.history = {base_.program + ", input " + options_.input};
    for (const std::string& line : base_.call) request.history.push_back("option: " + line);
    return request;
  }

  /// The cube at another beam. target: empty for the common one
  void smooth_to(const std::optional<Beam>& target, const std::string& output) {
    std::vector<SmoothInput> inputs;
    inputs.push_back(read_smooth_input(path_, open_, beam_, terminal_.progress()));
    if (!inputs[0].cube)
      throw InputError(fmt::format("{}: it has one plane: reber smooth smooths images", printable(path_)));
    if (target) {
      aim_at(inputs, *target);
    } else {
      for (const std::string& told : aim_at_common_beam(inputs, false)) terminal_.log().warning(told);
    }
    plan_smoothing(inputs[0]);
    Request request = base_;
    request.open = open_;
    request.convolve.emplace();
    request.output.overwrite = options_.common.overwrite;
    (void)on_backend(options_.common, terminal_, [&](const std::shared_ptr<Backend>& backend) {
      return smooth(inputs[0], request, output, backend, terminal_.progress(), terminal_.log());
    });
    for (const SmoothPlane& plane : inputs[0].planes) {
      if (!plane.target) continue;
      history_.push_back(fmt::format("smooth: to {:.6g} x {:.6g} arcsec, PA {:.5g} deg", plane.target->major_deg * 3600,
                                     plane.target->minor_deg * 3600, plane.target->pa_deg));
      break;
    }
  }

  void take_planes(std::size_t i) {
    const std::string& text = steps_.planes[i];
    const bool last = i + 1 == steps_.planes.size() && (only_planes() || !writes_cube(steps_));
    const std::string output = last ? options_.output : files_.fresh();
    const std::string rest = text.find(':') == std::string::npos ? "" : text.substr(text.find(':') + 1);
    if (text.starts_with("feather")) {
      FeatherRequest request = FeatherRequest::parse(rest);
      request.history = {base_.program + ", input " + options_.input};
      for (const std::string& line : base_.call) request.history.push_back("option: " + line);
      request.threads = options_.common.threads;
      request.overwrite = options_.common.overwrite;
      for (const std::string& line : feather(open(), request, output, terminal_.progress(), terminal_.log()))
        history_.push_back(line);
    } else {
      if (rest.empty()) throw InputError("step 'smooth': expected smooth:common, or MAJ,MIN,PA in arcsec and deg");
      smooth_to(rest == "common" ? std::nullopt : std::optional<Beam>(parse_beam(rest, "step smooth")), output);
    }
    path_ = output;
    open_ = {};
    beam_.reset();
    if (last) outputs_.push_back(output);
  }

  void run_rest(CubeRequest& request) {
    const CubeSource cube = open();
    request.beam = beam_;
    for (const double fwhm : steps_.resolutions) {
      const std::string path = files_.fresh();
      smooth_to(Beam{fwhm / 3600, fwhm / 3600, 0}, path);
      history_.pop_back();
      request.smoothed.push_back(CubeSource::open(path, {}, terminal_.progress()));
    }
    const CubeMade made = run_cube(cube, steps_, request, terminal_.progress(), terminal_.log());
    history_.insert(history_.end(), made.history.begin(), made.history.end());
    outputs_.insert(outputs_.end(), made.outputs.begin(), made.outputs.end());
  }

  void tell(const CubeRequest& request) {
    terminal_.clear_progress();
    std::string text = printable(options_.input);
    for (const std::string& line : history_) text += "\n  " + line;
    for (const std::string& path : outputs_) text += "\n  wrote " + printable(path);
    terminal_.print(text);
    const nlohmann::ordered_json json{{"input", options_.input},
                                      {"steps", options_.steps},
                                      {"planes", request.planes},
                                      {"history", history_},
                                      {"outputs", outputs_}};
    write_json(options_.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal_);
  }

  const Options& options_;
  Terminal& terminal_;
  Request base_;
  CubeSteps steps_;
  StepFiles files_;
  // The cube as the steps so far left it.
  std::optional<Beam> beam_;
  OpenOptions open_;
  std::string path_;
  std::vector<std::string> history_, outputs_;
  bool whole_ = true;  ///< all planes are taken
};

}  // namespace

void add_cube(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("cube", "A cube through steps: smoothing, masks, moments");
  command->add_option("input", options->input, "FITS cube or CASA image")
      ->required()
      ->type_name("CUBE")
      ->group("Input");
  command
      ->add_option("steps", options->steps,
                   "What is done, in this order: smooth:common|MAJ,MIN,PA and feather:LOW.fits,scale=1; "
                   "contsub:polyN,channels=LIST and spectral:gauss:5ch|boxcar:3|hanning|rebin:4; noise:VALUE; "
                   "mask:strict=4,2,2,2 or mask:broad=4,2,2,2@15,30; moments:0,1,2,ew,peak and pv:RA,DEC,RA,DEC,WIDTH")
      ->required()
      ->type_name("STEP")
      ->brief("smooth, contsub, spectral, mask, moments, pv ...")
      ->group("Input");
  add_planes_option(*command, options->planes);
  command
      ->add_option("-o,--output", options->output,
                   "The cube after the steps; maps are named after it: OUT_mom0.fits, OUT_mom0_error.fits")
      ->required()
      ->type_name("OUT")
      ->brief("The cube; maps are OUT_mom0.fits ...")
      ->group("Output");
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber cube in.fits -o out.fits spectral:gauss:5ch\n"
      "  reber cube in.fits -o out.fits smooth:common mask:strict=4,2,2,2 moments:0,1,2\n"
      "  reber cube in.fits -o out.fits feather:dish.fits pv:187.70,12.35,187.75,12.40,5\n"
      "\n"
      "The cube is read and written once after the steps on planes (smooth, feather), by all threads, in bands of\n"
      "rows: memory does not grow with the number of planes. Each moment has a map of its error. docs/cubes.md has\n"
      "the laws of all steps.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) {
      apply(options->common, terminal);
      return CubeCommand(*options, *command, terminal).execute();
    };
  });
}

}  // namespace reber::app
