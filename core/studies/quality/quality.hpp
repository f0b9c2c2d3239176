// SPDX-License-Identifier: BSD-3-Clause
// The quality of an image: everything that a report says, as numbers and words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/run/request/request.hpp"
#include "core/studies/completeness.hpp"
#include "core/studies/quality/against.hpp"
#include "core/studies/quality/cards.hpp"
#include "core/studies/quality/counts.hpp"
#include "core/studies/quality/field.hpp"
#include "core/studies/quality/metrics.hpp"
#include "core/studies/quality/waves.hpp"

namespace reber {

struct QualityOptions {
  std::vector<AgainstInput> against;
  Levels levels;
  int threads = 0;  ///< 0: all that this process may use
};

/// Several HISTORY lines of one program or task.
struct HistoryStep {
  std::string title;
  std::vector<std::string> lines;
};

struct Quality {
  std::string input, object, unit;  ///< unit: of the image, without prefix
  std::string program;              ///< that made the report
  Levels used;
  std::vector<std::pair<std::string, std::string>> facts;  ///< of the image, in words
  std::vector<std::string> warnings;
  FieldNumbers field;
  StrongestWave wave;
  std::vector<Source> sources, negatives;
  double threshold = 0;  ///< of detection, sigma
  std::optional<CompletenessResult> completeness;
  std::string no_completeness;  ///< why there is none
  SourceCounts counts;
  std::vector<Comparison> against;
  std::vector<SourceCard> cards;
  std::vector<HistoryStep> made, searched;  ///< how the image came to be; how it was searched
  std::vector<Metric> metrics;

  [[nodiscard]] const Metric* find(std::string_view name, std::string_view of = "") const;
  [[nodiscard]] std::vector<const Metric*> with(Metric::Status status) const;
};

/// What a finished run, which looked for negative sources as well, says of its image.
///   completeness: of the same image and request; else why there is none
///   throws Cancelled, DeviceError
[[nodiscard]] Quality measure_quality(const Request& request, const Result& result,
                                      std::optional<CompletenessResult> completeness,
                                      const std::string& no_completeness, const QualityOptions& options,
                                      const Progress& progress);

/// The verdict in one sentence.
[[nodiscard]] std::string verdict_of(const Quality& quality);

}  // namespace reber
