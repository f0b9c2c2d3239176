// SPDX-License-Identifier: BSD-3-Clause
// Warnings of a run, kept for Python.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/base/log.hpp"

namespace reber::python {

/// Which the log's threads may give at once.
class Warnings {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(text);
  }
  [[nodiscard]] LogSink sink() {
    return LogSink([this](LogLevel level, const std::string& text) {
      if (level == LogLevel::warning) add(text);
    });
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace reber::python
