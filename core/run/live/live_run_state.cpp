// SPDX-License-Identifier: BSD-3-Clause
// The thread behind a viewer's image: requests, maps and tiles, one at a time.
#include "core/run/live/live_run_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/pipeline/stage_key.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber {

/// Fits take longer than all else: what was detected is shown first, measured by moments.
Request LiveRun::State::Task::by_moments() const {
  Request first = request;
  first.fit.method = FitRequest::Method::moments;
  return first;
}

bool LiveRun::State::must_stop(const Request& newer) const {
  if (!running) return true;  // a map
  const auto first = first_changed(running->request, newer);
  return first && outdated(running_stage, *first);
}

void LiveRun::State::report(double fraction) {
  bool tell = false;
  {
    const std::lock_guard lock(mutex);
    tell = std::abs(fraction - status.fraction) >= 0.02;
    if (tell) status.fraction = fraction;
  }
  if (tell) changed();
}

/// A request that waits may make the stage that begins out of date.
void LiveRun::State::began(StageId stage, Sign sign) {
  {
    const std::lock_guard lock(mutex);
    running_stage = stage;
    status.stage = stage_name(stage, sign);
    status.fraction = 0;
    if (waiting && must_stop(waiting->request)) stop = true;
  }
  changed();
}

void LiveRun::State::drop_changed(const Request& request) {
  const auto first = kept_for ? first_changed(*kept_for, request) : StageId::open;
  kept_for = request;
  if (!first) return;
  desk.drop(*first);
  if (*first < StageId::detect) last.reset();  // its planes make room for the new ones
  if (*first == StageId::open) pipeline.reset();
}

std::shared_ptr<const LabelRuns> LiveRun::State::labels_of(const IslandMap& islands) {
  LabelRuns runs = backend->label_runs(islands);
  const std::lock_guard lock(mutex);
  if (result && result->labels && *result->labels == runs) return result->labels;
  return std::make_shared<const LabelRuns>(std::move(runs));
}

/// One pass: runs and publishes. ran: stages that the passes of this task ran, in their order.
void LiveRun::State::answer(const Task& task, const Request& request, std::uint64_t generation,
                            std::vector<std::string>& ran) {
  RunEvents events;
  // A backend's "fit" is one round of many; "fits" counts sources.
  const auto tell = [this](const std::string& what, double fraction) {
    if (what != "fit") report(fraction);
  };
  events.progress = Progress(tell, &stop);
  events.began = [this](StageId stage, Sign sign) { began(stage, sign); };
  events.idle = [this] { serve_tiles(); };  // of maps that this run leaves as they are
  Result fresh = pipeline->run(request, events);
  for (const std::string& name : fresh.stages_run)
    if (std::ranges::find(ran, name) == ran.end()) ran.push_back(name);
  auto made = std::make_shared<LiveResult>();
  made->generation = generation;
  made->request = request;
  made->report = fresh.report;
  made->stages_run = ran;
  made->header = std::make_shared<const ImageHeader>(fresh.header());
  made->beam = fresh.beam();
  if (fresh.background() != nullptr) {
    made->background = *fresh.background();
    made->background->mean_map.reset();
    made->background->rms_map.reset();
  }
  made->sources = fresh.sources();
  if (fresh.outcomes.judged) made->accounts = std::make_shared<const RowAccounts>(fresh);
  if (const auto islands = fresh.islands()) {
    made->islands = islands->count();
    made->labels = labels_of(*islands);
  }
  made->history = fresh.history;
  made->wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - task.since).count();
  last = std::move(fresh);
  hand.keep(made, *last);
  auto whole = std::make_shared<LiveResult>(*made);
  if (last->outcomes.positive.fitted || request.fit == task.request.fit) add_hand_rows(*whole);
  publish(std::move(whole));
}

void LiveRun::State::open_backend() {
  if (!backend) use(make_backend());
}

void LiveRun::State::use(std::shared_ptr<Backend> made) {
  backend = std::move(made);
  auto* const display = backend->display();
  const std::lock_guard lock(mutex);
  info = backend->info();
  link = display != nullptr ? display->graphics_link() : nullptr;
}

/// Lets go of all that lay on the card, what is shown included, and goes on without it.
void LiveRun::State::change_backend(const std::string& failure) {
  forget_all();
  {
    const std::lock_guard lock(mutex);
    result.reset();
    shown = {};
    link.reset();
  }
  backend.reset();
  use(take_over(failure));
}

