// SPDX-License-Identifier: BSD-3-Clause
// Backends that are opened before anyone asks for them: a card takes some 0.3 s, which a first run need not wait for.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/seam/compute/backend.hpp"

namespace reber::gui {

/// Opens each backend ahead at most once, on a thread of its own, and hands it to the first who asks. All calls may
/// come from any thread.
class EarlyBackend {
 public:
  using Make = std::function<std::unique_ptr<Backend>(const std::string& name)>;

  /// make: called from several threads at a time. The destructor waits for what is being opened.
  explicit EarlyBackend(Make make) : make_(std::move(make)) {}

  /// Begins to open it and returns at once: true. Nothing happens where it was opened ahead or taken before: false. A
  /// failure is not told: whoever takes it meets it.
  bool open(const std::string& name);
  [[nodiscard]] bool opening() const;
  /// The one opened ahead, waited for where it is not ready yet; else, or where that failed, a new one.
  ///   throws what make throws
  [[nodiscard]] std::unique_ptr<Backend> take(const std::string& name);

 private:
  using Coming = std::future<std::unique_ptr<Backend>>;

  Make make_;
  mutable std::mutex mutex_;
  std::map<std::string, Coming> opened_;  ///< not valid once taken
};

}  // namespace reber::gui
