// SPDX-License-Identifier: BSD-3-Clause
// What callers ask of a result.
#include "core/run/pipeline/result.hpp"

namespace reber {

std::vector<std::shared_ptr<const StageRecord>> Outcomes::records() const {
  std::vector<std::shared_ptr<const StageRecord>> all;
  each(*this, [&](const auto& slot) {
    if (slot) all.push_back(slot);
  });
  return all;
}

std::shared_ptr<const Plane> Result::plane() const {
  if (!outcomes.convolved) return nullptr;
  return outcomes.convolved->value.plane;
}

std::optional<Beam> Result::beam() const {
  return outcomes.convolved ? outcomes.convolved->value.beam : outcomes.planned->value.beam;
}

BeamField Result::beams() const {
  const BeamField& map = outcomes.planned->value.beams;
  return map.varies() ? map : map.with(beam());
}

const BackgroundModel* Result::background() const {
  return outcomes.background ? &outcomes.background->value : nullptr;
}

std::shared_ptr<const IslandMap> Result::islands() const {
  return outcomes.positive.detected ? outcomes.positive.detected->value.islands : nullptr;
}

const std::vector<Source>& Result::sources() const {
  static const std::vector<Source> kNone;
  return outcomes.judged ? outcomes.judged->value : kNone;
}

}  // namespace reber
