// SPDX-License-Identifier: BSD-3-Clause
// Long work for Python: it runs on a thread of its own, without the interpreter's lock, while the caller's thread tells
// progress and listens for Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/threads.hpp"
#include "core/base/whole_progress.hpp"

namespace reber::python {

/// Calls work(progress) and gives what it gives. `told` (None, or a callable of what is being done and of the part of
/// the whole that is done, which never falls and ends at 1) is called on the caller's thread. What it raises, and
/// Ctrl-C, stop the work and are raised.   stages: those to come, where they are known
template <class Work>
auto wait_for(const nanobind::object& told, Work work, const std::vector<std::string>& stages = {}) {
  std::atomic<bool> stop{false}, finished{false};
  std::mutex mutex;
  std::pair<std::string, double> last{"", -1};
  WholeProgress whole;
  whole.expect(stages);
  const Progress progress(
      [&](const std::string& stage, double fraction) {
        const std::lock_guard lock(mutex);
        last = {std::string(WholeProgress::words_of(stage)), whole.report(stage, fraction)};
      },
      &stop);
  std::optional<nanobind::python_error> raised;
  // With the lock held: asks for signals, and tells what is new.
  const auto look = [&] {
    if (PyErr_CheckSignals() != 0) return raised.emplace(), void();
    std::pair<std::string, double> now{"", -1};
    {
      const std::lock_guard lock(mutex);
      std::swap(now, last);
    }
    if (told.is_none() || now.second < 0) return;
    try {
      told(now.first, now.second);
    } catch (nanobind::python_error& error) {
      raised.emplace(std::move(error));
    }
  };
  auto result = [&] {
    nanobind::gil_scoped_release without_lock;
    auto running = run_beside([&] {
      if constexpr (std::is_void_v<decltype(work(progress))>) {
        work(progress);
        finished = true;
      } else {
        auto made = work(progress);
        finished = true;
        return made;
      }
    });
    while (running.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout) {
      if (stop) continue;
      const nanobind::gil_scoped_acquire with_lock;
      look();
      if (raised) stop = true;
    }
    return running;
  }();
  const auto raise = [&] {
    try {
      (void)result.get();
    } catch (...) {
      // Cancelled, most often: what stopped it is told instead.
    }
    throw std::move(*raised);
  };
  if (raised) raise();
  {
    const nanobind::gil_scoped_release without_lock;
    result.wait();
  }
  // What fails says so; what is done is told to its end, however quick it was.
  if (finished) {
    last = {"done", 1};
    look();
    if (raised) raise();
  }
  return result.get();
}

}  // namespace reber::python
