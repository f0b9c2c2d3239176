// SPDX-License-Identifier: BSD-3-Clause
// Words become a request; fields are smoothed where that is asked for; then the mosaic and what belongs to it.
#include "core/studies/imaging/mosaic_work.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/studies/imaging/common_fields.hpp"
#include "core/studies/imaging/field_table.hpp"
#include "core/studies/imaging/scratch_names.hpp"

namespace reber {
namespace {

/// A table of numbers by file, each put where it belongs; without a path nothing is put.
template <class Put>
void read_into(const MosaicWork& work, const std::string& path, int count, double otherwise, MosaicRequest& request,
               Put put) {
  if (path.empty()) return;
  std::vector<std::string> names;
  for (const MosaicInput& input : work.inputs) names.push_back(input.name);
  const auto rows = read_field_table(path, names, count, otherwise);
  for (std::size_t i = 0; i < rows.size(); ++i) put(request.inputs[i], rows[i]);
}

void read_tables(const MosaicWork& work, MosaicRequest& request) {
  read_into(work, work.shifts, 2, 0, request, [](MosaicInput& input, const auto& row) {
    input.shift = {row[0], row[1]};
  });
  read_into(work, work.scales, 1, 1, request, [&](MosaicInput& input, const auto& row) {
    if (!(row[0] > 0)) throw InputError(fmt::format("--scales {}: factors must be above 0", printable(work.scales)));
    input.scale = row[0];
  });
  if (work.weights == "uniform") {
    for (MosaicInput& input : request.inputs) input.rms = 1;
  } else if (work.weights != "noise") {
    read_into(work, work.weights, 1, 0, request, [&](MosaicInput& input, const auto& row) {
      if (!(row[0] > 0))
        throw InputError(
            fmt::format("--weights {}: {} has no rms above 0", printable(work.weights), printable(input.name)));
      input.rms = row[0];
    });
  }
}

MosaicRequest request_of(const MosaicWork& work, const Progress& progress) {
  if (work.common_beam && work.to_beam) throw InputError("give --common or --to-beam, not both");
  if (work.inputs.empty()) throw InputError("a mosaic needs at least one image");
  MosaicRequest request;
  request.primary = PrimaryBeam::parse(work.primary);
  request.corrected = work.corrected;
  request.cutoff = work.cutoff, request.final_cutoff = work.final_cutoff;
  request.how = work.how, request.beam_is = work.beam_is;
  request.beam = work.base.beam, request.open = work.base.open, request.threads = work.threads;
  request.history = {work.base.program};
  for (const std::string& line : work.base.call) request.history.push_back("option: " + line);
  request.inputs = work.inputs;
  read_tables(work, request);
  std::vector<ImageHeader> headers;
  for (const MosaicInput& input : work.inputs)
    headers.push_back(ImagePlane::open(input.path, work.base.open, progress).header());
  std::vector<const ImageHeader*> images;
  for (const ImageHeader& header : headers) images.push_back(&header);
  request.grid = grid_of(work.grid, images, work.base.open, progress, true);
  return request;
}

std::vector<std::string> paths_of(const MosaicWork& work) {
  std::vector<std::string> paths;
  for (const MosaicInput& input : work.inputs) paths.push_back(input.path);
  return paths;
}

MosaicDone done_of(const Mosaic& mosaic) { return {mosaic.history(), mosaic.warnings(), mosaic.beam()}; }

MosaicDone write_mosaic(const MosaicWork& work, const MosaicRequest& request, const OnBackend& on_backend,
                        const OnSubject& on_subject, const Progress& progress, const LogSink& log) {
  Mosaic mosaic(request, progress);
  for (const std::string& warning : mosaic.warnings()) log.warning(warning);
  on_subject(work.output);
  on_backend([&](const std::shared_ptr<Backend>& backend) { mosaic.make(backend, work.output, progress); });
  CommitGroup group(work.base.output.durable);
  const FileOptions how(work.overwrite, &group);
  mosaic.write_image(work.output, how, progress);
  if (!work.weight.empty()) mosaic.write_weight(work.weight, how, progress);
  if (!work.rms.empty()) mosaic.write_rms(work.rms, how, progress);
  if (!work.psf_map.empty()) mosaic.write_psf(work.psf_map, how, progress);
  if (!work.coverage.empty()) mosaic.write_coverage(work.coverage, how, progress);
  group.commit(progress);
  return done_of(mosaic);
}

/// Fields in memory, as Python has them, lie in files of their own.
ScratchNames names_of(const MosaicWork& work) {
  ScratchNames names;
  for (const MosaicInput& input : work.inputs)
    if (input.path != input.name) names.add(input.path, input.name);
  return names;
}

/// The request becomes one of smoothed fields.
void smooth_fields(const MosaicWork& work, CommonFields& fields, const OnBackend& on_backend,
                   const OnSubject& on_subject, const Progress& progress, const LogSink& log, MosaicRequest& request,
                   ScratchNames& names) {
  const auto before = [&](std::size_t i) {
    on_subject(fmt::format("[{}/{}] {}", i + 1, work.inputs.size(), work.inputs[i].name));
  };
  const std::string folder = std::filesystem::path(work.output).parent_path().string();
  const auto paths = fields.make(folder, on_backend, before, progress, log);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    names.add(paths[i], work.inputs[i].name + ", smoothed");
    request.inputs[i].path = paths[i];
    request.history.push_back(fmt::format("mosaic: {} smoothed to the common beam first", work.inputs[i].name));
  }
  request.beam.reset();
  request.open = {};
}

}  // namespace

std::vector<MosaicInput> mosaic_inputs(const std::vector<std::string>& files) {
  std::vector<MosaicInput> inputs(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) inputs[i].path = inputs[i].name = files[i];
  return inputs;
}

std::vector<std::string> mosaic_outputs(const MosaicWork& work) {
  std::vector<std::string> outputs{work.output};
  for (const std::string* more : {&work.weight, &work.rms, &work.psf_map, &work.coverage})
    if (!more->empty()) outputs.push_back(*more);
  return outputs;
}

MosaicDone plan_mosaic(const MosaicWork& work, const Progress& progress) {
  return names_of(work).told("", [&]() -> MosaicDone {
    const MosaicRequest request = request_of(work, progress);
    if (!work.common_beam && !work.to_beam) return done_of(Mosaic(request, progress));
    (void)CommonFields(paths_of(work), work.to_beam, work.base, progress);
    return {};
  });
}

MosaicDone make_mosaic(const MosaicWork& work, const OnBackend& on_backend, const OnSubject& on_subject,
                       const Progress& progress, const LogSink& log) {
  ScratchNames names = names_of(work);
  const LogSink named = names.over(log);
  return names.told("", [&] {
    MosaicRequest request = request_of(work, progress);
    std::optional<CommonFields> fields;  // as long as the mosaic is made
    if (work.common_beam || work.to_beam) {
      fields.emplace(paths_of(work), work.to_beam, work.base, progress);
      smooth_fields(work, *fields, on_backend, on_subject, progress, named, request, names);
    }
    return write_mosaic(work, request, on_backend, on_subject, progress, named);
  });
}

}  // namespace reber
