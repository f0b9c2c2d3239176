// SPDX-License-Identifier: BSD-3-Clause
// Plans, measures, walks and writes.
#include "core/run/cube/cube_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/run/cube/cube_header.hpp"
#include "core/run/cube/spectral_axis.hpp"

namespace reber {
namespace {

std::string beside(const std::string& output, const std::string& what) {
  const std::filesystem::path path(output);
  return (path.parent_path() / (path.stem().string() + "_" + what + ".fits")).string();
}

std::string cut_path(const std::string& output, std::size_t i) {
  return beside(output, i == 0 ? "pv" : fmt::format("pv{}", i + 1));
}

/// A file on its way, with the header that it is like.
struct Output {
  ImageHeader header;
  std::string path;
  std::int64_t planes = 1;
  std::unique_ptr<CubeWriter> writer;
};

class CubeRun {
 public:
  CubeRun(const CubeSource& cube, CubeSteps& steps, const CubeRequest& request, const Progress& progress,
          const LogSink& log)
      : cube_(cube), steps_(steps), request_(request), progress_(progress), log_(log) {}

  CubeMade run();
  void plan();

 private:
  void find_flagged();
  [[nodiscard]] SpectraWalk walk_of(const CubeSource& cube) const;
  void find_lines(const SpectraWalk& walk, const ChannelNoise& noise);
  void find_masks();
  void open_outputs();
  void open_output(const std::string& path, ImageHeader header, const std::string& unit,
                   std::vector<std::optional<Beam>> beams);
  [[nodiscard]] ImageHeader header_of(std::int64_t count, double offset, double step) const;
  [[nodiscard]] std::vector<std::optional<Beam>> output_beams() const;
  void take(Strip& strip, const Band& band, std::vector<std::vector<float>>& buffers) const;
  void make_files();
  void tell(const std::string& line) { made_.history.push_back(line); }

