// SPDX-License-Identifier: BSD-3-Clause
// The finder's rows go into each new list of rows by hand.
#include "core/run/live/hand_desk.hpp"

#include <new>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/live/live_run_state.hpp"
#include "core/run/pipeline/hand_fits.hpp"

namespace reber {

void HandDesk::keep(std::shared_ptr<const LiveResult> made, const Result& of) {
  finders_ = std::move(made);
  sources_ = of.outcomes.judged;
}

void HandDesk::forget() {
  finders_.reset();
  sources_.reset();
}

void HandDesk::add_rows(Result& last, std::span<const HandFit> fits, LiveResult& made, const Progress& progress) const {
  last.outcomes.judged = sources_;
  if (fits.empty() || !sources_) return;
  auto hand = std::make_shared<const HandRows>(fit_by_hand(last, fits, Job(progress)));
  made.sources = hand->sources;
  made.hand = hand;
  made.accounts = std::make_shared<const RowAccounts>(last, hand);
  auto standing = std::make_shared<Outcome<std::vector<Source>>>(*sources_);
  standing->value = hand->standing();
  last.outcomes.judged = std::move(standing);
}

void LiveRun::State::publish(std::shared_ptr<LiveResult> made) {
  {
    const std::lock_guard lock(mutex);
    made->edition = ++editions;
    result = std::move(made);
    status.error.clear();
  }
  changed();
}

void LiveRun::State::add_hand_rows(LiveResult& made) {
  std::vector<HandFit> fits;
  {
    const std::lock_guard lock(mutex);
    fits = hand_fits;
    wanted_hand = false;
  }
  hand.add_rows(*last, fits, made, Progress([this](const std::string&, double fraction) { report(fraction); }, &stop));
}

void LiveRun::State::make_hand() {
  std::string error;
  if (!last || !hand.finders()) {  // the next result brings them
    {
      const std::lock_guard lock(mutex);
      wanted_hand = false;
    }
    end_job(error);
    return;
  }
  try {
    auto made = std::make_shared<LiveResult>(*hand.finders());
    add_hand_rows(*made);
    publish(std::move(made));
  } catch (const Cancelled&) {
  } catch (const std::bad_alloc&) {
    error = "not enough memory for fits by hand";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  end_job(error);
}

}  // namespace reber
