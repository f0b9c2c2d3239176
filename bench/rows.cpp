// SPDX-License-Identifier: BSD-3-Clause
// Single rows of `reber bench`, and convolutions of any odd size, without the machine's limits and the host's times:
// what tune.py and counters.py run again and again. Prints a line of JSON for each row.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/bench/bench_run.hpp"
#include "app/bench/bench_sky.hpp"
#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

constexpr const char* kUsage =
    "usage: reber_bench_rows [--backend cuda] [--size PX] [--runs N] [--once] [--check PX] [--variants] [ROW...]\n"
    "ROW: as `reber bench` names it (\"mesh 64 px\"), or \"direct 11x11\", \"separable 21 taps\", \"fft 45x45\" of any "
    "odd\n"
    "size, \"fft/lines 45x45\" by one variant; none: all of the quick suite. --once: one call of each row for "
    "profilers,\n"
    "a map of the mean drawn in between as a mark. --check: compare with the cpu backend on an image of that side.\n"
    "--variants: convolutions by each variant of the backend, after the one that is chosen.\n";
constexpr std::int64_t kTile = 4096;  ///< larger skies repeat this one

struct Options {
  std::int64_t size = 16384, check = 0;
  int runs = 15;
  bool once = false, variants = false;
  std::string backend = "cuda";
  std::vector<std::string> rows;

  [[nodiscard]] bool asked(const std::string& name) const {
    return rows.empty() || std::ranges::find(rows, name) != rows.end();
  }
};

std::unique_ptr<BenchSession> session_of(const std::string& name) {
  for (const BackendEntry& entry : backend_table()) {
    if (entry.name != name) continue;
    if (const std::string reason = entry.unavailable({}); !reason.empty())
      throw DeviceError(fmt::format("backend '{}' cannot run here: {}", name, reason));
    auto session = std::make_unique<BenchSession>();
    session->backend = entry.make({});
    session->probe = entry.probe({});
    session->name = name;
    return session;
  }
  throw InputError(fmt::format("no backend '{}' in this build", name));
}

void load(BenchSession& session, const Image& image) {
  TilingPlan tiling;
  tiling.band_rows = image.shape().ny;
  session.plane = session.backend->load(*memory_source(image.data(), image.shape()), tiling, {});
}

/// What stands for the rows asked for, with those that they start from in front.
std::vector<BenchCase> cases_of(const Options& options, const Image& image, double brightest) {
  if (options.rows.empty()) return bench_cases(image, false);
  std::vector<BenchCase> cases, others;
  std::size_t found = 0;
  for (const std::string& name : options.rows)
    if (auto one = convolution_named(name, image.shape(), brightest)) others.push_back(std::move(*one));
  if (others.size() < options.rows.size())
    for (BenchCase& one : bench_cases(image, false)) {
      const bool wanted = options.asked(one.name) && !convolution_named(one.name, image.shape(), brightest);
      if (!wanted && !one.needed) continue;
      found += wanted ? 1 : 0;
      cases.push_back(std::move(one));
    }
  if (found + others.size() != options.rows.size()) throw InputError("a row that reber bench does not have");
  while (!cases.empty() && !options.asked(cases.back().name)) cases.pop_back();  // nothing asked for starts from these
  std::ranges::move(others, std::back_inserter(cases));
  return cases;
}

/// Where a profiler sees one row end and the next begin: an operation that no row consists of.
void mark(BenchSession& session) {
  const Shape shape = session.plane->shape();
  std::vector<float> row(static_cast<std::size_t>(shape.nx));
  const BackgroundModel constant = BackgroundModel::constant(shape, 0, 1);
  session.backend->render_rows(MapKind::mean, *session.plane, &constant, 0, 1, row.data());
}

