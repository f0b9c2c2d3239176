// SPDX-License-Identifier: BSD-3-Clause
// One plane at a time; its tables are made before its pixels go.
#include "python/module/plane_rows.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <array>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/cube/joined_catalogue.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/cube/plane_runs.hpp"
#include "core/run/pipeline/products.hpp"
#include "python/module/arrays.hpp"
#include "python/module/kept_backends.hpp"
#include "python/module/request_of.hpp"
#include "python/module/waiting.hpp"
#include "python/module/words.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

constexpr std::array kSets = {"pybdsf", "gaul", "srl", "casda", "casda-islands"};

using Joined = std::map<std::string, JoinedCatalogue>;

void add_tables(const CubePlane& plane, const Result& result, const Request& request, Joined& joined) {
  const Catalogue own = make_catalogue(result.sources(), *plane.header, result.history);
  const SourceList list = source_list_of(result, request.group);
  const ListedSources listed{list, *plane.header};
  for (const char* name : kSets) {
    const auto set = from_string<ColumnSet>(name, "columns");
    Catalogue table = set == ColumnSet::pybdsf ? own : in_columns(own, result.sources(), set, result.beams(), &listed);
    joined[name].add(*plane.header, result.beam(), std::move(table));
  }
}

}  // namespace

const Catalogue& PlaneRows::kept(const std::string& set) const {
  const auto found = tables.find(set);
  if (found != tables.end()) return found->second;
  std::string known;
  for (const char* name : kSets) known += std::string(known.empty() ? "" : ", ") + name;
  throw InputError(fmt::format("of many planes the tables {} are kept, not '{}'", known, set));
}

nb::dict PlaneRows::table(const std::string& set) const { return table_of(kept(set)); }

void PlaneRows::write(const std::string& path, const std::string& set, const std::string& format,
                      bool overwrite) const {
  const CatalogueFormat& asked = catalogue_format(path, format);
  if (asked.columns != nullptr)
    throw InputError(fmt::format("{}: this format holds one image; find(plane=) searches one", path));
  const Catalogue& table = kept(asked.table ? set : "pybdsf");
  const nb::gil_scoped_release without_lock;
  write_catalogue(table, path, overwrite, format);
}

std::unique_ptr<PlaneRows> find_planes(const std::string& path, const std::string& planes, const nb::list& stages,
                                       const nb::dict& settings, const nb::dict& with,
                                       const std::optional<BeamTuple>& beam, const nb::object& progress) {
  Request request = request_of(stages, settings);
  request.input = path;
  const RunOptions options = run_options(with, beam);
  if (options.open.plane) throw InputError("plane: give either plane or planes");
  apply(options, request);
  return wait_for(progress, [&](const Progress& told) {
    auto rows = std::make_unique<PlaneRows>();
    const CubeSource cube = CubeSource::open(path, request.open, told, LogSink());
    PlaneWalk walk(cube, parse_planes(planes, cube.planes()), PlaneWalk::kAheadBytes, true);
    const double count = static_cast<double>(walk.planes().size());
    Joined joined;
    PlaneEvents events;
    events.began = [&](std::int64_t plane, std::size_t index) {
      told.report(fmt::format("plane {}", plane), static_cast<double>(index) / count);
    };
    events.done = [&](const CubePlane& plane, const Result& result) {
      add_tables(plane, result, request, joined);
      rows->searched.push_back(plane.plane);
      for (const std::string& one : result.report.warnings)
        rows->warnings.push_back(fmt::format("plane {}: {}", plane.plane, in_pythons_words(one)));
    };
    events.skipped = [&](std::int64_t plane, const std::string& why) { rows->skipped.emplace_back(plane, why); };
    events.failed = events.skipped;
    // How far a plane is says little of the whole.
    const Progress within([&](const std::string&, double) { told.check(); }, nullptr);
    const PlaneLane lane{kept_backend(options.backend, options.with), options.with.threads};
    run_planes(
        {lane}, walk, [&](std::int64_t) { return request; }, events, events_of(within));
    if (joined.empty()) throw DataError(fmt::format("{}: no plane could be searched", path));
    for (auto& [set, table] : joined) rows->tables.emplace(set, table.take());
    return rows;
  });
}

}  // namespace reber::python
