// SPDX-License-Identifier: BSD-3-Clause
// Work behind the interface: one slot per kind of work, in which the newest request wins.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/progress.hpp"
#include "core/base/threads.hpp"

namespace reber::gui {

/// Runs one function at a time on a thread of its own. start() replaces what waits and stops what runs; the result is
/// taken on the interface's thread, once a frame, by take(). `changed` is called from the job's thread when there is
/// something to take or the progress moved: it should only wake the interface (Shell::wake).
///   JobSlot<Histogram> slot(wake);
///   slot.start([pixels](const Progress& progress) { return histogram_of(*pixels, progress); });
///   if (auto done = slot.take()) show(*done);
template <typename Result>
class JobSlot {
 public:
  using Work = std::function<Result(const Progress&)>;

  explicit JobSlot(std::function<void()> changed) : changed_(std::move(changed)) {}
  ~JobSlot() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = stop_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  JobSlot(const JobSlot&) = delete;
  JobSlot& operator=(const JobSlot&) = delete;

  void start(Work work) {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(work);
    stop_ = true;  // the running one; lowered again when the next begins
    result_.reset();
    error_.clear();
    if (!thread_.joinable()) thread_ = start_thread([this] { loop(); });
    if (!thread_.joinable()) {
      waiting_ = nullptr;
      error_ = "the system gives no thread for this; close other programs, or raise the limit of processes";
    }
    wake_.notify_one();
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    waiting_ = nullptr;
    result_.reset();
    stop_ = true;
  }
  [[nodiscard]] bool busy() const {
    const std::lock_guard lock(mutex_);
    return waiting_ != nullptr || running_;
  }
  /// start() would throw nothing away: no work, and no result that take() has not brought yet.
  [[nodiscard]] bool free() const {
    const std::lock_guard lock(mutex_);
    return waiting_ == nullptr && !running_ && !result_;
  }
  [[nodiscard]] double fraction() const { return fraction_.load(std::memory_order_relaxed); }
  /// The newest result, once.
  [[nodiscard]] std::optional<Result> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }
  /// Message of the newest job where it failed; empty else. Cancelled jobs leave none.
  [[nodiscard]] std::string error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return quit_ || waiting_ != nullptr; });
      if (quit_) return;
      const Work work = std::exchange(waiting_, nullptr);
      running_ = true;
      stop_ = false;
      lock.unlock();
      run(work);
      lock.lock();
      running_ = false;
      lock.unlock();
      changed_();
      lock.lock();
    }
  }

  void run(const Work& work) {
    fraction_ = 0;
    const Progress progress(
        [this](const std::string&, double fraction) {
          if (fraction - fraction_.exchange(fraction) > 0.005) changed_();
        },
        &stop_);
    std::optional<Result> made;
    std::string error;
    try {
      made = work(progress);
    } catch (const Cancelled&) {
      return;
    } catch (const std::bad_alloc&) {
      error = "not enough memory for this";
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    const std::lock_guard lock(mutex_);
    if (waiting_ != nullptr || stop_) return;  // stopped at its last step: nobody wants it
    result_ = std::move(made);
    error_ = std::move(error);
  }

  std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Work waiting_;
  bool running_ = false, quit_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<double> fraction_{0};
  std::optional<Result> result_;
  std::string error_;
  std::thread thread_;
};

}  // namespace reber::gui
