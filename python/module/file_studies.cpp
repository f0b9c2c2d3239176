// SPDX-License-Identifier: BSD-3-Clause
// Studies of files for Python: arguments in, tables out; the work is core's.
#include "python/module/file_studies.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/run/cube/collapse.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/request/bounds.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/studies/completeness.hpp"
#include "core/studies/imaging/smoothing.hpp"
#include "core/studies/quality/quality_report.hpp"
#include "core/studies/verification.hpp"
#include "kernels/backends.hpp"
#include "python/module/arrays.hpp"
#include "python/module/request_of.hpp"
#include "python/module/waiting.hpp"
#include "python/module/warnings.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

Beam beam_of(const BeamTuple& beam) { return {std::get<0>(beam), std::get<1>(beam), std::get<2>(beam)}; }

/// A column of numbers or texts: value(row) of every row.
template <class Value, class Row, class Get>
void add_column(Catalogue& table, const char* name, const char* unit, const char* text, const std::vector<Row>& rows,
                Get value) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<Value>(value(row)));
  table.columns.push_back({{name, unit, "", text}, std::move(values)});
}

struct ListedPlane {
  const SmoothInput* input;
  const SmoothPlane* plane;
};

double arcsec(const std::optional<Beam>& beam, double Beam::*part) {
  return beam ? (*beam).*part * 3600 : std::nan("");
}

/// One row per plane; NaN where the plane stays blank.
Catalogue smoothing_table(const std::vector<SmoothInput>& inputs) {
  std::vector<ListedPlane> rows;
  for (const SmoothInput& input : inputs)
    for (const SmoothPlane& plane : input.planes) rows.push_back({&input, &plane});
  Catalogue table;
  const auto real = [&](const char* name, const char* unit, const char* text, auto value) {
    add_column<double>(table, name, unit, text, rows,
                       [&](const ListedPlane& row) { return row.plane->own ? value(*row.plane) : std::nan(""); });
  };
  using P = SmoothPlane;
  add_column<std::string>(table, "input", "", "File", rows, [](const ListedPlane& row) { return row.input->path; });
  add_column<std::int64_t>(table, "plane", "", "From 0", rows, [](const ListedPlane& row) { return row.plane->plane; });
  real("Maj", "arcsec", "FWHM of its beam", [](const P& p) { return arcsec(p.own, &Beam::major_deg); });
  real("Min", "arcsec", "FWHM of its beam", [](const P& p) { return arcsec(p.own, &Beam::minor_deg); });
  real("PA", "deg", "Of its beam", [](const P& p) { return p.own->pa_deg; });
  real("Target_Maj", "arcsec", "FWHM after", [](const P& p) { return arcsec(p.target, &Beam::major_deg); });
  real("Target_Min", "arcsec", "FWHM after", [](const P& p) { return arcsec(p.target, &Beam::minor_deg); });
  real("Target_PA", "deg", "After", [](const P& p) { return p.target ? p.target->pa_deg : std::nan(""); });
  real("Kernel_Maj", "arcsec", "FWHM; 0: copied", [](const P& p) { return p.kernel.major_deg * 3600; });
  real("Kernel_Min", "arcsec", "FWHM; 0: a line", [](const P& p) { return p.kernel.minor_deg * 3600; });
  real("Kernel_PA", "deg", "Of the kernel", [](const P& p) { return p.kernel.pa_deg; });
  real("Flux_factor", "", "Of the pixels", [](const P& p) { return p.flux_factor; });
  real("Noise_factor", "", "Expected rms after over before", [](const P& p) { return p.noise_factor; });
  add_column<std::int64_t>(table, "Limits", "", "1: the common beam could be smaller without it", rows,
                           [](const ListedPlane& row) { return row.plane->limiting ? 1 : 0; });
  return table;
}

