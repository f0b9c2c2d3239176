// SPDX-License-Identifier: BSD-3-Clause
// Matching and simulation for Python.
#include "python/module/studies.hpp"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <vector>

#include "core/base/error.hpp"
#include "core/run/request/bounds.hpp"
#include "core/studies/match_report.hpp"
#include "core/studies/simulation.hpp"
#include "kernels/backends.hpp"
#include "python/module/arrays.hpp"
#include "python/module/request_of.hpp"
#include "python/module/waiting.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

MatchInput input_of(const nb::object& table, const std::string& columns, const char* name) {
  MatchInput input{name, catalogue_of(table), {}};
  input.list = sky_list(input.table, parse_columns(columns, fmt::format("columns_{}", name)));
  if (input.list.lon.empty())
    throw InputError(
        fmt::format("{}: no columns of sky positions; name them: columns_{}='lon=COLUMN,lat=COLUMN'", name, name));
  return input;
}

/// The options that Python names, each with how it is read.
void set(SimulationOptions& sky, const std::string& name, nb::handle value) {
  const auto number = [&] { return number_of(value, "simulate." + name); };
  const auto whole = [&] { return static_cast<std::int64_t>(number()); };
  if (name == "scene") return void(sky.scene = from_string<SimulationOptions::Scene>(text_of(value), name));
  if (name == "seed") return void(sky.seed = seed_of(value));
  if (name == "pixel") return void(sky.pixel_arcsec = number());
  if (name == "frequency") return void(sky.frequency_hz = number() * 1e6);
  if (name == "ra") return void(sky.ra_deg = number());
  if (name == "dec") return void(sky.dec_deg = number());
  if (name == "rms") return void(sky.rms = number() * 1e-6);
  if (name == "rms_rise") return void(sky.rms_rise = number());
  if (name == "background") return void(sky.background = number() * 1e-6);
  if (name == "sources") return void(sky.point_sources = whole());
  if (name == "brightest") return void(sky.brightest = number());
  if (name == "extended") return void(sky.extended_sources = whole());
  if (name == "rings") return void(sky.rings = whole());
  if (name == "blank_corners") return void(sky.blank_corners = truth_of(value, name));
  if (name == "grid_step") return void(sky.grid_step = whole());
  if (name == "shape") {
    const auto side = [&](int axis) {
      return static_cast<std::int64_t>(number_of(nb::object(value[axis]), "simulate.size"));
    };
    return void(sky.shape = {side(0), side(1)});
  }
  if (name == "beam") {
    const auto [major, minor, pa] = nb::cast<std::tuple<double, double, double>>(value);
    sky.beam = {major, minor, pa};
    if (const std::string why = why_no_beam(sky.beam); !why.empty()) throw InputError("beam: " + why);
    return;
  }
  throw nb::type_error(fmt::format("unknown keyword '{}' of simulate()", name).c_str());
}

}  // namespace

nb::tuple match(const nb::object& a, const nb::object& b, double radius_arcsec, const std::string& columns_a,
                const std::string& columns_b) {
  hold(bound("match.radius"), radius_arcsec);
  const MatchInput first = input_of(a, columns_a, "a"), second = input_of(b, columns_b, "b");
  struct Found {
    Catalogue pairs, only_a, only_b;
    std::string summary;
  };
  const Found found = wait_for(nb::none(), [&](const Progress&) {
    const MatchRadius radius =
        radius_arcsec > 0 ? MatchRadius{radius_arcsec / 3600, "as asked for"} : default_radius(first.list, second.list);
    const MatchSummary summary = match_lists(first.list, second.list, radius.deg);
    return Found{matched_catalogue(first, second, summary), unmatched_catalogue(first, summary, true),
                 unmatched_catalogue(second, summary, false), to_json(first, second, radius, summary)};
  });
  return nb::make_tuple(table_of(found.pairs), table_of(found.only_a), table_of(found.only_b), found.summary);
}

nb::tuple simulate(const nb::dict& settings, const std::string& backend, int threads, const nb::object& progress) {
  SimulationOptions options;
  hold(bound("call.threads"), threads);
  for (const auto& [name, value] : settings) set(options, nb::cast<std::string>(name), value);
  const SimulatedSky sky = wait_for(progress, [&](const Progress& told) {
    BackendOptions with;
    with.threads = threads;
    return reber::simulate(options, *make_backend(backend, with, LogSink()), told);
  });
  const Shape shape = sky.image.shape();
  std::string cards;
  for (const std::string& card : sky.cards) cards += fmt::format("{:<80}", card);
  return nb::make_tuple(array_of(std::vector<float>(sky.image.data(), sky.image.data() + shape.count()), shape), cards,
                        table_of(sky.truth));
}

}  // namespace reber::python
