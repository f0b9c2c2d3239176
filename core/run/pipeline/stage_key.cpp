// SPDX-License-Identifier: BSD-3-Clause
// The parameters of each stage, compared.
#include "core/run/pipeline/stage_key.hpp"

#include <atomic>

#include "core/run/request/parameters.hpp"

namespace reber {

namespace {

/// What belongs to a stage and has no row in the table: the image, the memory, the beam, which stages are on.
bool same_setting(StageId stage, const Request& a, const Request& b) {
  switch (stage) {
    case StageId::open:
      return a.input == b.input && a.open == b.open;
    case StageId::read:
      return a.device_memory_bytes == b.device_memory_bytes && a.host_memory_bytes == b.host_memory_bytes;
    case StageId::convolve:  // the beam takes part in the kernel, in the size of the mesh's cells and in the fluxes;
                             // where there is none, sources need an estimate of it
      return a.convolve.has_value() == b.convolve.has_value() && a.beam == b.beam &&
             a.detect.has_value() == b.detect.has_value();
    case StageId::background:
      return a.background.has_value() == b.background.has_value();
    case StageId::detect:
      return a.detect.has_value() == b.detect.has_value();
    default:
      return stage != StageId::write;
  }
}

}  // namespace

bool same_parameters(StageId stage, const Request& a, const Request& b) {
  return same_setting(stage, a, b) && same_values(stage, a, b, parameters());
}

std::optional<StageId> first_changed(const Request& a, const Request& b) {
  for (const auto& [stage, word] : kStageWords)
    if (stage != StageId::write && !same_parameters(stage, a, b)) return stage;
  return std::nullopt;
}

bool operator==(const Key& a, const Key& b) {
  return a.stage == b.stage && a.sign == b.sign && a.from == b.from &&
         same_parameters(a.stage, *a.parameters, *b.parameters);
}

OutcomeId next_outcome_id() {
  static std::atomic<OutcomeId> last{0};
  return ++last;
}

}  // namespace reber
