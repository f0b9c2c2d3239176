// SPDX-License-Identifier: BSD-3-Clause
// Steps on planes write cubes beside the output; the last one, or the walk over spectra, writes the output.
#include "core/studies/imaging/cube_work.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/scratch_path.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/cube/step_words.hpp"
#include "core/studies/imaging/feather.hpp"
#include "core/studies/imaging/grid_words.hpp"
#include "core/studies/imaging/regrid.hpp"
#include "core/studies/imaging/scratch_names.hpp"
#include "core/studies/imaging/smoothing.hpp"

namespace reber {
namespace {

class Runner {
 public:
  Runner(const CubeWork& work, const OnBackend& on_backend, const Progress& progress, const LogSink& log)
      : work_(work),
        on_backend_(on_backend),
        progress_(progress),
        log_(names_.over(log)),
        steps_(parse_cube_steps(work.steps)),
        group_(work.base.output.durable),
        beam_(work.base.beam),
        open_(work.base.open),
        path_(work.base.input) {
    if (!work.name.empty()) names_.add(work.base.input, work.name);
  }

  CubeDone plan() {
    const CubeSource cube = open();
    request_.output = work_.output;
    request_.planes = parse_planes(work_.planes, cube.planes());
    whole_ = static_cast<std::int64_t>(request_.planes.size()) == cube.planes();
    CubeSteps trial = parse_cube_steps(work_.steps);
    if (!only_planes()) check_cube(cube, trial, request_);
    request_.memory_bytes = work_.base.host_memory_bytes;
    request_.threads = work_.threads;
    request_.how = {work_.overwrite, &group_};
    request_.history = first_lines();
    return {cube.shape(), cube.planes(), request_.planes, cube_outputs(steps_, work_.output), {}};
  }

  CubeDone run() {
    CubeDone done = names_.told("", [&] { return plan(); });
    for (std::size_t i = 0; i < steps_.planes.size(); ++i)
      names_.told(fmt::format("step '{}'", steps_.planes[i]), [&] { take_planes(i); });
    if (!only_planes()) names_.told(printable(names_.in(path_)), [&] { walk(); });
    group_.commit(progress_);
    done.outputs = std::move(outputs_);
    done.history = std::move(history_);
    return done;
  }

 private:
  [[nodiscard]] CubeSource open() const { return CubeSource::open(path_, open_, progress_, log_); }
  /// Nothing is asked for but steps on planes, of all planes.
  [[nodiscard]] bool only_planes() const {
    return !steps_.planes.empty() && whole_ && steps_.spectra.empty() && !steps_.mask && steps_.moments.empty() &&
           steps_.cuts.empty();
  }
  [[nodiscard]] std::vector<std::string> first_lines() const {
    std::vector<std::string> lines{work_.base.program + ", input " + names_.in(work_.base.input)};
    for (const std::string& line : work_.base.call) lines.push_back("option: " + line);
    return lines;
  }
  /// A file between two steps.   after: what was done to the input till then
  std::string scratch(const std::string& after) {
    const std::string& path = scratch_.emplace_back(std::filesystem::path(work_.output).parent_path().string()).path();
    names_.add(path, fmt::format("{} after {}", names_.in(printable(work_.base.input)), after));
    return path;
  }

  /// The cube at another beam. target: empty for the common one
  void smooth_to(const std::optional<Beam>& target, const std::string& output, const FileOptions& how) {
    std::vector<SmoothInput> inputs;
    inputs.push_back(read_smooth_input(path_, open_, beam_, progress_));
    inputs[0].path = names_.in(path_);  // of HISTORY
    if (!inputs[0].cube)
      throw InputError(fmt::format("{}: it has one plane: reber smooth smooths images", printable(path_)));
    if (target) {
      aim_at(inputs, *target);
    } else {
      for (const std::string& told : aim_at_common_beam(inputs, false)) log_.warning(told);
    }
    plan_smoothing(inputs[0]);
    Request request = work_.base;
    request.open = open_;
    request.convolve.emplace();
    request.output = {};
    request.output.overwrite = how.overwrite;
    on_backend_([&](const std::shared_ptr<Backend>& backend) {
      (void)smooth(inputs[0], request, output, backend, progress_, log_, how.group);
    });
    for (const SmoothPlane& plane : inputs[0].planes) {
      if (!plane.target) continue;
      history_.push_back(fmt::format("smooth: to {:.6g} x {:.6g} arcsec, PA {:.5g} deg", plane.target->major_deg * 3600,
                                     plane.target->minor_deg * 3600, plane.target->pa_deg));
      break;
    }
  }

