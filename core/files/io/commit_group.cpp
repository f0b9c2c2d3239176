// SPDX-License-Identifier: BSD-3-Clause
// One sync for many files: each on a thread of its own, since a disk serves several requests at a time.
#include "core/files/io/commit_group.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/base/trace.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber {
namespace {

struct Waiting {
  AtomicFile file;
  std::int64_t expected_bytes;
};

constexpr std::size_t kThreads = 8;

}  // namespace

struct CommitGroup::State {
  Durable durable;
  mutable std::mutex mutex;
  std::vector<Waiting> files;
  std::exception_ptr lacking;

  void name(std::vector<Waiting>& ready, const Progress& progress) const;
};

CommitGroup::CommitGroup(Durable durable) : state_(std::make_unique<State>()) { state_->durable = durable; }
CommitGroup::~CommitGroup() = default;

Durable CommitGroup::durable() const { return state_->durable; }

void CommitGroup::take(AtomicFile file, std::int64_t expected_bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->files.push_back({std::move(file), expected_bytes});
}

std::size_t CommitGroup::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->files.size();
}

void CommitGroup::lack(std::exception_ptr reason) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->lacking) state_->lacking = std::move(reason);
}

void CommitGroup::commit(const Progress& progress) {
  std::vector<Waiting> files;
  std::exception_ptr lacking;
  {
    const std::lock_guard lock(state_->mutex);
    files.swap(state_->files);
    std::swap(lacking, state_->lacking);
  }
  if (!files.empty()) state_->name(files, progress);
  if (lacking) std::rethrow_exception(lacking);
}

void CommitGroup::State::name(std::vector<Waiting>& ready, const Progress& progress) const {
  const trace::Span span("write", "commit");
  progress.check();
  const bool synced = durable != Durable::no;
  ThreadPool pool(synced ? static_cast<int>(std::min(ready.size(), kThreads)) : 1);
  pool.for_each(static_cast<std::int64_t>(ready.size()), [&](std::int64_t i) {
    const trace::Span sync("write", synced ? "sync a file" : "close a file");
    Waiting& each = ready[static_cast<std::size_t>(i)];
    each.file.finish(each.expected_bytes, synced, progress);
  });
  std::set<std::string> folders;
  for (Waiting& each : ready) folders.insert(each.file.appear());
  if (!synced) return;
  for (const std::string& folder : folders) sync_folder(folder);
}

}  // namespace reber
