// SPDX-License-Identifier: BSD-3-Clause
// The parameters of each stage, compared.
#include "core/pipeline/stage_key.hpp"

#include <atomic>

namespace reber {

bool same_parameters(StageId stage, const Request& a, const Request& b) {
  switch (stage) {
    case StageId::open:
      return a.input == b.input && a.open == b.open;
    case StageId::read:
      return a.device_memory_bytes == b.device_memory_bytes;
    case StageId::convolve:  // the beam takes part in the kernel, in the size of the mesh's cells and in the fluxes
      return a.convolve == b.convolve && a.beam == b.beam;
    case StageId::background:
      return a.background == b.background;
    case StageId::detect:
      return a.detect == b.detect && a.scales == b.scales && a.fdr == b.fdr;
    case StageId::measure:
      return a.deblend == b.deblend;
    case StageId::fit:
      return a.fit == b.fit;
    case StageId::judge:
      return a.calibration == b.calibration && a.negative_too == b.negative_too && a.reliability == b.reliability;
    case StageId::write:
      break;
  }
  return false;
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
