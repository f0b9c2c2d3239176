// SPDX-License-Identifier: BSD-3-Clause
// Planes from a walk through pipelines of their own, side by side, and what they tell in order.
#include "core/run/cube/plane_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/files/fits/beam_map.hpp"

namespace reber {
namespace {

/// The planes of one call, and whose turn it is to tell.
class PlaneRuns {
 public:
  PlaneRuns(PlaneWalk& walk, const std::function<Request(std::int64_t)>& request_of, const PlaneEvents& told,
            const RunEvents& events, std::size_t lanes)
      : walk_(walk), request_of_(request_of), told_(told), events_(events), lanes_(lanes), alone_(lanes == 1) {}

  void work(PlaneLane& lane);
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// A plane on its way through a lane.
  struct Taken {
    std::size_t index = 0;
    std::int64_t number = 0;
    std::optional<CubePlane> plane;
    std::exception_ptr unread;
    std::vector<std::pair<LogLevel, std::string>> lines;
  };
  [[nodiscard]] bool take(Taken& taken);
  void run(PlaneLane& lane, Taken& taken);
  [[nodiscard]] bool run_once_on(PlaneLane& lane, const Input& input, const Request& request, Taken& taken);
  /// Waits for the plane's turn.   returns false where the work has ended before it
  [[nodiscard]] bool await_turn(const Taken& taken);
  void tell(Taken& taken, const std::function<void()>& event);
  void end(std::exception_ptr failure);
  void write(LogLevel level, const std::string& text, std::int64_t plane);
  [[nodiscard]] LogSink log_of(Taken& taken);

  PlaneWalk& walk_;
  const std::function<Request(std::int64_t)>& request_of_;
  const PlaneEvents& told_;
  const RunEvents& events_;
  const std::size_t lanes_;
  const bool alone_;
  std::mutex mutex_, taking_;
  std::condition_variable turned_;
  std::size_t next_ = 0, turn_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::set<std::string> heard_;
};

bool PlaneRuns::take(Taken& taken) {
  const std::lock_guard lock(taking_);
  {
    const std::lock_guard state(mutex_);
    if (ended_ || next_ >= walk_.planes().size()) return false;
  }
  taken.index = next_++;
  taken.number = walk_.planes()[taken.index];
  try {
    if (told_.began) told_.began(taken.number, taken.index);
    taken.plane = walk_.next(events_.progress);
  } catch (...) {
    taken.unread = std::current_exception();
  }
  return true;
}

/// Tells each text once.
void PlaneRuns::write(LogLevel level, const std::string& text, std::int64_t plane) {
  if (!heard_.insert(text).second) return;
  if (level == LogLevel::warning) return events_.log.warning(fmt::format("plane {}: {}", plane, text));
  if (level == LogLevel::info) return events_.log.info(text);
  events_.log.detail(text);
}

/// Lines of planes that are worked on side by side are kept until their turn.
LogSink PlaneRuns::log_of(Taken& taken) {
  return LogSink([this, &taken](LogLevel level, const std::string& text) {
    if (alone_) return write(level, text, taken.number);
    taken.lines.emplace_back(level, text);
  });
}

bool PlaneRuns::await_turn(const Taken& taken) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return ended_ || turn_ == taken.index; });
  return !ended_;
}

void PlaneRuns::tell(Taken& taken, const std::function<void()>& event) {
  if (!await_turn(taken)) return;
  for (const auto& [level, text] : taken.lines) write(level, text, taken.number);
  taken.lines.clear();
  event();
}

void PlaneRuns::end(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!ended_) failure_ = std::move(failure);
  ended_ = true;
  turned_.notify_all();
}

/// False where the card failed and the lane has the backend that takes its place.
bool PlaneRuns::run_once_on(PlaneLane& lane, const Input& input, const Request& request, Taken& taken) {
  std::optional<CardError> failure;
  try {
    RunEvents of_plane = events_;
    of_plane.log = log_of(taken);
    Pipeline pipeline(lane.backend, input);
    const Result result = pipeline.run(request, of_plane);
    std::function<void()> made;
    if (told_.made) made = told_.made(*taken.plane, result);
    tell(taken, [&] {
      if (made) made();
      if (told_.done) told_.done(*taken.plane, result);
    });
    return true;
  } catch (const CardError& error) {
    failure = error;
  }
  const auto& in_place = lane.card_failed ? lane.card_failed : told_.card_failed;
  if (!in_place) throw CardError(*failure);
  lane.backend.reset();  // what it held makes room for the next one
  lane.backend = in_place(*failure);
  if (!lane.backend) throw CardError(*failure);
  return false;
}