/// After a failure of the card: the processor takes its place, or the failure is thrown where nobody does.
void LiveRun::State::leave_card(const CardError& failure) {
  {
    const std::lock_guard lock(mutex);
    card_failure = CardFailure{failure.what(), failure.kind == CardError::Kind::memory};
  }
  if (!take_over) throw failure;
  change_backend(failure.what());
}

void LiveRun::State::serve(const Task& task) {
  open_backend();
  drop_changed(task.request);
  if (!pipeline) pipeline = std::make_unique<Pipeline>(backend, input_of(task.request));
  std::vector<std::string> ran;
  // Where the fits are kept, the whole result takes no longer than the one by moments.
  const auto changed_since = fitted_for ? first_changed(*fitted_for, task.request) : StageId::open;
  if (task.moments_first && changed_since && *changed_since <= StageId::fit)
    answer(task, task.by_moments(), task.generation - 1, ran);
  answer(task, task.request, task.generation, ran);
  fitted_for = task.request;
}

void LiveRun::State::run(const Task& task) {
  std::string error;
  if (!take_over) {
    const std::lock_guard lock(mutex);
    card_failure.reset();
  }
  try {
    try {
      serve(task);
    } catch (const CardError& failure) {
      leave_card(failure);
      serve(task);
    }
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
    running.reset();
  }
  changed();
}

void LiveRun::State::fill_map(ProductId map, Image& image, const Progress& progress) {
  // Some 10 ms of copying: a wish to stop is heard between the parts, and each begins with the copy engine at rest.
  constexpr std::int64_t kPixels = std::int64_t{1} << 24;
  const Shape shape = image.shape();
  const std::int64_t rows = std::max<std::int64_t>(1, kPixels / std::max<std::int64_t>(1, shape.nx));
  FairTurn turn;
  const Job job(progress);
  const ProductMap made = product_of(map).make({*last, job, turn});
  for (std::int64_t y0 = 0; y0 < shape.ny; y0 += rows) {
    const std::int64_t ny = std::min(rows, shape.ny - y0);
    progress.report("map", static_cast<double>(y0) / static_cast<double>(shape.ny));
    made.rows(y0, ny, image.data() + y0 * shape.nx);
  }
}

std::shared_ptr<DisplayTiles> LiveRun::State::make_tiles(ProductId map) {
  const auto at = static_cast<std::size_t>(map);
  const std::optional<MapKind> seam = product_of(map).seam;
  if (!seam) return nullptr;
  ShowMaps by = ShowMaps::automatic;
  std::vector<TileKey> first;
  std::shared_ptr<DisplayTiles> before;
  {
    const std::lock_guard lock(mutex);
    by = show_by;
    first = first_tiles[at];
    before = shown[at].tiles;
  }
  const Progress progress([this](const std::string&, double fraction) { report(fraction); }, &stop);
  std::shared_ptr<DisplayTiles> tiles;
  try {
    tiles = desk.tiles(*seam, *backend, last->plane(), last->background(), by, progress);
  } catch (const CardError& failure) {
    if (failure.kind != CardError::Kind::memory) throw;
    return nullptr;
  } catch (const DeviceError&) {
    return nullptr;  // no room for levels there, perhaps: the whole map may still come
  }
  if (!tiles || tiles == before) return tiles;
  for (const TileKey& key : first) (void)tiles->want(key);
  (void)desk.serve();
  return tiles;
}

void LiveRun::State::draw_map(ProductId map, bool to_show) {
  const auto at = static_cast<std::size_t>(map);
  if (!last || !why_no_product(product_of(map), *last).empty()) return;
  std::shared_ptr<DisplayTiles> tiles;
  if (to_show) tiles = make_tiles(map);
  std::shared_ptr<Image> image;
  if (!tiles) {
    DisplayDesk::check_room(last->plane()->shape());
    image = std::make_shared<Image>(last->plane()->shape());
    fill_map(map, *image, Progress([this](const std::string&, double fraction) { report(fraction); }, &stop));
  }
  const std::lock_guard lock(mutex);
  if (to_show)
    shown[at] = {result->generation, std::move(tiles), std::move(image)};
  else
    maps[at] = {result->generation, std::move(image)};
}