  void feather_with(const std::string& words, const std::string& output, const FileOptions& how) {
    FeatherRequest request = FeatherRequest::parse(words);
    request.history = first_lines();
    request.threads = work_.threads;
    request.how = how;
    for (const std::string& line : feather(open(), request, output, progress_, log_)) history_.push_back(line);
  }

  /// The cube on the grid of another image.
  void regrid_like(const std::string& like, const std::string& output, const FileOptions& how) {
    const CubeSource cube = open();
    RegridRequest request;
    request.input = path_;
    GridWords grid;
    grid.like = like;
    request.grid = grid_of(grid, {}, open_, progress_);
    request.beam = beam_;
    request.threads = work_.threads;
    request.history = first_lines();
    const std::size_t before = request.history.size();
    const Regridding regridding(cube, request);
    on_backend_([&](const std::shared_ptr<Backend>& backend) { regridding.write(output, backend, how, progress_); });
    const auto& lines = regridding.facts().history;
    history_.insert(history_.end(), lines.begin() + static_cast<std::ptrdiff_t>(before), lines.end());
  }

  void take_planes(std::size_t i) {
    const std::string& text = steps_.planes[i];
    const bool last = i + 1 == steps_.planes.size() && only_planes();
    const auto done = std::span(steps_.planes).first(i + 1);
    const std::string output = last ? work_.output : scratch(fmt::format("{}", fmt::join(done, " ")));
    const FileOptions how = last ? FileOptions(work_.overwrite, &group_) : FileOptions(true);
    const std::size_t colon = text.find(':');
    const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (text.starts_with("feather")) {
      feather_with(rest, output, how);
    } else if (text.starts_with("regrid")) {
      if (rest.empty()) throw InputError("step 'regrid': expected regrid:LIKE.fits, an image on the grid");
      regrid_like(rest, output, how);
    } else {
      if (rest.empty()) throw InputError("step 'smooth': expected smooth:common, or MAJ,MIN,PA in arcsec and deg");
      smooth_to(rest == "common" ? std::nullopt : std::optional<Beam>(beam_of_words(rest, "step 'smooth'")), output,
                how);
    }
    path_ = output;
    open_ = {};
    beam_.reset();
    if (last) outputs_.push_back(output);
  }

  void walk() {
    request_.beam = beam_;
    for (const double fwhm : steps_.resolutions) {
      const std::string path = scratch(fmt::format("smoothing to {:g} arcsec for the mask", fwhm));
      smooth_to(Beam{fwhm / 3600, fwhm / 3600, 0}, path, FileOptions(true));
      history_.pop_back();
      request_.smoothed.push_back(CubeSource::open(path, {}, progress_));
    }
    const CubeMade made = run_cube(open(), steps_, request_, progress_, log_);
    history_.insert(history_.end(), made.history.begin(), made.history.end());
    outputs_.insert(outputs_.end(), made.outputs.begin(), made.outputs.end());
  }

  const CubeWork& work_;
  const OnBackend& on_backend_;
  const Progress& progress_;
  ScratchNames names_;
  LogSink log_;
  CubeSteps steps_;
  std::vector<ScratchPath> scratch_;
  CommitGroup group_;
  CubeRequest request_;
  // The cube as the steps so far left it.
  std::optional<Beam> beam_;
  OpenOptions open_;
  std::string path_;
  std::vector<std::string> history_, outputs_;
  bool whole_ = true;  ///< all planes are taken
};

}  // namespace

CubeDone plan_cube(const CubeWork& work, const Progress& progress, const LogSink& log) {
  const OnBackend none;
  return Runner(work, none, progress, log).plan();
}

CubeDone make_cube(const CubeWork& work, const OnBackend& on_backend, const Progress& progress, const LogSink& log) {
  return Runner(work, on_backend, progress, log).run();
}

}  // namespace reber
