// SPDX-License-Identifier: BSD-3-Clause
// One channel, or one after the other, into files.
#include "core/studies/imaging/mosaic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/beam_map.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/studies/imaging/field_noise.hpp"

namespace reber {
namespace {

/// Numbers as --planes takes them, with ranges.
std::string ranges_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    parts.push_back(end == i ? fmt::format("{}", numbers[i]) : fmt::format("{}:{}", numbers[i], numbers[end]));
    i = end + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// Least and most of what was seen.
struct Span {
  double least = 0, most = 0;
  bool any = false;
  void see(double value) {
    least = any ? std::min(least, value) : value;
    most = any ? std::max(most, value) : value;
    any = true;
  }
};

double mean_gain(const std::vector<std::unique_ptr<FieldOnGrid>>& fields) {
  double gain = 0;
  for (const auto& field : fields) gain += field->noise_gain_of() / static_cast<double>(fields.size());
  return gain;
}

}  // namespace

/// What was found of the fields while they were added.
struct Mosaic::Account {
  explicit Account(std::size_t fields) : rms(fields), left_out(fields) {}
  std::vector<Span> rms;
  std::vector<std::vector<std::int64_t>> left_out;  ///< channels of each field
  Span gain;
};

/// The cubes that are written, and what is kept until the end for maps of all channels.
class Mosaic::CubeFiles {
 public:
  CubeFiles(const Mosaic& mosaic, const MosaicFiles& files, const std::vector<std::string>& history,
            const FileOptions& how)
      : mosaic_(mosaic), files_(files), how_(how), like_(on_grid(mosaic.fields_.first(), mosaic.request_.grid)) {
    like_.path = mosaic.request_.inputs.front().name;
    std::vector<std::optional<Beam>> table = mosaic.fields_.beams();
    std::optional<Beam> one = table.front();
    if (std::ranges::any_of(table, [&](const std::optional<Beam>& beam) { return !(beam == one); }))
      one.reset();
    else
      table.clear();
    const auto add = [&](const std::string& path, const std::string& unit, MosaicPlane::Part part) {
      if (path.empty()) return;
      OutputHeader header = mosaic.header_of(like_, unit);
      header.beam = one, header.history = history;
      cubes_.push_back({part, std::make_unique<CubeWriter>(path, header, table, how)});
    };
    add(files.image, like_.unit.text, MosaicPlane::Part::image);
    add(files.weight, "", MosaicPlane::Part::weight);
    add(files.rms, like_.unit.text, MosaicPlane::Part::rms);
    if (!files.coverage.empty()) mask_ = Mask(mosaic.request_.grid.shape);
  }

  void write(std::int64_t channel, const MosaicPlane& plane, const OnGrid& fields, double gain,
             const Progress& progress) {
    for (const Cube& cube : cubes_) cube.writer->write_plane(channel, plane.rows(cube.part, gain), progress);
    if (!files_.psf_map.empty()) beams_.push_back(mean_beams(fields, mosaic_.request_, progress));
    if (!files_.coverage.empty()) plane.mark(mask_, progress);
  }

  void finish(const std::vector<std::string>& history, const Progress& progress) {
    for (const Cube& cube : cubes_) {
      cube.writer->tell(history);
      cube.writer->finish();
    }
    const SkyGrid& grid = mosaic_.request_.grid;
    const auto map_of = [&](std::int64_t channel) { return beams_[static_cast<std::size_t>(channel)]; };
    if (!files_.psf_map.empty())
      write_beam_map(files_.psf_map, like_.path, grid, static_cast<std::int64_t>(beams_.size()), map_of, history, how_,
                     progress);
    if (!files_.coverage.empty()) write_moc(moc_of(mask_, grid.wcs), files_.coverage, how_);
  }

 private:
  struct Cube {
    MosaicPlane::Part part;
    std::unique_ptr<CubeWriter> writer;
  };
  const Mosaic& mosaic_;
  const MosaicFiles& files_;
  FileOptions how_;
  ImageHeader like_;
  std::vector<Cube> cubes_;
  std::vector<BeamMapNodes> beams_;
  Mask mask_;
};

Mosaic::Mosaic(MosaicRequest request, const Progress& progress)
    : request_(std::move(request)), fields_(request_, progress) {
  if (!fields_.frequencies().empty()) request_.history.push_back("mosaic: " + fields_.frequencies());
  history_ = request_.history;
}

void Mosaic::check_psf_map(const MosaicFiles& files) const {
  if (files.psf_map.empty()) return;
  for (std::size_t i = 0; i < request_.inputs.size(); ++i)
    if (const auto field = fields_.field(i, 0, {}); field && !field->beam)
      throw InputError(
          fmt::format("{}: a map of the beam needs one; {}", printable(field->name), field->header->beam_note));
}

OutputHeader Mosaic::header_of(const ImageHeader& like, const std::string& unit) const {
  OutputHeader header;
  header.like = &like;
  header.unit = unit;
  header.beam = beam();
  header.history = history_;
  return header;
}

std::vector<std::string> Mosaic::history_of(const Account& account) const {
  std::vector<std::string> lines = request_.history;
  const std::int64_t channels = fields_.channels();
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    const MosaicInput& input = request_.inputs[i];
    const Span& rms = account.rms[i];
    std::string noise = !input.rms_map.empty() ? fmt::format("rms map {}", input.rms_map)
                        : request_.uniform     ? "uniform weight"
                        : !fields_.cubes()     ? fmt::format("rms {:.6g}", rms.least)
                                               : fmt::format("rms {:.5e} to {:.5e}", rms.least, rms.most);
    if (request_.smoothed && input.rms_map.empty() && !request_.uniform) noise += " after smoothing";
    // As many digits whatever the number: the header of a cube is laid out before the work.
    if (fields_.cubes())
      noise += fmt::format(" in {:0{}} of {} planes", channels - static_cast<std::int64_t>(account.left_out[i].size()),
                           fmt::formatted_size("{}", channels), channels);
    lines.push_back(fmt::format("mosaic: {}, {}, scale {:.6g}, shift {:g}, {:g} arcsec", input.name, noise,
                                fields_.scale(i), input.shift.east_arcsec, input.shift.north_arcsec));
  }
  const std::string gain = fields_.cubes() ? fmt::format("{:.5f} to {:.5f}", account.gain.least, account.gain.most)
                                           : fmt::format("{:.5f}", account.gain.least);
  lines.push_back(fmt::format("mosaic: interpolation {}, noise times {}; cutoff {:g}, final cutoff {:g}",
                              to_string(request_.how), gain, request_.cutoff, request_.final_cutoff));
  return lines;
}

