// SPDX-License-Identifier: BSD-3-Clause
// How long the viewer takes: first pixels, frames while moving, many sources, the pipeline, idling.
#include <imgui.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/device_monitor.hpp"
#include "core/base/error.hpp"
#include "gui/app/app.hpp"
#include "gui/script/bench_live.hpp"
#include "gui/script/frame_bench.hpp"

namespace reber::gui {

FrameTimes timed_frame(App& app) {
  static const GLuint query = [] {
    GLuint name = 0;
    glGenQueries(1, &name);
    return name;
  }();
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  FrameTimes times;
  app.passes().begin();
  glBeginQuery(GL_TIME_ELAPSED, query);
  app.frame();
  glEndQuery(GL_TIME_ELAPSED);
  times.interface = app.interface_ms();
  times.processor = passed();
  glFinish();
  times.drawn = passed();
  app.show_frame();
  glFinish();
  times.shown = passed();
  GLuint64 ns = 0;
  glGetQueryObjectui64v(query, GL_QUERY_RESULT, &ns);
  times.card = 1e-6 * static_cast<double>(ns);
  times.passes = app.passes().take();
  return times;
}

nlohmann::json summary(const std::vector<FrameTimes>& frames) {
  const auto of = [&](double FrameTimes::*part) {
    std::vector<double> ms;
    for (const FrameTimes& frame : frames) ms.push_back(frame.*part);
    return summary(std::move(ms));
  };
  nlohmann::json made = of(&FrameTimes::drawn);
  made["shown"] = of(&FrameTimes::shown);
  made["processor"] = of(&FrameTimes::processor);
  made["interface"] = of(&FrameTimes::interface);
  made["card"] = of(&FrameTimes::card);
  std::map<std::string, std::vector<double>> passes;
  for (const FrameTimes& frame : frames)
    for (const auto& [name, ms] : frame.passes) passes[name].push_back(ms);
  for (auto& [name, ms] : passes) made["card_parts"][name] = summary(std::move(ms));
  return made;
}

nlohmann::json summary(std::vector<double> ms) {
  if (ms.empty()) return nullptr;
  std::ranges::sort(ms);
  const auto at = [&](double part) { return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))]; };
  return {{"count", ms.size()}, {"p05_ms", at(0.05)}, {"median_ms", at(0.5)},
          {"p95_ms", at(0.95)}, {"p99_ms", at(0.99)}, {"worst_ms", ms.back()}};
}

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

class Bench {
 public:
  explicit Bench(const ViewerOptions& options) : options_(options) {}

  std::string run() {
    const auto start = Clock::now();
    ViewerOptions bare = options_;
    bare.files.clear();
    App app(bare);
    app.window().draw_at_once();  // what a frame costs, not how often the screen takes one
    made_["window_ms"] = ms_since(start);
    made_["renderer"] = app.window().renderer();
    frames_ = app.window().software() ? 60 : 240;
    made_["window"] = {options_.width, options_.height};
    open(app);
    for (int i = 0; i < 3; ++i) timed_frame(app);
    if (options_.bench_part == "layers") {
      made_["live"] = bench_layers(app);
      return made_.dump(1);
    }
    still(app, "fit");
    pan(app, "pan_fit", document(app).view.zoom);
    pan(app, "pan_1to1", 1);
    pan(app, "pan_32to1", 32);
    zoom(app);
    sources(app);
    const bool frames_alone = options_.bench_part == "frames";
    if (options_.request.detect) {
      made_["live"] = frames_alone ? bench_first_run(app) : bench_live(app);
      made_["live"]["clock_mhz"] = clocks();
    }
    if (options_.request.detect) still(app, "found");
    if (!frames_alone) idle(app);
    return made_.dump(1);
  }

 private:
  static Document& document(App& app) { return *app.state().document(); }

  /// MHz of every card; null where there is none that tells. A card that waits for the display clocks down, and the
  /// same drawing takes longer then.
  [[nodiscard]] Json clocks() const {
    Json all;
    for (const DeviceReading& card : monitor_.read()) all.push_back(card.clock_mhz ? Json(*card.clock_mhz) : Json());
    return all;
  }

  /// One line on stderr at once: a whole run takes minutes on slow machines.
  void keep(const std::string& name, Json part) {
    part["clock_mhz"] = clocks();
    std::fprintf(stderr, "%s %s\n", name.c_str(), part.dump().c_str());
    made_[name] = std::move(part);
  }

