// SPDX-License-Identifier: BSD-3-Clause
// A thread per member; failed cards hand over.
#include "kernels/banded/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/threads.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber::banded {
namespace {

/// What one member made of its tasks.
struct Done {
  OpCounters cost;
  std::vector<Members::Task> left;
  std::optional<CardError> failure;
  std::exception_ptr thrown;
};

void work_off(Backend& by, const std::vector<Members::Task>& tasks, const Job& job, Done& done) noexcept {
  const Job own(job.progress(), &done.cost);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    try {
      tasks[k].piece(by, own);
    } catch (const CardError& failure) {
      done.failure = failure;
      done.left.assign(tasks.begin() + static_cast<std::ptrdiff_t>(k), tasks.end());
      return;
    } catch (...) {
      done.thrown = std::current_exception();
      return;
    }
  }
}

}  // namespace

Members::Members(std::vector<std::unique_ptr<Backend>> backends, std::vector<Ability> abilities, LogSink log)
    : backends_(std::move(backends)),
      abilities_(std::move(abilities)),
      shares_(shares_of(abilities_, 0)),
      owner_(backends_.size()),
      lost_(backends_.size(), false),
      log_(std::move(log)) {
  std::iota(owner_.begin(), owner_.end(), std::size_t{0});
}

Members::Members(std::unique_ptr<Backend> own, std::shared_ptr<Exchange> others, LogSink log)
    : abilities_(static_cast<std::size_t>(others->count())),
      shares_(shares_of(abilities_, 0)),
      owner_(abilities_.size(), 0),
      lost_(1, false),
      others_(std::move(others)),
      log_(std::move(log)) {
  backends_.push_back(std::move(own));
}

void Members::share(const std::vector<Task>& tasks, const Pack& pack, const Unpack& unpack, const Job& job) {
  if (!others_) return run(tasks, job);
  std::vector<Task> own;
  for (const Task& task : tasks)
    if (is_own(task.part)) own.push_back(task);
  run(own, job);
  Packed packed;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    if (is_own(tasks[k].part)) pack(k, packed);
  const std::vector<std::string> all = others_->gather(packed.take(), job.progress());
  for (std::size_t who = 0; who < all.size(); ++who) {
    if (is_own(who)) continue;
    Unpacked unpacked(all[who]);
    for (std::size_t k = 0; k < tasks.size(); ++k)
      if (tasks[k].part % count() == who) unpack(k, unpacked);
  }
}

void Members::run(const std::vector<Task>& tasks, const Job& job) {
  std::vector<Task> left = run_once(tasks, job);
  while (!left.empty()) left = run_once(left, job);
}

std::vector<Members::Task> Members::run_once(const std::vector<Task>& tasks, const Job& job) {
  std::vector<std::vector<Task>> of_member(backends_.size());
  for (const Task& task : tasks) of_member[owner_[task.part % count()]].push_back(task);
  std::vector<Done> done(backends_.size());
  std::vector<std::thread> threads;
  std::optional<std::size_t> here;  // the last one works on this thread
  for (std::size_t m = 0; m < backends_.size(); ++m) {
    if (of_member[m].empty()) continue;
    if (here) {
      const auto work = [&, m = *here] { work_off(*backends_[m], of_member[m], job, done[m]); };
      threads.push_back(start_thread(work));
      if (!threads.back().joinable()) work();
    }
    here = m;
  }
  if (here) work_off(*backends_[*here], of_member[*here], job, done[*here]);
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
  std::vector<Task> left;
  for (std::size_t m = 0; m < backends_.size(); ++m) {
    job.count(done[m].cost);
    if (done[m].thrown) std::rethrow_exception(done[m].thrown);
  }
  for (std::size_t m = 0; m < backends_.size(); ++m) {
    if (!done[m].failure) continue;
    // A card that lacks memory would lack it for the others' parts as well.
    const bool last = std::ranges::count(lost_, false) < 2;
    if (last || done[m].failure->kind == CardError::Kind::memory) throw CardError(*done[m].failure);
    lose(m, done[m].failure->what());
    left.insert(left.end(), done[m].left.begin(), done[m].left.end());
  }
  return left;
}

void Members::lose(std::size_t member, const std::string& why) {
  lost_[member] = true;
  std::size_t next = member;
  for (std::size_t& owner : owner_) {
    if (owner != member) continue;
    do next = (next + 1) % backends_.size();
    while (lost_[next]);
    owner = next;
  }
  log_.warning(fmt::format("a card failed, and the others do its part: {}", why));
}

}  // namespace reber::banded
