// SPDX-License-Identifier: BSD-3-Clause
// Which sources of a catalogue a picture marks, and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/show/picture/ink.hpp"
#include "core/show/picture/sky_layout.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// Outlines of sources on the canvas.
struct SourceMarks {
  std::vector<DrawnEllipse> outlines;
  std::int64_t sources = 0;  ///< that lie in the picture; some may have no outline
  double thickness = 1;      ///< final pixels
  double alpha = 1;
  bool by_snr = false;  ///< the outlined ones have the highest S/N
};

/// Each source in the picture as an ellipse of the columns Maj, Min, PA and Xposn, Yposn, else RA, DEC: 1.6 times its
/// FWHM, or a small ring where that would hide it. Where sources crowd, rings and lines become smaller; where even the
/// smallest would cover more than a third of the picture, the highest of column SNR are outlined alone (the first,
/// without such a column).
///   throws Cancelled
[[nodiscard]] SourceMarks mark_sources(const SkyLayout& layout, const Catalogue& sources, const Wcs& wcs,
                                       const Progress& progress);

/// What a reader must know of them: "1200 of 22000 sources outlined: ..."; empty where all are.
[[nodiscard]] std::string note_of(const SourceMarks& marks);

}  // namespace reber