void PlaneRuns::run(PlaneLane& lane, Taken& taken) {
  try {
    if (taken.unread) std::rethrow_exception(taken.unread);
    Request request = request_of_(taken.number);
    request.input = taken.plane->header->path;
    request.open.plane = taken.number;
    if (!alone_) request.fit.threads = lane.threads;
    request.host_memory_bytes /= static_cast<std::int64_t>(lanes_);
    if (const std::string why = why_no_search(*taken.plane, request, events_.progress); !why.empty())
      return tell(taken, [&] {
        if (told_.skipped) told_.skipped(taken.number, why);
      });
    const Input input{request.input, request.open, taken.plane->pixels, taken.plane->header};
    bool through = false;
    while (!through) through = run_once_on(lane, input, request, taken);
  } catch (const DataError& error) {
    tell(taken, [&] {
      if (told_.failed) told_.failed(taken.number, error.what());
    });
  }
}

void PlaneRuns::work(PlaneLane& lane) {
  std::optional<ThreadBudget> budget;
  if (!alone_) budget.emplace(lane.threads);
  for (bool more = true; more;) {
    Taken taken;
    try {
      more = take(taken);
      if (!more) return;
      run(lane, taken);
      const std::lock_guard lock(mutex_);
      ++turn_;
      turned_.notify_all();
    } catch (const Cancelled&) {
      return end(std::current_exception());
    } catch (...) {
      const std::exception_ptr failure = std::current_exception();
      if (await_turn(taken)) end(failure);
      return;
    }
  }
}

}  // namespace

std::string why_no_search(const CubePlane& plane, const Request& request, const Progress& progress) {
  // Of a plane whose header has no beam the map may have one; that is looked at only where it decides.
  const auto in_map = [&] {
    return plane.header->beam.has_value() || beam_map_knows(request.psf_map, *plane.header, progress);
  };
  const bool given = request.beam.has_value() || (!request.psf_map.empty() && in_map());
  return why_flagged(plane, given, progress);
}

void run_planes(std::vector<PlaneLane> lanes, PlaneWalk& walk,
                const std::function<Request(std::int64_t plane)>& request_of, const PlaneEvents& told,
                const RunEvents& events) {
  if (lanes.empty()) throw InternalError("planes without a lane to run in");
  PlaneRuns runs(walk, request_of, told, events, lanes.size());
  std::vector<std::thread> threads;
  threads.reserve(lanes.size());  // nothing may throw once a thread works
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    std::thread started = start_thread([&runs, &lane = lanes[i]] { runs.work(lane); });
    if (!started.joinable()) break;
    threads.push_back(std::move(started));
  }
  runs.work(lanes.front());
  for (std::thread& thread : threads) thread.join();
  runs.rethrow();
}

int lanes_of_planes(Shape plane, std::int64_t planes, int threads, std::int64_t asked, std::int64_t free) {
  // The pixels, a copy without the sources, the plane as stored, and an eighth of a byte for tables.
  constexpr std::int64_t kBytesPerPixel = 4 + 4 + 8 + 1, kLaneBytes = std::int64_t{16} << 20;
  // The program itself (host_tiling.cpp), which every lane's plan counts again.
  constexpr std::int64_t kFixedBytes = std::int64_t{160} << 20;
  const std::int64_t lane = kLaneBytes + plane.count() * kBytesPerPixel;
  const int wanted = threads > 1 ? threads + (threads + 3) / 4 : 1;
  const std::int64_t room = asked > 0 ? asked / (lane + kFixedBytes) : free / 4 * 3 / lane;
  return static_cast<int>(
      std::clamp<std::int64_t>(std::min<std::int64_t>(wanted, planes), 1, std::max<std::int64_t>(room, 1)));
}

int card_lanes_of_planes(Shape plane, std::int64_t planes, int threads, std::int64_t device_bytes) {
  // The plane, a copy without the sources, and tables (core/seam/plan/tiling.cpp).
  constexpr std::int64_t kBytesPerPixel = 4 + 4 + 3, kLaneBytes = std::int64_t{128} << 20;
  // Of 100 planes of 4096 x 4096, 16 threads and an H100: 3 lanes .80 s, 4 .74, 6 .70, 8 .70, 12 .70.
  const int wanted = threads >= 4 ? std::clamp(threads * 3 / 8, 2, 8) : 1;
  // Half of the card: every lane's plan is made as though it were alone.
  const std::int64_t room = device_bytes / 2 / (kLaneBytes + plane.count() * kBytesPerPixel);
  return static_cast<int>(
      std::clamp<std::int64_t>(std::min<std::int64_t>(wanted, planes), 1, std::max<std::int64_t>(room, 1)));
}

}  // namespace reber
