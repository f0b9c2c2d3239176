// SPDX-License-Identifier: BSD-3-Clause
// Smoothing scales of the detection as text.
#include "core/run/request/scale_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.hpp"

namespace reber {

ScaleRequest parse_scales(const std::string& text) {
  ScaleRequest request;
  std::size_t beams = 0;
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string item = text.substr(at, end - at);
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    if (item.ends_with('b')) {
      ++beams;
      item.pop_back();
    }
    double fwhm = -1;
    const auto [rest, error] = std::from_chars(item.data(), item.data() + item.size(), fwhm);
    if (error != std::errc() || rest != item.data() + item.size() || !(fwhm >= 0 && fwhm <= kMostScale))
      throw InputError(
          fmt::format("--scales {}: '{}' is no FWHM between 0 and {}; give a list such as 0,3,6 (pixels) or "
                      "0b,1b,2b (beams)",
                      text, text.substr(at, end - at), kMostScale));
    request.fwhm.push_back(fwhm);
    at = end + 1;
  }
  if (beams != 0 && beams != request.fwhm.size())
    throw InputError(fmt::format("--scales {}: pixels and beams (b) cannot be mixed", text));
  request.in_beams = beams != 0;
  return request;
}

std::string scales_text(const ScaleRequest& scales) {
  std::string text;
  for (const double fwhm : scales.fwhm)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", fwhm, scales.in_beams ? "b" : "");
  return text;
}

}  // namespace reber
