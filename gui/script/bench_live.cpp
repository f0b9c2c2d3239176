// SPDX-License-Identifier: BSD-3-Clause
// How fast sources follow a change of the pipeline, and how fast work stops.
#include "gui/script/bench_live.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class LiveBench {
 public:
  explicit LiveBench(App& app) : app_(app), document_(*app.state().document()) {}

  Json run_first() {
    first_run();
    return made_;
  }

  Json run_layers() {
    first_run();
    layers();
    layers_often();
    return made_;
  }

  Json run() {
    first_run();
    threshold();
    layers();
    changes("kernel", [](Request& request, int i) {
      request.convolve.emplace();
      request.convolve->kernel = GaussianPixels{4.0 + 0.25 * i, 4.0 + 0.25 * i, 0};
    });
    changes("cell", [](Request& request, int i) { request.background->box = 96 + 16 * i; });
    frames_at_work();
    stops();
    return made_;
  }

 private:
  static constexpr double kSeriesMs = 8000;  ///< no new measurement of a series after this

  struct Times {
    double sources = 0;   ///< to the frame that shows the new sources
    double complete = 0;  ///< to the frame after which nothing is left to do: fits, outlines of islands
    double live_run = 0;  ///< of the sources, on the live run's thread
  };

  void check() const {
    const std::string error = document_.live_run->status().error;
    if (!error.empty()) throw DataError(error);
  }

  Times wait_for_sources() {
    const auto start = Clock::now();
    const std::uint64_t before = document_.result ? document_.result->generation : 0;
    app_.run(document_);
    do {
      app_.rest_for(0.5);
      timed_frame(app_);
      check();
    } while (!document_.result || document_.result->generation == before);
    Times times{ms_since(start), 0, document_.result->wall_ms};
    while (!app_.settled()) {
      app_.rest_for(0.5);
      timed_frame(app_);
    }
    times.complete = ms_since(start);
    return times;
  }

  void first_run() {
    const Times times = wait_for_sources();
    made_["backend"] = document_.live_run->backend().name;
    made_["device"] = document_.live_run->backend().device;
    made_["sources"] = document_.result->sources.size();
    made_["islands"] = document_.result->islands;
    made_["first_run"] = {{"sources_ms", times.sources},
                          {"live_run_ms", times.live_run},
                          {"complete_ms", times.complete},
                          {"stages", stages()}};
  }

  [[nodiscard]] Json stages() const {
    Json all;
    for (const StageReport& stage : document_.result->report.stages) all[stage.name] = stage.wall_ms;
    return all;
  }

  void changes(const char* name, const std::function<void(Request&, int)>& change, int count = 5) {
    std::vector<double> sources, complete, live_run;
    const auto start = Clock::now();
    for (int i = 0; i < count && (i < 3 || ms_since(start) < kSeriesMs); ++i) {
      change(document_.request, i);
      const Times times = wait_for_sources();
      sources.push_back(times.sources);
      complete.push_back(times.complete);
      live_run.push_back(times.live_run);
    }
    made_[name] = {{"to_sources", summary(sources)},
                   {"to_complete", summary(complete)},
                   {"live_run", summary(live_run)},
                   {"stages", stages()}};
  }

  void threshold() {
    const double seed = document_.request.detect->seed;
    changes(
        "threshold", [seed](Request& request, int i) { request.detect->seed = seed + 0.02 * (i + 1); }, 15);
    document_.request.detect->seed = seed;
    wait_for_sources();
  }

  double show(LayerKind kind) {
    const auto start = Clock::now();
    app_.show_layer(document_, kind);
    timed_frame(app_);
    while (document_.layer(kind).generation != document_.result->generation || !app_.settled()) {
      app_.rest_for(0.5);
      timed_frame(app_);
      check();
    }
    return ms_since(start);
  }

  /// From the choice of a layer until it is on the screen: after runs that changed it, then back and forth.
  void layers_at(const char* view, double zoom) {
    constexpr int kRuns = 6;
    std::map<LayerKind, std::vector<double>> made, kept;
    for (int i = 0; i < kRuns; ++i) {
      app_.show_layer(document_, LayerKind::input);
      document_.request.background->box = 100 + 4 * i;
      wait_for_sources();
      document_.view.zoom = zoom;
      timed_frame(app_);
      for (const LayerKind kind : {LayerKind::rms, LayerKind::snr, LayerKind::islands})
        made[kind].push_back(show(kind));
      for (const LayerKind kind : {LayerKind::rms, LayerKind::snr}) kept[kind].push_back(show(kind));
    }
    for (const auto& [kind, ms] : made)
      made_["layer"][view][kLayerNames[static_cast<std::size_t>(kind)]] = {{"after_a_run", summary(ms)},
                                                                           {"again", summary(kept[kind])}};
  }

  /// The first time after a run.
  void layers() {
    for (const LayerKind kind : {LayerKind::rms, LayerKind::snr, LayerKind::islands})
      made_["layer_ms"][kLayerNames[static_cast<std::size_t>(kind)]] = show(kind);
    made_["textures"] = app_.state().texture_way;
    app_.show_layer(document_, LayerKind::input);
  }

  /// With the whole image in the window and at 1:1, and a threshold while S/N is shown, which changes no pixel.
  void layers_often() {
    const Request before = document_.request;
    const ViewTransform view = document_.view;
    layers_at("fit", view.zoom);
    layers_at("1to1", 1);
    document_.view = view;
    document_.request = before;
    wait_for_sources();
    show(LayerKind::snr);
    changes(
        "threshold_on_snr",
        [seed = before.detect->seed](Request& request, int i) { request.detect->seed = seed + 0.02 * (i + 1); }, 5);
    document_.request = before;
    wait_for_sources();
    app_.show_layer(document_, LayerKind::input);
  }

  /// The interface while a whole run is under way.
  void frames_at_work() {
    std::vector<FrameTimes> ms;
    const auto begun = Clock::now();
    for (; ms_since(begun) < kSeriesMs && ms.size() < 200;) {
      document_.live_run->invalidate();
      app_.run(document_);
      while (document_.live_run->status().busy) {
        app_.forget_pictures();
        ms.push_back(timed_frame(app_));
      }
      check();
      timed_frame(app_);
    }
    made_["frames_at_work"] = summary(ms);
  }

  /// From LiveRun::cancel() until its thread rests, at moments spread over a whole run with fits.
  void stops() {
    constexpr int kStops = 24;
    Request whole = document_.request;
    whole.input = document_.path;
    const auto begin = [&] {
      document_.live_run->invalidate();
      document_.submitted = document_.live_run->submit(whole, LiveRun::Answer::whole);
      return Clock::now();
    };
    const auto finish = [&] {
      while (document_.live_run->status().busy) std::this_thread::sleep_for(std::chrono::microseconds(100));
    };
    const auto first = begin();
    finish();
    const double run_ms = ms_since(first);
    std::vector<double> ms;
    Json where;
    for (int i = 0; i < kStops; ++i) {
      const auto start = begin();
      while (ms_since(start) < run_ms * (i + 0.5) / kStops) std::this_thread::sleep_for(std::chrono::microseconds(200));
      const LiveStatus status = document_.live_run->status();
      const auto stopped = Clock::now();
      document_.live_run->cancel();
      finish();
      if (!status.busy) continue;  // done before it was asked to stop
      ms.push_back(ms_since(stopped));
      where[status.stage].push_back(ms.back());
    }
    made_["cancel"] = summary(ms);
    made_["cancel"]["of_a_run_of_ms"] = run_ms;
    made_["cancel"]["by_stage_ms"] = where;
    app_.cancel(document_);
    wait_for_sources();
  }

  App& app_;
  Document& document_;
  Json made_;
};

}  // namespace

Json bench_live(App& app) { return LiveBench(app).run(); }
Json bench_layers(App& app) { return LiveBench(app).run_layers(); }
Json bench_first_run(App& app) { return LiveBench(app).run_first(); }

}  // namespace reber::gui