  const CubeSource& cube_;
  CubeSteps& steps_;
  const CubeRequest& request_;
  const Progress& progress_;
  const LogSink& log_;
  std::shared_ptr<const ImageHeader> header_;  ///< of the first plane
  int axis_ = -1;
  SpectralGrid grid_;
  std::vector<bool> flagged_;
  std::vector<std::optional<Beam>> beams_;
  std::optional<SpectraWalk> walk_;
  std::optional<ChannelNoise> noise_;
  std::vector<std::unique_ptr<LineMask>> masks_;
  std::vector<std::unique_ptr<PvCut>> cuts_;
  std::unique_ptr<MomentMaps> maps_;
  std::vector<std::unique_ptr<Output>> outputs_;
  CubeMade made_;
};

void CubeRun::plan() {
  header_ = cube_.header(request_.planes.front());
  const std::vector<std::int64_t>& planes = request_.planes;
  check_one_spectrum(*header_, planes);
  axis_ = spectral_axis(*header_);
  const SpectralCoordinates coordinates = spectral_coordinates(*header_, planes);
  const auto place = [&](std::int64_t plane) {
    return fits::plane_position(header_->axes, header_->x_axis, header_->y_axis,
                                plane)[static_cast<std::size_t>(axis_)];
  };
  const std::int64_t first = place(planes.front());
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (place(planes[i]) != first + static_cast<std::int64_t>(i))
      throw InputError(
          fmt::format("{}: planes {} and {} are not neighbours: steps need a range of planes, such as "
                      "--planes {}:{}",
                      printable(header_->path), planes[i - 1], planes[i], planes.front(), planes.back()));
  if (planes.size() < 2)
    throw InputError(fmt::format("{}: one plane has no spectrum: give two or more", printable(header_->path)));
  grid_ = {coordinates.unit, coordinates.convention, coordinates.at, coordinates.width, static_cast<double>(first), 1};
  for (const auto& step : steps_.spectra) {
    step->plan(grid_);
    tell(step->told());
  }
  for (const PvLine& line : steps_.cuts)
    cuts_.push_back(std::make_unique<PvCut>(line, *header_, static_cast<std::int64_t>(grid_.at.size())));
}

/// A table of beams says which planes hold no sky. Planes without pixels say so themselves.
void CubeRun::find_flagged() {
  const auto& table = header_->plane_beams;
  const bool some = std::ranges::any_of(table, [](const std::optional<Beam>& beam) { return beam.has_value(); });
  for (const std::int64_t plane : request_.planes) {
    const std::optional<Beam> own = table.empty() ? header_->beam : table[static_cast<std::size_t>(plane)];
    beams_.push_back(request_.beam ? request_.beam : own);
    flagged_.push_back(!request_.beam && some && !own);
    if (flagged_.back()) log_.warning(fmt::format("plane {} is taken as blank: it has no beam", plane));
    if (flagged_.back()) tell(fmt::format("plane {} taken as blank: it has no beam", plane));
  }
}

/// The lines of one cube: this one, or the same at another resolution.
void CubeRun::find_lines(const SpectraWalk& walk, const ChannelNoise& noise) {
  masks_.push_back(std::make_unique<LineMask>(*steps_.mask, cube_.shape(), static_cast<std::int64_t>(grid_.at.size())));
  LineMask& mask = *masks_.back();
  walk.walk(
      0, "finding lines", [&](Strip& strip, const Band& band, int) { mask.add(strip, band, noise); },
      [&](const Band& band, int) { mask.band_done(band); }, progress_);
  mask.finish();
}

void CubeRun::find_masks() {
  if (!steps_.mask) return;
  find_lines(*walk_, *noise_);
  const MaskRule& rule = *steps_.mask;
  tell(fmt::format("mask: above {:g} sigma over {} channels, grown to {:g} sigma over {} channels: {} voxels",
                   rule.high_sigma, rule.high_channels, rule.low_sigma, rule.low_channels, masks_[0]->voxels()));
  for (std::size_t i = 0; i < request_.smoothed.size(); ++i) {
    const SpectraWalk walk = walk_of(request_.smoothed[i]);
    find_lines(walk, ChannelNoise::measure(walk, static_cast<std::int64_t>(grid_.at.size()), {}, progress_));
    tell(fmt::format("mask: and the same at {:g} arcsec: {} voxels", steps_.resolutions[i], masks_.back()->voxels()));
  }
}

SpectraWalk CubeRun::walk_of(const CubeSource& cube) const {
  return {cube, request_.planes, flagged_, steps_.spectra, request_.memory_bytes, request_.threads};
}

/// The input's header with `count` channels on its spectral axis, and one pixel on each other axis.
ImageHeader CubeRun::header_of(std::int64_t count, double offset, double step) const {
  ImageHeader header = *header_;
  const auto position = fits::plane_position(header.axes, header.x_axis, header.y_axis, request_.planes.front());
  for (int axis = 0; axis < static_cast<int>(header.axes.size()); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (axis == axis_) {
      resample_axis(header, axis, count, offset, step);
    } else if (axis != header.x_axis && axis != header.y_axis && header.axes[at] > 1) {
      resample_axis(header, axis, 1, static_cast<double>(position[at]), 1);
    }
  }
  header.planes = count;
  return header;
}

/// Of the input's channel nearest to each one, where they differ; else none.
std::vector<std::optional<Beam>> CubeRun::output_beams() const {
  if (header_->plane_beams.empty() || request_.beam) return {};
  std::vector<std::optional<Beam>> beams;
  const double first = grid_.offset, step = grid_.step;
  const auto position = fits::plane_position(header_->axes, header_->x_axis, header_->y_axis, request_.planes.front());
  const auto start = static_cast<double>(position[static_cast<std::size_t>(axis_)]);
  for (std::size_t i = 0; i < grid_.at.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::floor(first + step * static_cast<double>(i) - start));
    beams.push_back(beams_[std::min(at, beams_.size() - 1)]);
  }
  return beams;
}

void CubeRun::open_output(const std::string& path, ImageHeader header, const std::string& unit,
                          std::vector<std::optional<Beam>> beams) {
  auto output = std::make_unique<Output>();
  output->header = std::move(header);
  output->path = path;
  output->planes = output->header.planes;
  OutputHeader out;
  out.like = &output->header;
  out.unit = unit;
  if (beams.empty()) out.beam = output->header.beam;
  out.history = request_.history;
  out.history.insert(out.history.end(), made_.history.begin(), made_.history.end());
  output->writer = std::make_unique<CubeWriter>(path, out, std::move(beams), request_.how);
  made_.outputs.push_back(path);
  outputs_.push_back(std::move(output));
}

void CubeRun::open_outputs() {
  const auto channels = static_cast<std::int64_t>(grid_.at.size());
  const std::string& brightness = header_->unit.text;
  const std::optional<Beam> beam =
      header_->plane_beams.empty() && !request_.beam ? header_->beam : median_beam(beams_, log_);
  if (!steps_.moments.empty()) tell("moments: over " + grid_.convention);
  if (writes_cube(steps_)) {
    ImageHeader header = header_of(channels, grid_.offset, grid_.step);
    header.beam = beam;
    open_output(request_.output, std::move(header), brightness, output_beams());
  }
  if (steps_.moments.empty()) return;
  ImageHeader flat = header_of(1, grid_.offset + 0.5 * grid_.step * static_cast<double>(channels - 1), 1);
  flat.beam = beam;
  for (const Moment moment : steps_.moments)
    for (const bool error : {false, true})
      open_output(beside(request_.output, name_of(moment) + (error ? "_error" : "")), flat,
                  unit_of(moment, brightness, grid_.unit), {});
}

void CubeRun::take(Strip& strip, const Band& band, std::vector<std::vector<float>>& buffers) const {
  if (!masks_.empty()) {
    Strip kept;
    kept.resize(strip.planes);
    std::ranges::fill(kept.values, std::numeric_limits<float>::quiet_NaN());
    for (const auto& mask : masks_) mask->keep(strip, kept);
    std::swap(strip.values, kept.values);
  }
  const std::int64_t nx = cube_.shape().nx, at = strip.first - band.y0 * nx, room = band.ny * nx;
  std::size_t next = 0;
  if (writes_cube(steps_)) {
    std::vector<float>& buffer = buffers[next++];
    for (std::int64_t k = 0; k < strip.planes; ++k)
      std::copy_n(strip.plane(k), strip.pixels, buffer.begin() + k * room + at);
  }
  std::vector<float*> maps;
  for (; next < buffers.size(); ++next) maps.push_back(buffers[next].data() + at);
  if (maps_) maps_->make(strip, maps);
  for (const auto& cut : cuts_) cut->take(strip);
}

void CubeRun::make_files() {
  const std::int64_t nx = cube_.shape().nx;
  std::vector<std::vector<std::vector<float>>> buffers(static_cast<std::size_t>(walk_->workers()));
  for (auto& own : buffers) own.resize(outputs_.size());
  walk_->walk(
      0, "writing the cube",
      [&](Strip& strip, const Band& band, int worker) {
        auto& own = buffers[static_cast<std::size_t>(worker)];
        for (std::size_t i = 0; i < own.size(); ++i)
          own[i].resize(static_cast<std::size_t>(outputs_[i]->planes * walk_->band_rows() * nx));
        take(strip, band, own);
      },
      [&](const Band& band, int worker) {
        auto& own = buffers[static_cast<std::size_t>(worker)];
        for (std::size_t i = 0; i < own.size(); ++i)
          for (std::int64_t k = 0; k < outputs_[i]->planes; ++k)
            outputs_[i]->writer->write_rows(k, band.y0, band.ny, own[i].data() + k * band.ny * nx);
      },
      progress_);
  progress_.report("writing the cube", 1);
  const ImageHeader header = header_of(static_cast<std::int64_t>(grid_.at.size()), grid_.offset, grid_.step);
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    tell(cuts_[i]->told());
    std::vector<std::string> history = request_.history;
    history.insert(history.end(), made_.history.begin(), made_.history.end());
    made_.outputs.push_back(cut_path(request_.output, i));
    cuts_[i]->write(made_.outputs.back(), header, axis_, header_->unit.text, history, request_.how, progress_);
  }
  for (const auto& output : outputs_) output->writer->finish();
}

