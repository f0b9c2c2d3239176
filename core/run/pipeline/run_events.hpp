// SPDX-License-Identifier: BSD-3-Clause
// What a run tells its caller while it works.
#pragma once

#include <functional>
#include <utility>

#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/run/pipeline/report.hpp"
#include "core/run/request/stage_id.hpp"

namespace reber {

/// Any of these may be empty. All but `progress` are called on the thread that runs; none may run the same pipeline.
struct RunEvents {
  Progress progress;                              ///< how far an operation is, and the wish to stop; from any thread
  std::function<void(StageId, Sign)> began;       ///< a stage runs now; a kept one is not told
  std::function<void(const StageReport&)> ended;  ///< with what it cost; stages without a row in reports are not told
  std::function<void()> idle;                     ///< between stages: the backend is free for the caller's own work
  CommitGroup* outputs = nullptr;  ///< takes the files that are written; the caller commits it. Null: each run commits
  LogSink log;                     ///< text for people: warnings and names of stages
  /// A wish, upon which no value depends: the caller asks for rows of the convolved plane once and in order, and for
  /// nothing else of it. They may then be made when they are asked for.
  bool rows_once = false;
};

/// Events of a caller that has a Progress and a log.
[[nodiscard]] inline RunEvents events_of(const Progress& progress, LogSink log = {}) {
  RunEvents events;
  events.progress = progress;
  events.log = std::move(log);
  return events;
}

}  // namespace reber
