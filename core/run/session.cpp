// SPDX-License-Identifier: BSD-3-Clause
// The job thread behind a viewer's image.
#include "core/run/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/error.hpp"

namespace reber {
namespace {

using Clock = std::chrono::steady_clock;

/// Order of a report's stages and of the facts that belong to them.
SessionStage stage_of(const std::string& name) {
  if (name == "read") return SessionStage::read;
  if (name == "convolve") return SessionStage::convolve;
  if (name == "background") return SessionStage::background;
  return SessionStage::detect;
}

/// Stages before the first one that ran keep their times, and what they told.
void keep_earlier_stages(const Report& before, const Request& request, Report& now) {
  for (const char* name : {"blank pixels", "background", "noise rms"}) {
    const auto named = [name](const Fact& fact) { return fact.first == name; };
    const auto old = std::ranges::find_if(before.facts, named);
    if (old != before.facts.end() && std::ranges::none_of(now.facts, named)) now.facts.push_back(*old);
  }
  std::vector<StageReport> stages;
  for (const StageReport& stage : before.stages) {
    const bool again = std::ranges::any_of(now.stages, [&](const StageReport& s) { return s.name == stage.name; });
    const SessionStage kind = stage_of(stage.name);
    const bool asked = kind == SessionStage::read || (kind == SessionStage::convolve && request.convolve) ||
                       (kind == SessionStage::background && request.background);
    if (!again && asked) stages.push_back(stage);
  }
  stages.insert(stages.end(), now.stages.begin(), now.stages.end());
  std::ranges::stable_sort(stages, {}, [](const StageReport& stage) { return stage_of(stage.name); });
  now.stages = std::move(stages);
}

}  // namespace

std::optional<SessionStage> first_changed_stage(const Request& before, const Request& after) {
  if (before.input != after.input || !(before.open == after.open) ||
      before.device_memory_bytes != after.device_memory_bytes)
    return SessionStage::read;
  // The beam takes part in the kernel, in the size of the mesh's cells and in the fluxes.
  if (!(before.convolve == after.convolve) || !(before.beam == after.beam)) return SessionStage::convolve;
  if (!(before.background == after.background)) return SessionStage::background;
  if (!(before.detect == after.detect) || !(before.scales == after.scales) || before.fdr != after.fdr || !(before.deblend == after.deblend) || !(before.fit == after.fit) ||
      !(before.calibration == after.calibration) || before.negative_too != after.negative_too ||
      before.reliability != after.reliability)
    return SessionStage::detect;
  return {};
}

struct Session::State {
  MakeBackend make_backend;
  std::function<void()> changed;

  mutable std::mutex mutex;  // guards all down to `stop`
  std::condition_variable wake;
  bool quit = false, forget = false, at_work = false;
  std::optional<Request> waiting;
  Clock::time_point waiting_since;
  std::array<bool, kSessionMaps> wanted{};
  SessionStatus status;
  Request running;
  bool running_request = false;
  std::shared_ptr<const SessionResult> result;
  std::array<MapResult, kSessionMaps> maps;
  BackendInfo info;

  std::atomic<bool> stop{false};

  // Of the job thread alone; planes go before their backend.
  std::unique_ptr<Backend> backend;
  PipelineCache cache;
  PipelineResult last;
  std::optional<Request> cached_for;  ///< the request whose stages are in the cache
  std::thread thread;

