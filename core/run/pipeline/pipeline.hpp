// SPDX-License-Identifier: BSD-3-Clause
// One image on one backend, from file to catalogue: what was made is kept, and only what a request changes runs again.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/run/pipeline/result.hpp"
#include "core/run/pipeline/run_events.hpp"

namespace reber {

/// Runs requests on one image. One thread at a time; pipelines of different backends may run side by side.
///   open - read - convolve - background - detect - measure - fit - judge - write
/// A stage whose Key is that of the outcome kept from before takes it whole: value, facts, warnings and time. Else what
/// depends on the old outcome is released before the stage runs, so that two planes of one stage are never held here.
class Pipeline {
 public:
  Pipeline(std::shared_ptr<Backend> backend, Input input);

  /// Opens, plans, reads, convolves, measures the background, detects, measures, fits, judges, writes: what the request
  /// asks for. request.input and request.open are those of the input (else InternalError).
  ///   throws InputError, DataError, DeviceError, Cancelled; files already written before stay, none is half-written;
  ///   stages that ended before are kept
  Result run(const Request& request, const RunEvents& events = {});

  /// Called with the request's index and its result.
  using Take = std::function<void(std::size_t, const Result&)>;
  /// The same requests, each with its own convolution, read once and convolved as many at a time as the device's memory
  /// holds (planes_at_once(), Backend::convolve()). Results are handed over group by group: planes that `take`
  /// does not keep are gone before the next group. Each has the pixels that run() gives, but where an image is streamed
  /// in bands: their height follows the largest kernel, which FFT convolution shows. All convolutions are resolved
  /// before a pixel is read.   requests: at least one
  ///   returns one report of all: the cost of a group's convolutions and files is told once
  ///   throws as run()
  Report run_each(std::span<const Request> requests, const Take& take, const RunEvents& events = {});

  [[nodiscard]] const std::shared_ptr<Backend>& backend() const { return backend_; }

 private:
  class Run;
  class RunEach;
  std::shared_ptr<Backend> backend_;
  Input input_;
  Outcomes kept_;
};

/// One run of one request.
[[nodiscard]] Result run_once(std::shared_ptr<Backend> backend, const Request& request, const RunEvents& events = {});

}  // namespace reber
