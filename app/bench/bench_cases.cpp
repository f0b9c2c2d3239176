// SPDX-License-Identifier: BSD-3-Clause
// Stages as timed operations.
#include "app/bench/bench_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"

namespace reber::app {
namespace {

constexpr std::int64_t kCellPx = 64;
constexpr std::int64_t kFloat = sizeof(float);

bool always(BenchSession&, std::string&) { return true; }
double no_prediction(const BenchSession&) { return 0; }

/// A case without a prediction that can always run.
BenchCase stage(const char* group, std::string name, std::function<void(BenchSession&)> run) {
  BenchCase one;
  one.name = std::move(name);
  one.group = group;
  one.prepare = always;
  one.run = std::move(run);
  one.predicted_ms = no_prediction;
  return one;
}

std::function<Work(const BenchSession&)> fixed(Work work) {
  return [work](const BenchSession&) { return work; };
}

Shape shape_of(const BenchSession& s) { return s.plane->shape(); }

void fetch_plane(BenchSession& s, std::int64_t y0, std::int64_t ny, float* out) {
  s.backend->render_rows(MapKind::image, *s.derived, nullptr, y0, ny, out);
}

BenchCase load_case(const Image& image) {
  const Shape shape = image.shape();
  BenchCase one = stage("statistics", "load", [&image, shape](BenchSession& s) {
    TilingPlan tiling;
    tiling.band_rows = shape.ny;
    s.plane.reset();
    s.plane = s.backend->load(*memory_source(image.data(), shape), tiling, s.job);
  });
  const std::int64_t bytes = shape.count() * kFloat;
  one.work = fixed({bytes, bytes, bytes, 0, 0});
  one.rows = [](BenchSession& s, std::int64_t y0, std::int64_t ny, float* out) {
    s.backend->render_rows(MapKind::image, *s.plane, nullptr, y0, ny, out);
  };
  one.loads = true;
  return one;
}

BenchCase statistics_case(const char* name, StatisticsParts parts, std::int64_t bytes) {
  const auto result = std::make_shared<std::map<std::string, PlaneStatistics>>();
  BenchCase one = stage("statistics", name, [result, parts](BenchSession& s) {
    (*result)[s.name] = s.backend->statistics(*s.plane, parts, s.job);
  });
  one.work = fixed({bytes, 0, 0, 0, 0});
  one.values = [result](const BenchSession& s) -> Values {
    const PlaneStatistics& p = result->at(s.name);
    return {{"finite", static_cast<double>(p.finite)},
            {"min", p.min},
            {"max", p.max},
            {"mean", p.mean},
            {"std", p.std},
            {"median", p.median}};
  };
  return one;
}

BenchCase clip_case(std::int64_t bytes) {
  BenchCase one = stage("statistics", "clip to convergence",
                        [](BenchSession& s) { s.clipped = s.backend->clip(*s.plane, {}, s.job); });
  one.work = fixed({bytes, 0, 0, 0, 0});
  one.values = [](const BenchSession& s) -> Values {
    const ClipStatistics& c = s.clipped;
    return {{"median", c.median},
            {"mean", c.mean},
            {"std", c.std},
            {"kept", static_cast<double>(c.kept)},
            {"rounds", static_cast<double>(c.rounds)}};
  };
  one.needed = true;
  return one;
}

void measure_background(BenchSession& s) {
  const MeshGrid grid = MeshGrid::make(shape_of(s), kCellPx);
  s.background = finish_mesh(grid, s.backend->mesh(*s.plane, grid, {}, s.job), {});
}

/// Half-arcsecond pixels about a point.
Wcs grid_of(Shape shape, double turn_deg) {
  const double angle = turn_deg * std::numbers::pi / 180;
  std::string cards;
  for (std::string card :
       {std::string("CTYPE1  = 'RA---SIN'"), std::string("CTYPE2  = 'DEC--SIN'"), std::string("CRVAL1  = 150"),
        std::string("CRVAL2  = -30"), fmt::format("CRPIX1  = {}", shape.nx / 2),
        fmt::format("CRPIX2  = {}", shape.ny / 2), std::string("CDELT1  = -0.000138"),
        std::string("CDELT2  = 0.000138"), fmt::format("PC1_1   = {}", std::cos(angle)),
        fmt::format("PC1_2   = {}", std::sin(angle)), fmt::format("PC2_1   = {}", -std::sin(angle)),
        fmt::format("PC2_2   = {}", std::cos(angle)), std::string("END")}) {
    card.resize(80, ' ');
    cards += card;
  }
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
}

/// Onto a grid turned by 7 degrees, whose places are known.
BenchCase resample_case(Shape shape) {
  const auto places = std::make_shared<std::unique_ptr<const PlaceGrid>>();
  const auto table = std::make_shared<const ResampleTable>(resample_table(Interpolation::fitted, {}));
  BenchCase one = stage("statistics", "resample, turned by 7 deg", [places, table](BenchSession& s) {
    s.derived.reset();
    s.derived = s.backend->resample(*s.plane, **places, *table, s.job);
  });
  one.prepare = [places, shape](BenchSession&, std::string&) {
    if (!*places)
      *places = std::make_unique<const PlaceGrid>(PlaceMap(grid_of(shape, 7), grid_of(shape, 0)),
                                                  Rect{0, 0, shape.ny, shape.nx});
    return true;
  };
  const std::int64_t bytes = shape.count() * kFloat;
  one.work = fixed({bytes, bytes, 0, 0, 150.0 * static_cast<double>(shape.count())});
  one.rows = fetch_plane;
  return one;
}

std::vector<BenchCase> background_cases(std::int64_t bytes) {
  BenchCase mesh = stage("statistics", "mesh 64 px", measure_background);
  mesh.work = fixed({bytes, 0, 0, 0, 0});
  mesh.numbers = [](const BenchSession& s) {
    std::vector<double> numbers(s.background.mean.begin(), s.background.mean.end());
    numbers.insert(numbers.end(), s.background.rms.begin(), s.background.rms.end());
    return numbers;
  };
  // Two passes by nature: the noise of a cell is known once all of it was read.
  BenchCase map = stage("statistics", "mesh + S/N map", [](BenchSession& s) {
    measure_background(s);
    s.derived.reset();
    s.derived = s.backend->derive(SnrPlane{*s.plane, s.background}, s.job);
  });
  map.work = fixed({2 * bytes, bytes, 0, 0, 0});
  map.rows = fetch_plane;
  return {mesh, map};
}

BackgroundModel clipped_background(const BenchSession& s) {
  return BackgroundModel::constant(shape_of(s), static_cast<float>(s.clipped.median),
                                   static_cast<float>(s.clipped.std / clip_bias(ClipOptions().kappa)));
}

/// Pixels above one level, 4- or 8-connected, on the clipped background; `drawn`: and the label map, left where it is.
BenchCase label_case(const std::string& name, double level, Connectivity connectivity, std::int64_t bytes,
                     bool drawn = false) {
  DetectOptions options;
  options.seed = options.flood = level;
  options.connectivity = connectivity;
  BenchCase one = stage("detection", name, [options, drawn](BenchSession& s) {
    s.islands.reset();
    s.islands = s.backend->label(*s.plane, clipped_background(s), options, s.job);
    if (drawn) s.probe->draw_labels(*s.islands, s.job);
  });
  one.work = fixed({bytes, drawn ? bytes : 0, 0, 0, 0});
  one.rows = [](BenchSession& s, std::int64_t y0, std::int64_t ny, float* out) {
    static_assert(sizeof(float) == sizeof(std::int32_t));
    s.backend->label_rows(*s.islands, y0, ny, reinterpret_cast<std::int32_t*>(out));
  };
  one.labels = true;
  one.values = [](const BenchSession& s) -> Values { return {{"islands", static_cast<double>(s.islands->count())}}; };
  return one;
}

std::vector<double> numbers_of_islands(const BenchSession& s) {
  std::vector<double> numbers;
  for (const IslandSums& i : s.sums) {
    numbers.insert(numbers.end(), {static_cast<double>(i.npix), static_cast<double>(i.peak_y),
                                   static_cast<double>(i.peak_x), i.peak, i.s, i.sx, i.sy, i.sxx, i.sxy, i.syy});
  }
  return numbers;
}

Values totals_of_islands(const BenchSession& s) {
  double pixels = 0, flux = 0;
  for (const IslandSums& i : s.sums) {
    pixels += static_cast<double>(i.npix);
    flux += i.s;
  }
  return {{"islands", static_cast<double>(s.sums.size())}, {"pixels", pixels}, {"flux", flux}};
}

/// What goes through the islands' pixels alone reads only these.
Work measure_work(const BenchSession& s) {
  std::int64_t pixels = 0;
  for (const IslandSums& i : s.sums) pixels += i.npix;
  return {pixels * kFloat, 0, 0, static_cast<std::int64_t>(s.sums.size() * sizeof(IslandSums)), 0};
}

void measured(BenchCase& one) {
  one.numbers = numbers_of_islands;
  one.values = totals_of_islands;
}

std::vector<BenchCase> detection_cases(std::int64_t bytes) {
  std::vector<BenchCase> cases{label_case("label 8, 0 sigma (dense)", 0, Connectivity::eight, bytes),
                               label_case("label 4, 5 sigma", 5, Connectivity::four, bytes),
                               label_case("label 8, 5 sigma", 5, Connectivity::eight, bytes),
                               label_case("label 8, 5 sigma, with map", 5, Connectivity::eight, bytes, true)};
  for (BenchCase& one : cases) one.needed = one.name == "label 8, 5 sigma";
  BenchCase measure = stage("detection", "measure", [](BenchSession& s) {
    s.sums = s.backend->measure(*s.plane, clipped_background(s), *s.islands, s.job);
  });
  measure.prepare = [](BenchSession& s, std::string& why_not) {
    why_not = "no islands to measure";
    return s.islands != nullptr;
  };
  measure.work = measure_work;
  measured(measure);
  measure.from_image = false;
  cases.push_back(measure);
  BenchCase chain = stage("detection", "clip + label + measure", [](BenchSession& s) {
    s.clipped = s.backend->clip(*s.plane, {}, s.job);
    const BackgroundModel background = clipped_background(s);
    DetectOptions options;
    options.flood = options.seed;
    s.islands.reset();
    s.islands = s.backend->label(*s.plane, background, options, s.job);
    s.sums = s.backend->measure(*s.plane, background, *s.islands, s.job);
  });
  chain.work = [bytes](const BenchSession& s) {
    Work work = measure_work(s);
    work.bytes_read += 2 * bytes;  // the level is known once all of it was read
    return work;
  };
  measured(chain);
  cases.push_back(chain);
  BenchCase mesh_chain = stage("detection", "mesh + label + measure", [](BenchSession& s) {
    measure_background(s);
    s.islands.reset();
    s.islands = s.backend->label(*s.plane, s.background, {}, s.job);
    s.sums = s.backend->measure(*s.plane, s.background, *s.islands, s.job);
  });
  mesh_chain.work = chain.work;
  measured(mesh_chain);
  cases.push_back(mesh_chain);
  return cases;
}

}  // namespace

BenchSession::~BenchSession() {
  // Everything that lives in the backend goes before it.
  forget();
  islands.reset();
  background = {};
  plane.reset();
}

void BenchSession::forget() {
  derived.reset();
  several.clear();
  plan.reset();
  plans.clear();
}

std::vector<BenchCase> bench_cases(const Image& image, bool full) {
  const std::int64_t bytes = image.shape().count() * kFloat;
  std::vector<BenchCase> cases{load_case(image), statistics_case("mean and std", StatisticsParts::mean_and_std, bytes),
                               statistics_case("median", StatisticsParts::median, bytes),
                               statistics_case("median, mean and std", StatisticsParts::all, bytes), clip_case(bytes)};
  const auto append = [&](std::vector<BenchCase> more) {
    for (BenchCase& one : more) cases.push_back(std::move(one));
  };
  cases.push_back(resample_case(image.shape()));
  append(background_cases(bytes));
  append(detection_cases(bytes));
  cases.push_back(fit_case(image.shape().nx));
  append(convolution_cases(image.shape(), brightest_of(image), full));
  append(group_cases(image.shape(), brightest_of(image)));
  return cases;
}

}  // namespace reber::app
