// SPDX-License-Identifier: BSD-3-Clause
// The job thread behind a viewer's image.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/live/live_run_state.hpp"

namespace reber {
namespace {

using Clock = std::chrono::steady_clock;

/// Order of a report's stages and of the facts that belong to them.
LiveStage stage_of(const std::string& name) {
  if (name == "read") return LiveStage::read;
  if (name == "convolve") return LiveStage::convolve;
  if (name == "background") return LiveStage::background;
  return LiveStage::detect;
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
    const LiveStage kind = stage_of(stage.name);
    const bool asked = kind == LiveStage::read || (kind == LiveStage::convolve && request.convolve) ||
                       (kind == LiveStage::background && request.background);
    if (!again && asked) stages.push_back(stage);
  }
  stages.insert(stages.end(), now.stages.begin(), now.stages.end());
  std::ranges::stable_sort(stages, {}, [](const StageReport& stage) { return stage_of(stage.name); });
  now.stages = std::move(stages);
}

MapKind kind_of(SessionMap map) {
  return map == SessionMap::mean  ? MapKind::mean
         : map == SessionMap::rms ? MapKind::rms
         : map == SessionMap::snr ? MapKind::snr
                                  : MapKind::image;
}

}  // namespace

std::optional<LiveStage> first_changed_stage(const Request& before, const Request& after) {
  if (before.input != after.input || !(before.open == after.open) ||
      before.device_memory_bytes != after.device_memory_bytes)
    return LiveStage::read;
  // The beam takes part in the kernel, in the size of the mesh's cells and in the fluxes.
  if (!(before.convolve == after.convolve) || !(before.beam == after.beam)) return LiveStage::convolve;
  if (!(before.background == after.background)) return LiveStage::background;
  if (!(before.detect == after.detect) || !(before.scales == after.scales) || before.fdr != after.fdr ||
      !(before.deblend == after.deblend) || !(before.fit == after.fit) || !(before.calibration == after.calibration) ||
      before.negative_too != after.negative_too || before.reliability != after.reliability)
    return LiveStage::detect;
  return {};
}

/// A running stage that is not the last finishes for nothing when a stage before it, or it itself, changes. Labelling
/// is let finish: stopping it for every step of a slider would show nothing until the hand rests.
bool LiveRun::State::must_stop(const Request& newer) const {
  if (!running_request) return true;  // a map
  const auto first = first_changed_stage(running, newer);
  if (!first) return false;
  const LiveStage at = stage_of(status.stage);
  if (at < LiveStage::detect) return *first <= at;
  return *first < LiveStage::detect || status.stage == "fit";
}

