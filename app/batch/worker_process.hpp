// SPDX-License-Identifier: BSD-3-Clause
// Worker processes of a batch: this program again, started before any card is touched, given files over sockets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/batch/run_image.hpp"

namespace reber::app {

/// What a worker is told on its command line (--serve, hidden).
struct WorkerTask {
  int lanes = 1;
  int device = 0;
  int threads = 0;

  [[nodiscard]] std::string text() const;
  /// throws InputError
  [[nodiscard]] static WorkerTask parse(const std::string& text);
};

/// One process that works for `lanes` lanes of this one. Replaced where it dies, or where a card fails it: the image is
/// then tried once more. Ends with this process.
class WorkerProcess {
 public:
  explicit WorkerProcess(const WorkerTask& task);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// From several threads, each with a lane of its own; waits.   throws DeviceError where the process does not start;
  /// Cancelled, once the process has ended
  [[nodiscard]] ImageDone run(int lane, const BatchImage& image, const Progress& progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The worker's side: serves until its parent closes the sockets or dies.   returns the exit code
int serve(RunSettings settings, const WorkerTask& task, Terminal& terminal);

/// Numbers of cards from "all" or "0,2". Asks another process, so that no card is touched by this one.
///   throws InputError, DeviceError where there is none
[[nodiscard]] std::vector<int> parse_devices(const std::string& text);

}  // namespace reber::app
