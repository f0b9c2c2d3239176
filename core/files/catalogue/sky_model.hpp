// SPDX-License-Identifier: BSD-3-Clause
// Sky models for calibration, made of a catalogue of Gaussians.
#pragma once

#include <string>

#include "core/base/words.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// What a patch of a sky model holds.
enum class Patches { none, source, gaussian, single };
template <>
inline constexpr auto words<Patches> = std::to_array<Word<Patches>>({{"source", Patches::source, "one per source"},
                                                                     {"gaussian", Patches::gaussian,
                                                                      "one per Gaussian"},
                                                                     {"single", Patches::single, "one for all"},
                                                                     {"none", Patches::none, "none"}});

/// Text of makesourcedb (BBS) as PyBDSF writes it: patches before their members, the brightest first; axes deconvolved,
/// FWHM in arcsec; POINT where they are 0. A row whose position, flux or axes are not known is left out.
///   catalogue: in the columns `gaul`, equatorial, J2000
///   throws InputError for positions in another frame
void write_sky_model(const Catalogue& catalogue, Patches patches, const std::string& path, const FileOptions& how);

}  // namespace reber
