// SPDX-License-Identifier: BSD-3-Clause
// find and background on many planes of a cube.
#include "app/commands/plane_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/plane_backends.hpp"
#include "app/options/backend_choice.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/cube/joined_catalogue.hpp"
#include "core/run/cube/map_cubes.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/cube/plane_runs.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/run/request/expected_stages.hpp"
#include "core/run/request/parameters.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

/// Median of the node values that are known; NaN without one.
double median_rms(const Result& result) {
  std::vector<float> known;
  if (result.background() != nullptr)
    for (const float value : result.background()->rms)
      if (std::isfinite(value)) known.push_back(value);
  if (known.empty()) return std::nan("");
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// One cube on its way through the pipeline.
class Search {
 public:
  Search(const Request& request, const CommonOptions& common, Terminal& terminal)
      : request_(request), common_(common), terminal_(terminal) {}

  int execute(const std::string& list) {
    refuse_single_maps();
    if (!request_.dry_run) check_outputs(request_.output.files(), request_.output.overwrite);
    const Progress progress = terminal_.progress();
    const CubeSource cube = CubeSource::open(request_.input, request_.open, progress, terminal_.log());
    planes_ = parse_planes(list, cube.planes());
    backend_.emplace(common_, terminal_);
    if (request_.dry_run) return plan();
    terminal_.print(fmt::format("{}\n  {:>6} {:>12} {:>28} {:>10} {:>7} {:>7}", printable(request_.input), "plane",
                                "MHz", "beam, arcsec and deg", "median rms", request_.detect ? "sources" : "", "s"));
    walk(cube);
    write(progress);
    finish();
    return exit_code_;
  }

 private:
  void refuse_single_maps() const {
    const OutputRequest& output = request_.output;
    for (const ProductFile& one : output.products) {
      const Product& product = product_of(one.word);
      if (product.kind == Product::Kind::nodes)
        throw InputError("--mesh-maps writes the nodes of one plane; leave it out, or choose one with --plane");
      if (product.kind != Product::Kind::map)
        throw InputError(fmt::format("{} is made of one plane: give --plane N in place of --planes", product.option));
    }
    for (const std::string& path : output.catalogues)
      if (catalogue_format(path, output.format).columns != nullptr)
        throw InputError(fmt::format("{}: this format holds one image: give --plane N in place of --planes", path));
  }

  [[nodiscard]] bool is_table(const std::string& path) const {
    return catalogue_format(path, request_.output.format).table;
  }

  /// What the first plane would take.
  int plan() {
    Request first = request_;
    first.open.plane = planes_.front();
    const Result result = on_backend(*backend_, [&](const std::shared_ptr<Backend>& backend) {
      return run_once(backend, first, events_of(terminal_.progress(), terminal_.log()));
    });
    terminal_.clear_progress();
    terminal_.print(to_text(result.report));
    terminal_.print(fmt::format("  planes      {}, each like this one, plane {}", planes_.size(), planes_.front()));
    write_json(common_, to_json(result.report), terminal_);
    return kDone;
  }

  void walk(const CubeSource& cube) {
    PlaneWalk planes(cube, planes_, PlaneWalk::kAheadBytes, true);
    const std::vector<PlaneLane> lanes = plane_backends(*backend_, common_, planes, terminal_);
    const Progress progress = progress_of_planes(lanes.size(), ended_, planes_.size(), terminal_);
    terminal_.expect(expected_stages(request_));
    PlaneEvents told;
    told.began = [&](std::int64_t plane, std::size_t index) {
      terminal_.set_subject(
          fmt::format("[{}/{}] {} plane {}", index + 1, planes_.size(), printable(request_.input), plane), index,
          planes_.size());
    };
    told.made = [&](const CubePlane& plane, const Result& result) {
      return [&, tables = make_tables(*plane.header, result, progress)]() mutable {
        take(plane, result, progress, std::move(tables));
        ++ended_;
      };
    };
    told.skipped = [&](std::int64_t plane, const std::string& why) {
      terminal_.clear_progress();
      terminal_.message(fmt::format("plane {} is skipped: {}", plane, printable(why)));
      documents_.push_back({{"plane", plane}, {"skipped", why}});
      ++skipped_;
      ++ended_;
    };
    told.failed = [&](std::int64_t plane, const std::string& message) {
      terminal_.clear_progress();
      terminal_.error(fmt::format("plane {}: {}", plane, message));
      documents_.push_back({{"plane", plane}, {"error", message}, {"exit_code", kDataError}});
      ++failed_;
      ++ended_;
      exit_code_ = worse(exit_code_, kDataError);
    };
    told.card_failed = [&](const CardError& failure) { return backend_->in_place(failure); };
    Request each = request_;
    each.output = {};
    run_planes(
        lanes, planes, [&](std::int64_t) { return each; }, told, events_of(progress, terminal_.log()));
    terminal_.clear_progress();
  }

  /// Catalogues of one plane: with Reber's own columns, and with those asked for where they are others.
  struct Tables {
    std::optional<Catalogue> own, named;
  };

  [[nodiscard]] Tables make_tables(const ImageHeader& header, const Result& result, const Progress& progress) const {
    Tables made;
    const OutputRequest& output = request_.output;
    if (output.catalogues.empty()) return made;
    Catalogue table = make_catalogue(result.sources(), header, result.history);
    bool drawn = true;
    if (output.columns != ColumnSet::pybdsf) {
      const SourceList list = source_list_of(result, request_.group, progress);
      const ListedSources listed{list, header};
      made.named = in_columns(table, result.sources(), output.columns, result.beams(), &listed);
      drawn = std::ranges::any_of(output.catalogues, [&](const std::string& path) { return !is_table(path); });
    }
    if (drawn) made.own = std::move(table);
    return made;
  }

  void take(const CubePlane& plane, const Result& result, const Progress& progress, Tables tables) {
    const ImageHeader& header = *plane.header;
    const std::optional<Beam> beam = result.beam();
    maps(header, result, progress);  // a card that fails here leaves the tables as they were
    if (tables.named) named_.add(header, beam, std::move(*tables.named));
    if (tables.own) joined_.add(header, beam, std::move(*tables.own));
    const double rms = median_rms(result), frequency = header.wcs.frequency_hz();
    const std::size_t found = result.sources().size();
    sources_ += found;
    ++done_;
    terminal_.clear_progress();
    const auto cell = [](double value, int width, const char* format) {
      return std::isfinite(value) ? fmt::format(fmt::runtime(format), value, width) : fmt::format("{:>{}}", "-", width);
    };
    const auto& detected = result.outcomes.positive.detected;
    const bool lowered = detected && request_.detect && detected->value.options.seed < request_.detect->seed;
    terminal_.print(fmt::format(
        "  {:>6} {} {:>28} {} {:>7} {:>7.2f}{}", plane.plane, cell(frequency * 1e-6, 12, "{:>{}.4f}"),
        beam ? fmt::format("{:.3f} x {:.3f}, {:.1f}", beam->major_deg * 3600, beam->minor_deg * 3600, beam->pa_deg)
             : "none",
        cell(rms, 10, "{:>{}.4g}"), request_.detect ? fmt::format("{}", found) : "", result.report.wall_ms * 1e-3,
        lowered ? fmt::format("  threshold {:.4g} sigma", detected->value.options.seed) : ""));
    Json one{{"plane", plane.plane}, {"frequency_hz", number(frequency)}, {"median_rms", number(rms)}};
    if (beam) one["beam"] = {{"major_deg", beam->major_deg}, {"minor_deg", beam->minor_deg}, {"pa_deg", beam->pa_deg}};
    if (request_.detect) one["sources"] = found;
    if (lowered) one["threshold"] = detected->value.options.seed;
    one["wall_ms"] = result.report.wall_ms;
    documents_.push_back(std::move(one));
  }

  void maps(const ImageHeader& header, const Result& result, const Progress& progress) {
    const OutputRequest& output = request_.output;
    if (!maps_) {
      if (output.products.empty()) return;
      std::vector<std::string> history{request_.program + ", input " + request_.input,
                                       fmt::format("backend {} ({})", result.report.backend, result.report.device)};
      for (const std::string& option : options_in_force(request_)) history.push_back("option: " + option);
      maps_.emplace(std::make_shared<const ImageHeader>(header), output.products, history, output.overwrite);
    }
    maps_->write(header.plane, result, progress);
  }

  void write(const Progress& progress) {
    if (done_ == 0) return;
    const bool other = request_.output.columns != ColumnSet::pybdsf;
    const Catalogue own = joined_.take(), named = named_.take();
    for (const std::string& path : request_.output.catalogues) {
      write_catalogue(other && is_table(path) ? named : own, path, request_.output.overwrite, request_.output.format);
      written_.push_back(path);
    }
    if (!maps_) return;
    const std::vector<std::string> cubes = maps_->finish(progress);
    written_.insert(written_.end(), cubes.begin(), cubes.end());
  }

  void finish() {
    if (done_ == 0) {
      terminal_.error(fmt::format("{}: no plane could be searched", printable(request_.input)));
      exit_code_ = worse(exit_code_, kDataError);
    }
    std::string text = fmt::format("  {} of {} planes", done_, planes_.size());
    if (request_.detect) text += fmt::format(", {} sources", sources_);
    if (skipped_ > 0) text += fmt::format(", {} skipped", skipped_);
    if (failed_ > 0) text += fmt::format(", {} damaged", failed_);
    for (const std::string& path : written_) text += "\n  wrote " + printable(path);
    terminal_.print(text);
    const Json json{{"input", request_.input}, {"planes", documents_}, {"done", done_},      {"skipped", skipped_},
                    {"failed", failed_},       {"sources", sources_},  {"outputs", written_}};
    write_json(common_, json.dump(2, ' ', false, Json::error_handler_t::replace), terminal_);
  }

  const Request& request_;
  const CommonOptions& common_;
  Terminal& terminal_;
  std::vector<std::int64_t> planes_;
  std::optional<BackendChoice> backend_;
  JoinedCatalogue joined_, named_;
  std::optional<MapCubes> maps_;
  std::vector<std::string> written_;
  Json documents_ = Json::array();
  std::atomic<std::size_t> ended_{0};
  std::size_t done_ = 0, skipped_ = 0, failed_ = 0, sources_ = 0;
  int exit_code_ = kDone;
};

}  // namespace

void add_planes_option(Command& command, std::string& planes) {
  command
      .add_option("--planes", planes,
                  "Planes of a cube, from 0, each with its own beam and frequency: all, or ranges with both ends "
                  "included like 0:7 or 3,8,20:")
      ->type_name("LIST")
      ->brief("Of a cube: all, or like 0:7 or 3,8,20:")
      ->group("Input");
}

int search_planes(const Request& request, const std::string& planes, const CommonOptions& common, Terminal& terminal) {
  if (request.open.plane) throw InputError("give either --plane or --planes");
  return Search(request, common, terminal).execute(planes);
}

}  // namespace reber::app
