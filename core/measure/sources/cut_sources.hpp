// SPDX-License-Identifier: BSD-3-Clause
// Sources whose pixels are missing on one side: which they are, where their fits begin, which rows are one source.
#pragma once

#include <span>
#include <vector>

#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/source.hpp"

namespace reber {

/// Says of each source whether it is cut: its rectangle reaches the image's end, or holds a pixel of its island that is
/// beside a blank one.   islands: as labelled; may be empty where all pixels are known
void mark_cut(std::span<SourceRow> rows, const LabelRuns& islands, const KnownPixels& known);

/// Start and bounds of a candidate that is cut. Where a missing pixel lies within half a FWHM of its brightest one, its
/// shape is the beam's to begin with, and its centre the one that the logarithms of its pixels give: it may lie a FWHM
/// beyond the pixels. Others stay as they are.
void start_of_cut(const FitPixels& pixels, const Covariance& beam, const KnownPixels& known, Candidate& one);

/// Of candidates that are one source to which missing pixels gave two peaks, the brightest stays.
void merge_cut(const Covariance& beam, std::vector<Candidate>& candidates);

/// Takes out the entries that stand for another part of a cut source that an entry's fit already describes: islands and
/// peaks on the other side of missing pixels; wings there of a fit with a shape of its own, which leaves no peak of
/// `seed` rms of them, where they have no such fit themselves.
void leave_out_repeated(const Covariance& beam, double seed, std::vector<SourceRow>& rows);

}  // namespace reber