  void work();
  void run(const Request& request, std::uint64_t generation, Clock::time_point since);
  void drop_changed(const Request& request);
  [[nodiscard]] std::shared_ptr<const LabelRuns> labels_of(const IslandMap& islands);
  void publish(const Request& request, std::uint64_t generation, Clock::time_point since, PipelineResult fresh);
  void make_map(SessionMap map);
  void fill_map(SessionMap map, Image& image, const Progress& progress);
  void end_job(const std::string& error);
  [[nodiscard]] Progress progress();
  [[nodiscard]] int next_map() const;
  [[nodiscard]] bool must_stop(const Request& newer) const;
};

/// A running stage that is not the last finishes for nothing when a stage before it, or it itself, changes. Labelling
/// is let finish: stopping it for every step of a slider would show nothing until the hand rests.
bool Session::State::must_stop(const Request& newer) const {
  if (!running_request) return true;  // a map
  const auto first = first_changed_stage(running, newer);
  if (!first) return false;
  const SessionStage at = stage_of(status.stage);
  if (at < SessionStage::detect) return *first <= at;
  return *first < SessionStage::detect || status.stage == "fit";
}

Progress Session::State::progress() {
  return Progress(
      [this](const std::string&, double fraction) {
        bool tell = false;
        {
          const std::lock_guard lock(mutex);
          tell = std::abs(fraction - status.fraction) >= 0.02;
          if (tell) status.fraction = fraction;
        }
        if (tell) changed();
      },
      &stop);
}

void Session::State::drop_changed(const Request& request) {
  const auto first = cached_for ? first_changed_stage(*cached_for, request) : SessionStage::read;
  cached_for = request;
  if (!first) return;
  if (*first <= SessionStage::background) {
    cache.background.reset();
    cache.background_history.clear();
  }
  if (*first <= SessionStage::convolve) {
    cache.plane.reset();
    cache.convolution.reset();
    cache.choice.reset();
  }
  if (*first <= SessionStage::read) cache = PipelineCache();
  if (*first < SessionStage::detect) last = PipelineResult();  // its planes make room for the new ones
}

std::shared_ptr<const LabelRuns> Session::State::labels_of(const IslandMap& islands) {
  LabelRuns runs = backend->label_runs(islands);
  const std::lock_guard lock(mutex);
  if (result && result->labels && *result->labels == runs) return result->labels;
  return std::make_shared<const LabelRuns>(std::move(runs));
}

void Session::State::publish(const Request& request, std::uint64_t generation, Clock::time_point since,
                             PipelineResult fresh) {
  auto made = std::make_shared<SessionResult>();
  made->generation = generation;
  made->request = request;
  made->report = fresh.report;
  for (const StageReport& stage : fresh.report.stages) made->stages_run.push_back(stage.name);
  if (fresh.image) made->header = std::make_shared<const ImageHeader>(fresh.image->header());
  made->beam = fresh.beam;
  made->background = fresh.background;
  if (made->background) {
    made->background->mean_map.reset();
    made->background->rms_map.reset();
  }
  made->sources = fresh.sources;
  made->islands = fresh.islands ? fresh.islands->count() : 0;
  if (fresh.islands) made->labels = labels_of(*fresh.islands);
  made->history = fresh.history;
  made->wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  last = std::move(fresh);
  const std::lock_guard lock(mutex);
  if (result && result->request.input == request.input) keep_earlier_stages(result->report, request, made->report);
  result = std::move(made);
}

void Session::State::run(const Request& request, std::uint64_t generation, Clock::time_point since) {
  std::string error;
  try {
    if (!backend) {
      backend = make_backend();
      const std::lock_guard lock(mutex);
      info = backend->info();
    }
    drop_changed(request);
    const LogSink log([this](LogLevel level, const std::string& text) {
      if (level != LogLevel::detail) return;
      {
        const std::lock_guard lock(mutex);
        status.stage = text;
        status.fraction = 0;
      }
      changed();
    });
    publish(request, generation, since, run_pipeline(request, *backend, progress(), log, &cache));
  } catch (const Cancelled&) {
  } catch (const std::bad_alloc&) {
    error = "not enough memory for this";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  end_job(error);
}

void Session::State::end_job(const std::string& error) {
  {
    const std::lock_guard lock(mutex);
    status.error = error;
    at_work = false;
    status.busy = waiting.has_value();
    status.stage.clear();
    status.fraction = 0;
    running_request = false;
  }
  changed();
}

void Session::State::fill_map(SessionMap map, Image& image, const Progress& report) {
  // Some 10 ms of copying: a wish to stop is heard between the parts, and each begins with the copy engine at rest.
  constexpr std::int64_t kPixels = std::int64_t{1} << 24;
  const Shape shape = image.shape();
  const std::int64_t rows = std::max<std::int64_t>(1, kPixels / std::max<std::int64_t>(1, shape.nx));
  for (std::int64_t y0 = 0; y0 < shape.ny; y0 += rows) {
    const std::int64_t ny = std::min(rows, shape.ny - y0);
    float* out = image.data() + y0 * shape.nx;
    report.report("map", static_cast<double>(y0) / static_cast<double>(shape.ny));
    const MapKind kind = map == SessionMap::mean  ? MapKind::mean
                         : map == SessionMap::rms ? MapKind::rms
                         : map == SessionMap::snr ? MapKind::snr
                                                  : MapKind::image;
    const Plane& plane = map == SessionMap::input ? *cache.input : *last.plane;
    backend->render_rows(kind, plane, last.background ? &*last.background : nullptr, y0, ny, out);
  }
}

void Session::State::make_map(SessionMap map) {
  const bool needs_background = map == SessionMap::mean || map == SessionMap::rms || map == SessionMap::snr;
  std::string error;
  try {
    const bool possible =
        last.plane && (!needs_background || last.background) && (map != SessionMap::input || cache.input);
    if (possible) {
      auto image = std::make_shared<Image>(last.plane->shape());
      fill_map(map, *image, progress());
      const std::lock_guard lock(mutex);
      maps[static_cast<std::size_t>(map)] = {result->generation, std::move(image)};
    }
  } catch (const Cancelled&) {
    // A newer request stopped it, and the map is wanted still; cancel() has emptied the list before.
    const std::lock_guard lock(mutex);
    if (waiting) wanted[static_cast<std::size_t>(map)] = true;
  } catch (const std::bad_alloc&) {
    error = "not enough memory to show this map";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  end_job(error);
}

int Session::State::next_map() const {
  const auto found = std::ranges::find(wanted, true);
  return found == wanted.end() ? -1 : static_cast<int>(found - wanted.begin());
}

void Session::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return quit || waiting || next_map() >= 0; });
    if (quit) break;
    stop = false;
    if (std::exchange(forget, false)) {
      cached_for.reset();
      cache = PipelineCache();
      last = PipelineResult();
    }
    at_work = status.busy = true;
    if (waiting) {
      running = std::move(*waiting);
      waiting.reset();
      running_request = true;
      status.stage = "open";
      const Request request = running;
      const std::uint64_t generation = status.generation;
      const Clock::time_point since = waiting_since;
      lock.unlock();
      run(request, generation, since);
    } else {
      const int map = next_map();
      wanted[static_cast<std::size_t>(map)] = false;
      status.stage = "map";
      lock.unlock();
      make_map(static_cast<SessionMap>(map));
    }
    lock.lock();
  }
  lock.unlock();
  last = PipelineResult();
  cache = PipelineCache();
  backend.reset();
}

