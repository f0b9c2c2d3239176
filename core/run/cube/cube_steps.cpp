// SPDX-License-Identifier: BSD-3-Clause
// Words become steps.
#include "core/run/cube/cube_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/continuum_step.hpp"
#include "core/run/cube/spectral_steps.hpp"
#include "core/run/cube/step_words.hpp"

namespace reber {
namespace {

/// Steps in groups: those of a later group come later.
int group_of(const std::string& word) {
  if (word == "smooth" || word == "regrid" || word == "feather") return 0;
  if (word == "spectral" || word == "contsub") return 1;
  if (word == "noise") return 2;
  if (word == "mask") return 3;
  return word == "moments" || word == "pv" ? 4 : -1;
}

std::vector<Moment> moments_of(const std::string& text) {
  std::vector<Moment> moments;
  for (const std::string& word : split_commas(text)) {
    const auto moment = find_word<Moment>(word);
    if (!moment)
      throw InputError(fmt::format("step 'moments:{}': '{}' is none of {}", printable(text), printable(word),
                                   all_words<Moment>(", ")));
    if (std::ranges::find(moments, *moment) == moments.end()) moments.push_back(*moment);
  }
  return moments;
}

double noise_of(const std::string& text) {
  const auto value = whole_number(text);
  if (!value || !(*value > 0))
    throw InputError(fmt::format("step 'noise:{}': expected a number above 0, in the cube's unit", printable(text)));
  return *value;
}

/// "strict", "strict=4,2,2,2", "broad=4,2,2,2@15,30".
void read_mask(const std::string& text, CubeSteps& out) {
  const std::size_t equals = text.find('='), at = text.find('@');
  const std::string kind = text.substr(0, std::min(equals, at));
  if (kind != "strict" && kind != "broad")
    throw InputError(fmt::format("step 'mask:{}': expected strict, strict=4,2,2,2 or broad=4,2,2,2@15,30 (arcsec)",
                                 printable(text)));
  out.mask = MaskRule{};
  if (equals != std::string::npos)
    out.mask = MaskRule::parse(text.substr(equals + 1, at == std::string::npos ? at : at - equals - 1));
  if ((kind == "broad") != (at != std::string::npos))
    throw InputError(
        fmt::format("step 'mask:{}': a broad mask is the union of strict ones at further resolutions, as in "
                    "broad=4,2,2,2@15,30 (FWHM in arcsec); a strict one has none",
                    printable(text)));
  if (kind == "strict") return;
  for (const std::string& word : split_commas(text.substr(at + 1))) {
    const auto fwhm = whole_number(word);
    if (!fwhm || !(*fwhm > 0) || !(*fwhm < 1e6))
      throw InputError(fmt::format("step 'mask:{}': '{}' is no FWHM in arcsec", printable(text), printable(word)));
    out.resolutions.push_back(*fwhm);
  }
}

}  // namespace

CubeSteps parse_cube_steps(const std::vector<std::string>& steps) {
  CubeSteps out;
  out.texts = steps;
  std::string before;
  std::vector<std::string> given;
  for (const std::string& text : steps) {
    const auto [word, rest] = split_step(text);
    const int group = group_of(word);
    if (group < 0)
      throw InputError(
          fmt::format("there is no step '{}': steps are smooth, regrid, feather, contsub, spectral, noise, "
                      "mask, moments, pv",
                      printable(word)));
    if (!before.empty() && group < group_of(before))
      throw InputError(
          fmt::format("step '{}' comes after '{}': the order is smooth, regrid and feather, contsub and spectral, "
                      "noise, mask, moments and pv",
                      printable(text), printable(before)));
    const bool again = std::ranges::any_of(given, [&](const std::string& other) { return other == word; });
    if (again && (word == "noise" || word == "mask" || word == "moments" || word == "smooth" || word == "regrid"))
      throw InputError(fmt::format("step '{}' is given twice", printable(word)));
    given.push_back(before = word);
    if (word == "spectral") out.spectra.push_back(spectral_step(rest));
    if (word == "contsub") out.spectra.push_back(continuum_step(rest));
    if (word == "noise") out.noise = noise_of(rest);
    if (word == "moments") out.moments = moments_of(rest);
    if (word == "mask") read_mask(rest, out);
    if (word == "pv") out.cuts.push_back(PvLine::parse(rest));
    if (group == 0) out.planes.push_back(text);
  }
  return out;
}

}  // namespace reber
