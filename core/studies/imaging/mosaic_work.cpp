// SPDX-License-Identifier: BSD-3-Clause
// Words become a request; fields are smoothed where that is asked for; then the mosaic and what belongs to it.
#include "core/studies/imaging/mosaic_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/sky/model/fits_cards.hpp"
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

/// Numbers, or the name of a map, of each field.
void read_weights(const MosaicWork& work, MosaicRequest& request) {
  std::vector<std::string> names;
  for (const MosaicInput& input : work.inputs) names.push_back(input.name);
  const auto all_numbers = [](const std::vector<std::string>& words) {
    return std::ranges::all_of(words, [](const std::string& word) { return fits::parse_number(word).has_value(); });
  };
  const auto rows = read_field_words(work.weights, names, [&](const std::vector<std::string>& words) -> std::string {
    if (!words.empty() && (words.size() == 1 || all_numbers(words))) return "";
    return "a name and an rms, one rms per channel, or the name of a map of it were expected";
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    MosaicInput& input = request.inputs[i];
    if (!rows[i].empty() && !all_numbers(rows[i])) {
      input.rms_map = rows[i].front();
      continue;
    }
    for (const std::string& word : rows[i]) input.rms.push_back(*fits::parse_number(word));
    if (input.rms.empty() || std::ranges::any_of(input.rms, [](double rms) { return !(rms > 0); }))
      throw InputError(
          fmt::format("--weights {}: {} has no rms above 0", printable(work.weights), printable(input.name)));
  }
}

void read_tables(const MosaicWork& work, MosaicRequest& request) {
  read_into(work, work.shifts, 2, 0, request, [](MosaicInput& input, const auto& row) {
    input.shift = {row[0], row[1]};
  });
  read_into(work, work.scales, 1, 1, request, [&](MosaicInput& input, const auto& row) {
    if (!(row[0] > 0)) throw InputError(fmt::format("--scales {}: factors must be above 0", printable(work.scales)));
    input.scale = row[0];
  });
  constexpr std::string_view kMap = "map:";
  if (work.weights == "uniform") {
    request.uniform = true;
    for (MosaicInput& input : request.inputs) input.rms = {1};
  } else if (work.weights.starts_with(kMap)) {
    for (MosaicInput& input : request.inputs)
      input.rms_map = name_of_pattern(work.weights.substr(kMap.size()), input.name);
  } else if (work.weights != "noise") {
    read_weights(work, request);
  }
}

/// An rms that is given is that of the field as it is, and not of what is added.
void refuse_noise_before_smoothing(const MosaicInput& input, bool uniform) {
  if (!input.rms_map.empty())
    throw InputError(
        fmt::format("{} is a map of the rms of {} as it is, and --common and --to-beam smooth that first: smooth the "
                    "fields (reber smooth), measure their maps, then add them",
                    printable(input.rms_map), printable(input.name)));
  if (!input.rms.empty() && !uniform)
    throw InputError(
        fmt::format("{:g} is the rms of {} as it is, and --common and --to-beam smooth that first: have it measured "
                    "(--weights noise), or smooth the fields (reber smooth), then add them with the rms they have then",
                    input.rms.front(), printable(input.name)));
}

/// Opens all inputs; of several numbers for a field's rms the one of the plane that is taken stays.
void open_inputs(const MosaicWork& work, MosaicRequest& request, const Progress& progress) {
  const bool smoothed = work.common_beam || work.to_beam;
  for (MosaicInput& input : request.inputs) {
    if (smoothed) refuse_noise_before_smoothing(input, request.uniform);
    input.file = CubeSource::open(input.path, request.open, progress);
    if (!request.open.plane || input.rms.size() <= 1) continue;
    const std::int64_t planes = input.file->planes();
    if (static_cast<std::int64_t>(input.rms.size()) != planes || *request.open.plane >= planes)
      throw InputError(fmt::format("--weights {}: {} numbers for {}, which has {} planes", printable(work.weights),
                                   input.rms.size(), printable(input.name), planes));
    input.rms = {input.rms[static_cast<std::size_t>(*request.open.plane)]};
  }
}

MosaicRequest request_of(const MosaicWork& work, const Progress& progress) {
  if (work.common_beam && work.to_beam) throw InputError("give --common or --to-beam, not both");
  if (work.per_plane && !work.common_beam) throw InputError("--per-plane belongs to --common");
  if (work.inputs.empty()) throw InputError("a mosaic needs at least one image");
  if (work.weights == "uniform" && !work.rms.empty())
    throw InputError(
        "--weights uniform knows no rms, and --write-rms-map needs that of each field: leave one of them out");
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
  open_inputs(work, request, progress);
  std::vector<std::shared_ptr<const ImageHeader>> headers;
  std::vector<const ImageHeader*> images;
  for (const MosaicInput& input : request.inputs) {
    headers.push_back(input.file->header(work.base.open.plane.value_or(0)));
    images.push_back(headers.back().get());
  }
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
  on_backend([&](const std::shared_ptr<Backend>& backend) {
    CommitGroup group(work.base.output.durable);
    const MosaicFiles files{work.output, work.weight, work.rms, work.psf_map, work.coverage};
    mosaic.write(files, backend, FileOptions(work.overwrite, &group), progress, log);
    group.commit(progress);
  });
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
    request.inputs[i].file.reset();
    request.history.push_back(fmt::format("mosaic: {} smoothed to the common beam first", work.inputs[i].name));
  }
  request.beam.reset();
  request.open = {};
  request.smoothed = true;
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
    (void)CommonFields(paths_of(work), work.to_beam, work.per_plane, work.base, progress);
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
      fields.emplace(paths_of(work), work.to_beam, work.per_plane, work.base, progress);
      for (const std::string& told : fields->told()) named.warning(told);
      smooth_fields(work, *fields, on_backend, on_subject, progress, named, request, names);
    }
    return write_mosaic(work, request, on_backend, on_subject, progress, named);
  });
}

}  // namespace reber
