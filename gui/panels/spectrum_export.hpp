// SPDX-License-Identifier: BSD-3-Clause
// The button of the spectrum that writes it: as a table, or as a plot.
#pragma once

#include <string>

#include "gui/panels/spectrum_plot.hpp"
#include "gui/ui/path_field.hpp"

namespace reber::gui {

class SpectrumExport {
 public:
  void draw(Context& context, const Document& document, const Spectrum& spectrum, const SpectrumCube& cube,
            const SpectralTicks& ticks);

 private:
  void write(Context& context, const Document& document, const Spectrum& spectrum, const SpectrumCube& cube,
             const SpectralTicks& ticks);

  std::string path_, error_;
  PathField field_;
  bool overwrite_ = false;
};

}  // namespace reber::gui