nlohmann::ordered_json time_case(const BenchCase& one, BenchSession& session, int runs) {
  nlohmann::ordered_json json{{"row", one.name}};
  std::string why_not;
  if (!one.prepare(session, why_not)) {
    json["not_possible"] = why_not;
    return json;
  }
  if (session.plan) json["description"] = session.plan->description();
  if (const double predicted = one.predicted_ms(session); predicted > 0) json["predicted_ms"] = predicted;
  one.run(session);
  std::vector<double> samples;
  for (int i = 0; i < runs; ++i) {
    session.probe->flush_cache();
    session.counters = {};
    const auto begin = std::chrono::steady_clock::now();
    one.run(session);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
    const double device = session.counters.device_ms;
    samples.push_back(device > 0 ? device : wall.count());
  }
  const Timing timing = Timing::of(std::move(samples));
  if (timing.repeats > 0) {
    json["ms"] = timing.median;
    json["spread"] = timing.spread();
    json["min"] = timing.low;
    json["runs"] = timing.repeats;
  }
  return json;
}

void print(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

void time_rows(const Options& options) {
  auto session = session_of(options.backend);
  // A profiler is to see nothing of the sky being made.
  const auto maker = options.once ? session_of("cpu") : nullptr;
  Backend& backend = maker ? *maker->backend : *session->backend;
  const Image tile = bench_sky(std::min(options.size, kTile), backend, {}).image;
  const Image image = repeated(tile, options.size);
  load(*session, image);
  print({{"device", session->backend->info().device}, {"size", options.size}});
  for (const BenchCase& one : cases_of(options, image, brightest_of(tile))) {
    const bool asked = options.asked(one.name);
    if (options.once) mark(*session);
    nlohmann::ordered_json json = time_case(one, *session, asked && !options.once ? options.runs : 0);
    if (asked || options.once) print(json);
    session->forget();
    if (!asked || !options.variants) continue;
    for (const std::string& name : variants_named(one.name, *session)) {
      print(time_case(convolution_named(name, image.shape(), brightest_of(tile)).value(), *session, options.runs));
      session->forget();
    }
  }
}

void check_rows(const Options& options) {
  std::vector<std::unique_ptr<BenchSession>> sessions;
  for (const std::string& name : {options.backend, std::string("cpu")}) sessions.push_back(session_of(name));
  const Progress progress;
  const Image image = bench_sky(options.check, *sessions.back()->backend, progress).image;
  for (const auto& session : sessions) load(*session, image);
  BenchRunner runner(
      sessions, image.shape(),
      [](const std::string&) {
        return BenchPace{1, 1, 0, 0};
      },
      progress);
  for (const BenchCase& one : cases_of(options, image, brightest_of(image))) {
    const std::vector<BenchRow> rows = runner.run(one, one);
    if (!options.asked(one.name)) continue;
    const auto compared = std::ranges::find_if(rows, [](const BenchRow& row) { return !row.compared_with.empty(); });
    const bool agrees = compared != rows.end() && compared->agrees;
    const std::string why_not = rows.front().timed() ? "not compared" : rows.front().why_not;
    print(
        {{"row", one.name}, {"agrees", agrees}, {"agreement", compared != rows.end() ? compared->agreement : why_not}});
  }
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view one = arguments[i];
    const auto number = [&] { return i + 1 < count ? std::atoll(arguments[++i]) : 0; };
    if (one == "--backend") {
      options.backend = i + 1 < count ? arguments[++i] : "";
    } else if (one == "--size") {
      options.size = number();
    } else if (one == "--check") {
      options.check = number();
    } else if (one == "--runs") {
      options.runs = static_cast<int>(number());
    } else if (one == "--once") {
      options.once = true;
    } else if (one == "--variants") {
      options.variants = true;
    } else if (one.starts_with("-")) {
      throw InputError(kUsage);
    } else {
      options.rows.emplace_back(one);
    }
  }
  if (options.size < 128 || options.runs < 1) throw InputError(kUsage);
  return options;
}

}  // namespace
}  // namespace reber::app

int main(int count, char** arguments) {
  try {
    const reber::app::Options options = reber::app::parse(count, arguments);
    if (options.check > 0) {
      reber::app::check_rows(options);
    } else {
      reber::app::time_rows(options);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
