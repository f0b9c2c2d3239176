// SPDX-License-Identifier: BSD-3-Clause
// Who computes the images of a batch: lanes of this process, each with a backend of its own, or of worker processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/batch_progress.hpp"
#include "app/batch/run_image.hpp"
#include "app/batch/worker_process.hpp"
#include "app/options/spread.hpp"

namespace reber::app {

class ImageRunners {
 public:
  /// to_do: places in `images`. Makes backends or processes, and none where there is nothing to do.
  ///   throws InputError, DeviceError
  ImageRunners(const RunSettings& settings, Terminal& terminal, const std::vector<BatchImage>& images,
               const std::vector<std::int64_t>& to_do);

  enum class Begin { yes, no, later };
  /// Whether this process does an image now, does not, or asks again: another one is at it.
  using MayBegin = std::function<Begin(std::int64_t index)>;
  using Take = std::function<void(std::int64_t index, ImageDone done)>;
  /// Runs all; `take` is called from any lane as each image ends, `may_begin` before it.   throws Cancelled,
  /// and what these throw
  void run(BatchProgress& progress, const MayBegin& may_begin, const Take& take);

 private:
  const RunSettings& settings_;
  Terminal& terminal_;
  const std::vector<BatchImage>& images_;
  const std::vector<std::int64_t>& to_do_;
  Spread spread_;
  [[nodiscard]] std::uintmax_t bytes_to_do() const;
  /// Of a card that so many threads serve.
  [[nodiscard]] int lanes_of(int threads) const;
  void make_lanes();
  void make_workers();

  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  using RunImage = std::function<ImageDone(const BatchImage& image, const Progress& progress, const LogSink& log)>;
  std::vector<RunImage> lanes_;
};

}  // namespace reber::app
