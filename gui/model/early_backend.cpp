// SPDX-License-Identifier: BSD-3-Clause
// One thread for each backend that is opened early.
#include "gui/model/early_backend.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/base/threads.hpp"

namespace reber::gui {

bool EarlyBackend::open(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = opened_.try_emplace(name);
  if (!is_new) return false;
  entry->second = run_beside([make = make_, name] { return make(name); });
  // Without a thread it is opened when it is taken.
  return entry->second.wait_for(std::chrono::seconds(0)) != std::future_status::deferred;
}

bool EarlyBackend::opening() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(opened_, [](const auto& entry) {
    return entry.second.valid() && entry.second.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  });
}

std::unique_ptr<Backend> EarlyBackend::take(const std::string& name) {
  Coming coming;
  {
    const std::lock_guard lock(mutex_);
    coming = std::exchange(opened_[name], Coming());
  }
  try {
    if (coming.valid()) return coming.get();
  } catch (const std::exception&) {
    // It may be well by now; if not, the same failure comes from below.
  }
  return make_(name);
}

}  // namespace reber::gui