/// The experiment's options that Python names, each with how it is read.
void set(CompletenessOptions& options, const std::string& name, nb::handle value) {
  const std::string row = "complete." + name;
  const auto number = [&] { return number_of(value, row); };
  const auto rising = [&](const char* expected) {
    const double low = number_of(nb::object(value[0]), row), high = number_of(nb::object(value[1]), row);
    if (!(high > low)) throw InputError(fmt::format("{}: {} were expected", name, expected));
    return std::pair(low, high);
  };
  if (name == "number") return void(options.per_bin = static_cast<std::int64_t>(number()));
  if (name == "bins") return void(options.bins = static_cast<std::int64_t>(number()));
  if (name == "seed") return void(options.seed = seed_of(value));
  if (name == "snr") return void(std::tie(options.low, options.high) = rising("two rising S/N above 0"));
  if (name == "flux") {
    const auto [low, high] = rising("two rising fluxes above 0, in uJy/beam,");
    options.low_flux = low * 1e-6;
    options.high_flux = high * 1e-6;
    return;
  }
  if (name == "size") return void(options.size_deg = number() / 3600);
  if (name == "separation") return void(options.separation = number());
  if (name == "into") {
    const std::string word = text_of(value);
    if (word != "image" && word != "residual")
      throw InputError(fmt::format("into: 'image' or 'residual' was expected, not '{}'", word));
    return void(options.residual = word == "residual");
  }
  throw nb::type_error(fmt::format("unknown keyword '{}' of complete()", name).c_str());
}

}  // namespace

nb::tuple smooth(const std::vector<std::string>& files, const std::vector<std::string>& outputs,
                 const nb::dict& settings, const nb::dict& with, const std::optional<BeamTuple>& to_beam,
                 bool per_plane, const std::optional<double>& max_beam, const std::optional<BeamTuple>& beam,
                 bool dry_run, bool overwrite, const nb::object& progress) {
  nb::list stages;
  stages.append("convolve");
  Request base = request_of(stages, settings);
  const RunOptions options = run_options(with, beam);
  apply(options, base);
  base.output.overwrite = overwrite;
  if (max_beam) hold(bound("smooth.max_beam"), *max_beam * 3600);
  if (to_beam)
    if (const std::string why = why_no_beam(beam_of(*to_beam)); !why.empty()) throw InputError("to_beam: " + why);
  refuse_broken_rules(base);
  Warnings warnings;
  const std::vector<SmoothInput> inputs = wait_for(progress, [&](const Progress& told) {
    std::vector<SmoothInput> all;
    for (const std::string& path : files) {
      all.push_back(read_smooth_input(path, options.open, options.beam, told));
      // Inflated files of a whole batch would not fit.
      if (files.size() > 1) all.back().file.reset();
    }
    if (to_beam)
      aim_at(all, beam_of(*to_beam));
    else
      for (const std::string& text : aim_at_common_beam(all, per_plane, max_beam)) warnings.add(text);
    for (SmoothInput& input : all) plan_smoothing(input);
    if (dry_run) return all;
    const std::shared_ptr<Backend> backend = make_backend(options.backend, options.with, LogSink());
    for (std::size_t i = 0; i < all.size(); ++i)
      (void)reber::smooth(all[i], base, outputs[i], backend, told, warnings.sink());
    return all;
  });
  return nb::make_tuple(table_of(smoothing_table(inputs)), warnings.lines());
}

nb::tuple complete(const std::string& path, const nb::dict& settings, const nb::dict& with,
                   const std::optional<BeamTuple>& beam, const nb::dict& experiment, const std::string& plot,
                   bool overwrite, const nb::object& progress) {
  nb::list stages;
  stages.append("detect");
  Request request = request_of(stages, settings);
  const RunOptions options = run_options(with, beam);
  apply(options, request);
  request.input = path;
  CompletenessOptions asked;
  for (const auto& [name, value] : experiment) set(asked, nb::cast<std::string>(name), value);
  const CompletenessResult result = wait_for(progress, [&](const Progress& told) {
    const std::shared_ptr<Backend> backend = make_backend(options.backend, options.with, LogSink());
    const CompletenessResult measured = measure_completeness(request, asked, backend, told, LogSink());
    if (!plot.empty())
      write_completeness_plot(plot, measured, fmt::format("{}: {} sources injected", path, measured.injected),
                              overwrite);
    return measured;
  });
  return nb::make_tuple(table_of(completeness_table(result, {})), to_json(result));
}