CubeMade CubeRun::run() {
  plan();
  find_flagged();
  walk_.emplace(walk_of(cube_));
  if (steps_.mask || !steps_.moments.empty()) {
    noise_ = ChannelNoise::measure(*walk_, static_cast<std::int64_t>(grid_.at.size()), steps_.noise, progress_);
    for (const std::string& line : noise_->told(header_->unit.text)) tell(line);
  }
  find_masks();
  if (!steps_.moments.empty()) maps_ = std::make_unique<MomentMaps>(steps_.moments, grid_, *noise_);
  open_outputs();
  make_files();
  return std::move(made_);
}

}  // namespace

bool writes_cube(const CubeSteps& steps) {
  return !steps.planes.empty() || !steps.spectra.empty() || steps.mask || (steps.moments.empty() && steps.cuts.empty());
}

std::vector<std::string> cube_outputs(const CubeSteps& steps, const std::string& output) {
  std::vector<std::string> paths;
  if (writes_cube(steps)) paths.push_back(output);
  for (const Moment moment : steps.moments)
    for (const char* what : {"", "_error"}) paths.push_back(beside(output, name_of(moment) + what));
  for (std::size_t i = 0; i < steps.cuts.size(); ++i) paths.push_back(cut_path(output, i));
  return paths;
}

void check_cube(const CubeSource& cube, CubeSteps& steps, const CubeRequest& request) {
  CubeRun(cube, steps, request, Progress(), LogSink()).plan();
}

CubeMade run_cube(const CubeSource& cube, CubeSteps& steps, const CubeRequest& request, const Progress& progress,
                  const LogSink& log) {
  return CubeRun(cube, steps, request, progress, log).run();
}

}  // namespace reber
