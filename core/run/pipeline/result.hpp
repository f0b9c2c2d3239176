// SPDX-License-Identifier: BSD-3-Clause
// What a run gives back: one outcome per stage, and the backend that their handles need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/pipeline/convolve_stage.hpp"
#include "core/run/pipeline/detect_stage.hpp"
#include "core/run/pipeline/fit_stage.hpp"
#include "core/run/pipeline/open_stage.hpp"
#include "core/run/pipeline/outcome.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

/// Outcomes of the stages that look for sources, of one image.
struct FoundSources {
  Shared<Detected> detected;
  Shared<std::vector<SourceRow>> measured;
  Shared<Fitted> fitted;
  /// By moments where nothing was fitted; `measured` must be there.
  [[nodiscard]] const std::vector<SourceRow>& rows() const { return fitted ? fitted->value.rows : measured->value; }
};

/// One outcome per stage; null where the request did not ask for the stage. Copies share the outcomes. Planes and
/// islands live as long as a Result or a pipeline holds them, and their backend with them.
struct Outcomes {
  Shared<Opened> opened;
  Shared<RunPlan> planned;
  Shared<std::shared_ptr<const Plane>> read;
  Shared<Convolved> convolved;
  Shared<BackgroundModel> background;
  FoundSources positive, negative;
  Shared<std::vector<Source>> judged;
  Shared<std::vector<std::string>> written;

  /// Calls visit(slot) with every slot, in the order of a run.
  template <typename Self, typename Visit>
  static void each(Self& self, Visit visit) {
    visit(self.opened), visit(self.planned), visit(self.read), visit(self.convolved), visit(self.background);
    for (auto* found : {&self.positive, &self.negative})
      visit(found->detected), visit(found->measured), visit(found->fitted);
    visit(self.judged), visit(self.written);
  }
  /// The outcomes that are there, in the order of a run.
  [[nodiscard]] std::vector<std::shared_ptr<const StageRecord>> records() const;
};

/// A finished run. Safe to keep after its pipeline; the pixels are read through `backend`, on its thread.
struct Result {
  std::shared_ptr<Backend> backend;  ///< first, so that it is destroyed last
  Outcomes outcomes;
  Report report;                        ///< all outcomes in one, kept ones with the time of the run that made them
  std::vector<std::string> history;     ///< how it was made, one line per fact: HISTORY of every file; empty: dry run
  std::vector<std::string> stages_run;  ///< names of the report's rows that this run made itself

  [[nodiscard]] const ImageHeader& header() const { return *outcomes.planned->value.header; }
  /// Convolved where asked for; null where nothing was read.
  [[nodiscard]] std::shared_ptr<const Plane> plane() const;
  [[nodiscard]] std::optional<Beam> beam() const;                  ///< of plane()
  [[nodiscard]] BeamField beams() const;                           ///< the same, or how it varies over plane()
  [[nodiscard]] const BackgroundModel* background() const;         ///< null where it was not measured
  [[nodiscard]] std::shared_ptr<const IslandMap> islands() const;  ///< of the image itself; null without detection
  [[nodiscard]] const std::vector<Source>& sources() const;        ///< empty without detection
};

}  // namespace reber