nb::tuple report(const std::string& path, const nb::dict& settings, const nb::dict& with,
                 const std::optional<BeamTuple>& beam, const nb::list& against, const std::string& levels, bool quick,
                 const std::string& output, bool overwrite, const nb::object& progress) {
  nb::list stages;
  for (const char* stage : {"background", "detect"}) stages.append(stage);
  Request request = request_of(stages, settings);
  const RunOptions options = run_options(with, beam);
  apply(options, request);
  request.input = path;
  QualityOptions how;
  how.levels = read_levels(levels);
  how.threads = options.with.threads;
  for (const nb::handle& one : against) {
    AgainstInput list = against_input(nb::cast<std::string>(one[0]));
    if (const nb::object table = nb::object(one[1]); !table.is_none()) list.table = catalogue_of(table);
    how.against.push_back(std::move(list));
  }
  const QualityReport made = wait_for(progress, [&](const Progress& told) {
    std::optional<ReportFiles> files;
    if (!output.empty()) files.emplace(output);
    const std::shared_ptr<Backend> backend = make_backend(options.backend, options.with, LogSink());
    QualityReport report;
    if (quick) {
      const Request searched = report_run(request);
      const Result result = run_once(backend, searched, events_of(told));
      report = quick_report(searched, result, "quick=True leaves it out", how, told);
    } else {
      report = full_report(request, backend, files ? files->completeness : "", how, told, LogSink());
    }
    if (files) {
      CommitGroup group;
      write_report(report, *files, {overwrite, &group});
      group.commit(told);
    }
    return report;
  });
  return nb::make_tuple(made.json, made.page, made.casda);
}

nb::tuple verify(const std::string& path, const nb::list& stages, const nb::dict& settings, const nb::dict& with,
                 const std::optional<BeamTuple>& beam, const nb::object& progress) {
  Request request = request_of(stages, settings);
  const RunOptions options = run_options(with, beam);
  apply(options, request);
  request.input = path;
  const VerificationReport report = wait_for(progress, [&](const Progress& told) {
    const auto tested = make_backend(options.backend, options.with, LogSink());
    if (tested->info().name == "reference")
      throw InputError("backend 'reference': the reference cannot be verified against itself; name another backend");
    const auto oracle = make_backend("reference", {}, LogSink());
    return reber::verify(request, *tested, *oracle, told);
  });
  Catalogue table;
  const auto& rows = report.checks;
  using C = StageCheck;
  add_column<std::string>(table, "stage", "", "What was compared", rows, [](const C& c) { return c.stage; });
  add_column<std::string>(table, "metric", "", "What worst measures", rows, [](const C& c) { return c.metric; });
  add_column<double>(table, "worst", "", "Largest difference", rows, [](const C& c) { return c.worst; });
  add_column<double>(table, "bound", "", "What it must not pass", rows, [](const C& c) { return c.bound; });
  add_column<std::string>(table, "where", "", "Place of the worst", rows, [](const C& c) { return c.where; });
  add_column<std::int64_t>(table, "passed", "", "1: within the bound", rows, [](const C& c) { return c.passed; });
  return nb::make_tuple(report.backend, report.device, table_of(table));
}

nb::tuple collapse(const std::string& path, const std::string& how, const std::string& planes, double snr,
                   const nb::dict& with, const std::optional<BeamTuple>& beam, const std::string& output,
                   bool overwrite, const nb::object& progress) {
  const RunOptions options = run_options(with, beam);
  if (options.open.plane) throw InputError("plane: it is one plane; planes= says which are collapsed");
  hold(bound("collapse.snr"), snr);
  if (options.beam)
    if (const std::string why = why_no_beam(*options.beam); !why.empty()) throw InputError("beam: " + why);
  CollapseRequest request;
  request.how = from_string<CollapseRequest::How>(how, "how");
  request.snr = snr;
  request.threads = options.with.threads;
  Warnings warnings;
  struct Made {
    Collapsed image;
    Shape shape;
    std::string cards;
  };
  Made made = wait_for(progress, [&](const Progress& told) {
    const CubeSource cube = CubeSource::open(path, options.open, told, warnings.sink());
    request.planes = parse_planes(planes, cube.planes());
    const auto backend = make_backend(options.backend, options.with, LogSink());
    Made one{reber::collapse(cube, request, *backend, told, warnings.sink()), cube.shape(), ""};
    const OutputHeader header = collapsed_header(one.image, options.beam, options.program + ", input " + path, {});
    one.cards = fits::output_cards(one.shape, -32, header);
    if (!output.empty()) write_collapsed(output, one.image, one.shape, header, overwrite, told);
    return one;
  });
  return nb::make_tuple(array_of(std::move(made.image.pixels), made.shape), made.cards, made.image.used,
                        made.image.history, warnings.lines());
}

}  // namespace reber::python