  void open(App& app) {
    const auto start = Clock::now();
    app.open(options_.files.at(0), options_.request.open);
    bool first = false;
    std::vector<FrameTimes> opening;  // those of them beside which the backend is opened
    double opening_ms = 0;
    const auto frame = [&] {
      const auto begun = Clock::now();
      const bool beside = app.opening_backend();
      const FrameTimes times = timed_frame(app);
      if (!beside) return;
      opening.push_back(times);
      opening_ms += ms_since(begun);
    };
    while (document(app).loading) {
      frame();
      if (!first && document(app).layer().pixels) {
        made_["first_pixels_ms"] = ms_since(start);
        first = true;
      }
    }
    if (!document(app).error.empty()) throw DataError(document(app).error);
    while (!app.settled()) frame();
    if (!first) made_["first_pixels_ms"] = ms_since(start);
    made_["all_pixels_ms"] = ms_since(start);
    while (app.opening_backend()) frame();
    if (!opening.empty()) {
      made_["backend_open_ms"] = opening_ms;
      keep("frames_opening", summary(opening));
    }
    const Shape shape = document(app).header->shape;
    made_["image"] = {shape.ny, shape.nx};
  }

  /// The whole image in the window, drawn afresh, drawn finer once it rests (by a processor alone), and not drawn.
  void still(App& app, const std::string& name) {
    std::vector<FrameTimes> drawn, finer, kept;
    for (int i = 0; i < frames_ / 2; ++i) {
      app.forget_pictures();
      drawn.push_back(timed_frame(app));
      if (!app.settled()) finer.push_back(timed_frame(app));
      kept.push_back(timed_frame(app));
    }
    if (!finer.empty()) keep(name + "_finer", summary(finer));
    keep(name + "_drawn", summary(drawn));
    keep(name + "_kept", summary(kept));
    made_[name + "_vertices"] = ImGui::GetDrawData()->TotalVtxCount;
  }

  void pan(App& app, const char* name, double to_zoom) {
    ViewTransform& view = document(app).view;
    const ViewTransform before = view;
    view.zoom = to_zoom;
    std::vector<FrameTimes> ms;
    timed_frame(app);
    for (int i = 0; i < frames_; ++i) {
      view = pan_by(view, app.canvas(), i < frames_ / 2 ? 24 : -16, i % 2 == 0 ? 9 : -5);
      ms.push_back(timed_frame(app));
    }
    keep(name, summary(ms));
    view = before;
  }

  void zoom(App& app) {
    ViewTransform& view = document(app).view;
    const ViewTransform before = view;
    const ScreenRect& area = app.canvas();
    const ScreenPoint at{area.x + 0.4 * area.width, area.y + 0.6 * area.height};
    std::vector<FrameTimes> ms;
    for (int i = 0; i < frames_; ++i) {
      view = zoom_at(view, area, at, i % 80 < 40 ? 1.2 : 1 / 1.2);
      ms.push_back(timed_frame(app));
    }
    keep("zoom", summary(ms));
    view = before;
  }

  void sources(App& app) {
    Document& doc = document(app);
    constexpr std::size_t kCount = 20000;
    auto result = std::make_shared<LiveResult>();
    const Shape shape = doc.header->shape;
    for (std::size_t i = 0; i < kCount; ++i) {
      // The golden ratio spreads points evenly without a generator.
      const double u = std::fmod(0.6180339887 * static_cast<double>(i), 1.0);
      const double v = (static_cast<double>(i) + 0.5) / static_cast<double>(kCount);
      doc.shapes.push_back({u * static_cast<double>(shape.nx), v * static_cast<double>(shape.ny), {90, 20, 40}});
    }
    result->sources.resize(kCount);
    doc.result = result;
    doc.submitted = 0;
    std::vector<FrameTimes> ms;
    for (int i = 0; i < frames_ / 4; ++i) {
      app.forget_pictures();
      ms.push_back(timed_frame(app));
    }
    keep("sources_20000_fit", summary(ms));
    doc.shapes.clear();
    doc.result.reset();
  }

  void idle(App& app) {
    constexpr double kSeconds = 5;
    for (int i = 0; i < 5; ++i) timed_frame(app);
    app.state().notice = {};
    const double before = processor_seconds();
    const auto start = Clock::now();
    int frames = 0;
    while (ms_since(start) < 1000 * kSeconds) {
      app.rest_for(kSeconds - 1e-3 * ms_since(start));
      if (ms_since(start) < 1000 * kSeconds) {
        app.frame();
        ++frames;
      }
    }
    made_["idle"] = {{"seconds", kSeconds},
                     {"frames", frames},
                     {"cpu_percent", 100 * (processor_seconds() - before) / (1e-3 * ms_since(start))}};
  }

  const ViewerOptions& options_;
  int frames_ = 240;  ///< of a series
  DeviceMonitor monitor_;
  Json made_;
};

}  // namespace

std::string bench_frames(const ViewerOptions& options) {
  if (options.files.empty()) throw InputError("--bench needs an image");
  return Bench(options).run();
}

}  // namespace reber::gui
