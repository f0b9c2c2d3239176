// SPDX-License-Identifier: BSD-3-Clause
// How far a batch is: images a second and time left.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "app/terminal/terminal.hpp"

namespace reber::app {

/// Safe from several threads.
class BatchProgress {
 public:
  /// many: one bar for the batch; else the stages of the one image are shown. images: to do. shown: no bar where
  /// another process of the batch has one.
  BatchProgress(Terminal& terminal, bool many, std::size_t images, bool shown);

  /// For one image: stops on a signal, shows the batch's bar.
  [[nodiscard]] Progress of(const std::string& path);
  void ended();
  [[nodiscard]] double seconds() const;

 private:
  void show();

  Terminal& terminal_;
  bool many_, shown_;
  std::size_t images_;
  std::atomic<std::size_t> ended_{0};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace reber::app
