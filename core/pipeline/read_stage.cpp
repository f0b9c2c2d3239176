// SPDX-License-Identifier: BSD-3-Clause
// One load, and what it says of blank pixels.
#include "core/pipeline/read_stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace reber {

std::shared_ptr<const Plane> run_read(const ReadInputs& in, const Request& request, StageWork& work) {
  const std::unique_ptr<PixelSource> own = in.opened.pixels ? nullptr : in.opened.file->pixels(work.job.progress());
  const PixelSource& pixels = own ? *own : *in.opened.pixels;
  std::shared_ptr<const Plane> plane = work.backend.load(pixels, in.tiling, work.job);
  const std::int64_t all = plane->shape().count();
  if (plane->infinite() > 0) work.warn(fmt::format("{} infinite pixels count as blank", plane->infinite()));
  if (const int bits = in.opened.header->bitpix; bits == -64 || bits >= 32) {
    const std::string text = fmt::format("stored in {} bits, computed in floats of 32: 7 digits", std::abs(bits));
    work.fact("precision", text);
    work.note("pixels " + text);
  }
  work.fact("blank pixels", fmt::format("{} of {}", plane->blank(), all));
  work.algorithm =
      fmt::format("{:.1f} MB of pixels", static_cast<double>(all * std::abs(in.opened.header->bitpix) / 8) * 1e-6);
  if (plane->blank() == all) work.warn(fmt::format("{}: no finite pixels", request.input));
  return plane;
}

}  // namespace reber