Progress LiveRun::State::progress() {
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

void LiveRun::State::drop_changed(const Request& request) {
  const auto first = cached_for ? first_changed_stage(*cached_for, request) : LiveStage::read;
  cached_for = request;
  if (!first) return;
  desk.drop(*first);
  if (*first <= LiveStage::background) {
    cache.background.reset();
    cache.background_history.clear();
  }
  if (*first <= LiveStage::convolve) {
    cache.plane.reset();
    cache.convolution.reset();
    cache.choice.reset();
  }
  if (*first <= LiveStage::read) cache = PipelineCache();
  if (*first < LiveStage::detect) last = PipelineResult();  // its planes make room for the new ones
}

std::shared_ptr<const LabelRuns> LiveRun::State::labels_of(const IslandMap& islands) {
  LabelRuns runs = backend->label_runs(islands);
  const std::lock_guard lock(mutex);
  if (result && result->labels && *result->labels == runs) return result->labels;
  return std::make_shared<const LabelRuns>(std::move(runs));
}

void LiveRun::State::publish(const Request& request, std::uint64_t generation, Clock::time_point since,
                             PipelineResult fresh) {
  auto made = std::make_shared<LiveResult>();
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

void LiveRun::State::run(const Request& request, std::uint64_t generation, Clock::time_point since) {
  std::string error;
  try {
    if (!backend) {
      backend = make_backend();
      auto* const display = backend->display();
      const std::lock_guard lock(mutex);
      info = backend->info();
      if (display != nullptr) link = display->graphics_link();
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
      serve_tiles();  // of maps that this run leaves as they are
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

void LiveRun::State::end_job(const std::string& error) {
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

void LiveRun::State::fill_map(SessionMap map, Image& image, const Progress& report) {
  // Some 10 ms of copying: a wish to stop is heard between the parts, and each begins with the copy engine at rest.
  constexpr std::int64_t kPixels = std::int64_t{1} << 24;
  const Shape shape = image.shape();
  const std::int64_t rows = std::max<std::int64_t>(1, kPixels / std::max<std::int64_t>(1, shape.nx));
  for (std::int64_t y0 = 0; y0 < shape.ny; y0 += rows) {
    const std::int64_t ny = std::min(rows, shape.ny - y0);
    float* out = image.data() + y0 * shape.nx;
    report.report("map", static_cast<double>(y0) / static_cast<double>(shape.ny));
    const Plane& plane = map == SessionMap::input ? *cache.input : *last.plane;
    backend->render_rows(kind_of(map), plane, last.background ? &*last.background : nullptr, y0, ny, out);
  }
}

std::shared_ptr<DisplayTiles> LiveRun::State::make_tiles(SessionMap map) {
  const auto at = static_cast<std::size_t>(map);
  ShowMaps by = ShowMaps::automatic;
  std::vector<TileKey> first;
  std::shared_ptr<DisplayTiles> before;
  {
    const std::lock_guard lock(mutex);
    by = show_by;
    first = first_tiles[at];
    before = shown[at].tiles;
  }
  std::shared_ptr<DisplayTiles> tiles;
  try {
    tiles = desk.tiles(map, *backend, kind_of(map), map == SessionMap::input ? cache.input : last.plane,
                       last.background ? &*last.background : nullptr, by, progress());
  } catch (const DeviceError&) {
    return nullptr;  // no room for levels there, perhaps: the whole map may still come
  }
  if (!tiles || tiles == before) return tiles;
  for (const TileKey& key : first) (void)tiles->want(key);
  (void)desk.serve();
  return tiles;
}

void LiveRun::State::make_map(SessionMap map, bool to_show) {
  const auto at = static_cast<std::size_t>(map);
  const bool needs_background = kind_of(map) != MapKind::image;
  std::string error;
  try {
    const bool possible =
        last.plane && (!needs_background || last.background) && (map != SessionMap::input || cache.input);
    std::shared_ptr<DisplayTiles> tiles;
    if (possible && to_show) tiles = make_tiles(map);
    std::shared_ptr<Image> image;
    if (possible && !tiles) {
      image = std::make_shared<Image>(last.plane->shape());
      fill_map(map, *image, progress());
    }
    const std::lock_guard lock(mutex);
    if (possible && to_show) shown[at] = {result->generation, std::move(tiles), std::move(image)};
    if (possible && !to_show) maps[at] = {result->generation, std::move(image)};
  } catch (const Cancelled&) {
    // A newer request stopped it, and the map is wanted still; cancel() has emptied the lists before.
    const std::lock_guard lock(mutex);
    if (waiting) (to_show ? wanted_shown : wanted)[at] = true;
  } catch (const std::bad_alloc&) {
    error = "not enough memory to show this map";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  end_job(error);
}

int LiveRun::State::next_map(const std::array<bool, kSessionMaps>& of) {
  const auto found = std::ranges::find(of, true);
  return found == of.end() ? -1 : static_cast<int>(found - of.begin());
}

/// Before all else, and between stages: a tile takes a fraction of a millisecond.
void LiveRun::State::serve_tiles() {
  if (desk.serve()) changed();
}

void LiveRun::State::forget_all() {
  desk.drop(LiveStage::read);
  cached_for.reset();
  cache = PipelineCache();
  last = PipelineResult();
}

void LiveRun::State::work() {
  std::unique_lock lock(mutex);
  bool pixels_wanted = false;
  while (true) {
    if (!pixels_wanted)
      wake.wait(lock, [&] {
        return quit || waiting || asked_for_tiles || next_map(wanted) >= 0 || next_map(wanted_shown) >= 0;
      });
    if (quit) break;
    if (std::exchange(asked_for_tiles, false)) {
      lock.unlock();
      serve_tiles();
      lock.lock();
      pixels_wanted = desk.pixels_wanted();
      continue;
    }
    stop = false;
    if (std::exchange(forget, false)) forget_all();
    const int show = next_map(wanted_shown), map = show >= 0 ? show : next_map(wanted);
    if (!waiting && map < 0) {  // nothing else to do: whole maps that are wanted, a part at a time
      lock.unlock();
      if (desk.fetch_part()) changed();
      lock.lock();
      pixels_wanted = desk.pixels_wanted();
      continue;
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
      (show >= 0 ? wanted_shown : wanted)[static_cast<std::size_t>(map)] = false;
      status.stage = "map";
      lock.unlock();
      make_map(static_cast<SessionMap>(map), show >= 0);
    }
    lock.lock();
  }
  lock.unlock();
  forget_all();
  backend.reset();
}

}  // namespace reber