Session::Session(MakeBackend make_backend, std::function<void()> changed) : state_(std::make_unique<State>()) {
  state_->make_backend = std::move(make_backend);
  state_->changed = std::move(changed);
  state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Session::~Session() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->quit = true;
    state_->stop = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

std::uint64_t Session::submit(Request request) {
  request.output = {};
  request.dry_run = false;
  const std::lock_guard lock(state_->mutex);
  if (state_->at_work && state_->must_stop(request)) state_->stop = true;
  state_->waiting = std::move(request);
  state_->waiting_since = Clock::now();
  state_->status.busy = true;
  state_->wake.notify_one();
  return ++state_->status.generation;
}

void Session::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.reset();
  state_->wanted.fill(false);
  state_->status.busy = state_->at_work;
  state_->stop = true;
}

void Session::invalidate() {
  const std::lock_guard lock(state_->mutex);
  state_->forget = true;
  state_->stop = true;
}

SessionStatus Session::status() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status;
}

std::shared_ptr<const SessionResult> Session::result() const {
  const std::lock_guard lock(state_->mutex);
  return state_->result;
}

void Session::request_map(SessionMap map) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->result && !state_->waiting) return;
  state_->wanted[static_cast<std::size_t>(map)] = true;
  state_->wake.notify_one();
}

MapResult Session::map(SessionMap map) const {
  const std::lock_guard lock(state_->mutex);
  return state_->maps[static_cast<std::size_t>(map)];
}

void Session::forget_map(SessionMap map) {
  const std::lock_guard lock(state_->mutex);
  state_->maps[static_cast<std::size_t>(map)] = {};
}

BackendInfo Session::backend() const {
  const std::lock_guard lock(state_->mutex);
  return state_->info;
}

}  // namespace reber