/// What was wanted of a card that failed is asked for once more behind a run on the processor.
void LiveRun::State::begin_again(const CardError& failure, ProductId map, bool to_show) {
  std::optional<Request> request;
  {
    const std::lock_guard lock(mutex);
    if (result) request = result->request;
  }
  leave_card(failure);
  const std::lock_guard lock(mutex);
  (to_show ? wanted_shown : wanted)[static_cast<std::size_t>(map)] = true;
  if (!waiting && request) waiting = Task{*std::move(request), ++status.generation, false, Clock::now()};
}

void LiveRun::State::make_map(ProductId map, bool to_show) {
  std::string error;
  try {
    try {
      draw_map(map, to_show);
    } catch (const CardError& failure) {
      begin_again(failure, map, to_show);
    }
  } catch (const Cancelled&) {
    // A newer request stopped it, and the map is wanted still; cancel() has emptied the lists before.
    const std::lock_guard lock(mutex);
    if (waiting) (to_show ? wanted_shown : wanted)[static_cast<std::size_t>(map)] = true;
  } catch (const std::bad_alloc&) {
    error = "not enough memory to show this map";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  end_job(error);
}

void LiveRun::State::make_extended() {
  ExtendedResult made;
  std::shared_ptr<const LiveResult> of;
  {
    const std::lock_guard lock(mutex);
    of = result;
  }
  const auto start = Clock::now();
  try {
    if (!of || !of->request.detect)
      throw InputError("extended sources are looked for around sources: switch on the search for these");
    if (!last) throw InputError("extended sources are looked for behind a run: run the pipeline again");
    const Progress progress([this](const std::string&, double fraction) { report(fraction); }, &stop);
    made.found = std::make_shared<const ExtendedSources>(find_extended(*last, of->request, Job(progress)));
  } catch (const Cancelled&) {
    end_job("");
    return;
  } catch (const std::bad_alloc&) {
    made.error = "not enough memory to look for extended sources";
  } catch (const std::exception& failure) {
    made.error = failure.what();
  }
  if (of) made.generation = of->generation;
  made.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  {
    const std::lock_guard lock(mutex);
    extended = std::move(made);
  }
  end_job("");
}

int LiveRun::State::next_map(const std::array<bool, kProducts.size()>& of) {
  const auto found = std::ranges::find(of, true);
  return found == of.end() ? -1 : static_cast<int>(found - of.begin());
}

/// Before all else, and between stages: a tile takes a fraction of a millisecond.
void LiveRun::State::serve_tiles() {
  if (desk.serve()) changed();
}

void LiveRun::State::forget_all() {
  desk.drop(StageId::open);
  kept_for.reset();
  fitted_for.reset();
  last.reset();
  hand.forget();
  pipeline.reset();
}

void LiveRun::State::work() {
  std::unique_lock lock(mutex);
  bool pixels_wanted = false;
  while (true) {
    if (!pixels_wanted)
      wake.wait(lock, [&] {
        return quit || waiting || asked_for_tiles || wanted_extended || wanted_hand || next_map(wanted) >= 0 ||
               next_map(wanted_shown) >= 0;
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
    if (!waiting && map < 0 && !wanted_extended && !wanted_hand) {  // whole maps that are wanted, a part at a time
      lock.unlock();
      if (desk.fetch_part()) changed();
      lock.lock();
      pixels_wanted = desk.pixels_wanted();
      continue;
    }
    at_work = status.busy = true;
    if (waiting) {
      running = std::exchange(waiting, std::nullopt);
      running_stage = StageId::open;
      status.stage = to_string(running_stage);
      const Task task = *running;
      lock.unlock();
      run(task);
    } else if (wanted_hand) {
      status.stage = "fits by hand";
      lock.unlock();
      make_hand();
    } else if (map < 0) {
      wanted_extended = false;
      status.stage = "extended";
      lock.unlock();
      make_extended();
    } else {
      (show >= 0 ? wanted_shown : wanted)[static_cast<std::size_t>(map)] = false;
      status.stage = "map";
      lock.unlock();
      make_map(static_cast<ProductId>(map), show >= 0);
    }
    lock.lock();
  }
  lock.unlock();
  forget_all();
  backend.reset();
}

}  // namespace reber
