// SPDX-License-Identifier: BSD-3-Clause
// What callers do from other threads: nothing that takes time.
#include "core/run/live/live_run.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/run/live/live_run_state.hpp"

namespace reber {

bool LiveRun::outdated(StageId running, StageId changed) {
  const bool short_or_shown = running == StageId::detect || running == StageId::measure || running >= StageId::judge;
  return short_or_shown ? changed < StageId::detect : changed <= running;
}

LiveRun::LiveRun(MakeBackend make_backend, std::function<void()> changed, TakeOver take_over)
    : state_(std::make_unique<State>()) {
  state_->make_backend = std::move(make_backend);
  state_->take_over = std::move(take_over);
  state_->changed = std::move(changed);
  state_->thread = start_thread([state = state_.get()] { state->work(); });
  if (!state_->thread.joinable()) {
    throw DeviceError("the system gives no thread for the live pipeline; raise the limit of processes (ulimit -u)");
  }
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->quit = true;
    state_->stop = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

std::uint64_t LiveRun::submit(Request request, Answer answer) {
  request.output = {};
  request.dry_run = false;
  const bool twice =
      answer == Answer::moments_first && request.detect && request.fit.method != FitRequest::Method::moments;
  const std::lock_guard lock(state_->mutex);
  if (state_->at_work && state_->must_stop(request)) state_->stop = true;
  state_->status.generation += twice ? 2 : 1;
  state_->waiting = State::Task{std::move(request), state_->status.generation, twice, State::Clock::now()};
  state_->status.busy = true;
  state_->wake.notify_one();
  return state_->status.generation;
}

void LiveRun::set_hand_fits(std::vector<HandFit> fits) {
  const std::lock_guard lock(state_->mutex);
  if (state_->hand_fits == fits) return;
  state_->hand_fits = std::move(fits);
  state_->wanted_hand = true;
  if (state_->result) state_->status.busy = true;
  state_->wake.notify_one();
}

void LiveRun::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.reset();
  state_->wanted.fill(false);
  state_->wanted_shown.fill(false);
  state_->wanted_extended = false;
  state_->status.busy = state_->at_work;
  state_->stop = true;
}

void LiveRun::invalidate() {
  const std::lock_guard lock(state_->mutex);
  state_->forget = true;
  state_->stop = true;
}

LiveStatus LiveRun::status() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status;
}

std::shared_ptr<const LiveResult> LiveRun::result() const {
  const std::lock_guard lock(state_->mutex);
  return state_->result;
}

void LiveRun::request_map(ProductId map) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->result && !state_->waiting) return;
  state_->wanted[static_cast<std::size_t>(map)] = true;
  state_->wake.notify_one();
}

MapResult LiveRun::map(ProductId map) const {
  const std::lock_guard lock(state_->mutex);
  return state_->maps[static_cast<std::size_t>(map)];
}

void LiveRun::forget_map(ProductId map) {
  const std::lock_guard lock(state_->mutex);
  state_->maps[static_cast<std::size_t>(map)] = {};
}

void LiveRun::request_extended() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->result && !state_->waiting) return;
  state_->wanted_extended = true;
  state_->wake.notify_one();
}

std::optional<CardFailure> LiveRun::card_failure() const {
  const std::lock_guard lock(state_->mutex);
  return state_->card_failure;
}

ExtendedResult LiveRun::extended() const {
  const std::lock_guard lock(state_->mutex);
  return state_->extended;
}

void LiveRun::request_shown(ProductId map, std::vector<TileKey> first, ShowMaps by) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->result && !state_->waiting) return;
  state_->show_by = by;
  state_->wanted_shown[static_cast<std::size_t>(map)] = true;
  state_->first_tiles[static_cast<std::size_t>(map)] = std::move(first);
  state_->wake.notify_one();
}

ShownMap LiveRun::shown(ProductId map) const {
  const std::lock_guard lock(state_->mutex);
  return state_->shown[static_cast<std::size_t>(map)];
}

void LiveRun::forget_shown(ProductId map) {
  const std::lock_guard lock(state_->mutex);
  state_->shown[static_cast<std::size_t>(map)].image.reset();
}

std::shared_ptr<GraphicsLink> LiveRun::graphics_link() const {
  const std::lock_guard lock(state_->mutex);
  return state_->link;
}

void LiveRun::use_device_tiles(bool on) { state_->desk.use_device(on); }

BackendInfo LiveRun::backend() const {
  const std::lock_guard lock(state_->mutex);
  return state_->info;
}

}  // namespace reber