/// The fields that count in a channel, ready to be added.
Mosaic::OnGrid Mosaic::channel(std::int64_t channel, const std::shared_ptr<Backend>& backend, WeightTables& tables,
                               Account& account, const Progress& progress) const {
  OnGrid fields;
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    auto field = fields_.field(i, channel, progress);
    const bool counts =
        field && !(fields_.cubes() && all_blank(*field->pixels, progress)) && measure_noise(*field, *backend, progress);
    if (!counts) {
      if (!fields_.cubes()) {
        const std::string& map = request_.inputs[i].rms_map;
        throw InputError(map.empty() ? fmt::format("{}: its noise cannot be measured", printable(field->name))
                                     : fmt::format("{}: no pixel of it is above 0", printable(map)));
      }
      account.left_out[i].push_back(channel);
      continue;
    }
    if (!field->noise) account.rms[i].see(field->rms);
    fields.push_back(std::make_unique<FieldOnGrid>(std::move(*field), request_, backend, tables, progress));
  }
  if (!fields.empty()) account.gain.see(mean_gain(fields));
  return fields;
}

void Mosaic::write(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                   const Progress& progress, const LogSink& log) {
  check_psf_map(files);
  if (fields_.cubes())
    write_cube(files, backend, how, progress, log);
  else
    write_image(files, backend, how, progress);
}

void Mosaic::write_image(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                         const Progress& progress) {
  Account account(request_.inputs.size());
  WeightTables tables;
  MosaicPlane plane(request_, files.image);
  const OnGrid fields = channel(0, backend, tables, account, progress);
  history_ = history_of(account);
  plane.make(
      fields, [&](double part) { progress.report("adding fields", part); }, progress);
  if (!plane.any())
    throw InputError("no pixel of the mosaic has a weight: fields are blank where they lie on the grid");
  ImageHeader like = on_grid(fields_.first(), request_.grid);
  like.path = request_.inputs.front().name;
  const auto write = [&](const std::string& path, const std::string& unit, MosaicPlane::Part part) {
    if (path.empty()) return;
    write_fits(path, like.shape, header_of(like, unit), plane.rows(part, account.gain.least), how, progress);
  };
  write(files.image, like.unit.text, MosaicPlane::Part::image);
  write(files.weight, "", MosaicPlane::Part::weight);
  write(files.rms, like.unit.text, MosaicPlane::Part::rms);
  if (!files.psf_map.empty()) {
    const auto map_of = [&](std::int64_t) { return mean_beams(fields, request_, progress); };
    write_beam_map(files.psf_map, like.path, request_.grid, 1, map_of, history_, how, progress);
  }
  if (files.coverage.empty()) return;
  Mask mask(like.shape);
  plane.mark(mask, progress);
  write_moc(moc_of(mask, request_.grid.wcs), files.coverage, how);
}

void Mosaic::write_cube(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                        const Progress& progress, const LogSink& log) {
  Account account(request_.inputs.size());
  WeightTables tables;
  MosaicPlane plane(request_, files.image);
  CubeFiles out(*this, files, history_of(account), how);
  bool any = false;
  for (std::int64_t c = 0; c < fields_.channels(); ++c) {
    const OnGrid fields = channel(c, backend, tables, account, progress);
    const auto told = [&](double part) {
      progress.report("adding planes", (static_cast<double>(c) + part) / static_cast<double>(fields_.channels()));
    };
    plane.make(fields, told, progress);
    any = any || plane.any();
    out.write(c, plane, fields, fields.empty() ? 1 : mean_gain(fields), progress);
  }
  if (!any) throw InputError("no pixel of the mosaic has a weight: fields are blank where they lie on the grid");
  for (std::size_t i = 0; i < request_.inputs.size(); ++i)
    if (!account.left_out[i].empty())
      log.warning(fmt::format("{}: planes {} do not count: they are blank, or have no beam or no noise",
                              printable(request_.inputs[i].name), ranges_of(account.left_out[i])));
  progress.check();
  history_ = history_of(account);
  out.finish(history_, progress);
  progress.report("adding planes", 1);
}

}  // namespace reber
