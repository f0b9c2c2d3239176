// SPDX-License-Identifier: BSD-3-Clause
// Places and coordinates of planes.
#include "gui/model/cube/cube_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/files/fits/pixel_sources.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/stokes.hpp"

namespace reber::gui {
namespace {

/// Digits behind the point by which values that are `step` apart differ in the last two.
int digits_for(double step) {
  return step > 0 ? std::clamp(static_cast<int>(std::ceil(1 - std::log10(step))), 0, 9) : 3;
}

/// Hz in the unit in which spectra are told.
std::pair<const char*, double> frequency_unit(double hz) {
  if (hz >= 1e9) return {"GHz", 1e-9};
  return {"MHz", 1e-6};
}

}  // namespace

std::shared_ptr<const CubeAxes> CubeAxes::of(const ImageHeader& header, const std::shared_ptr<const CubeAxes>& before) {
  if (header.planes < 2) return nullptr;
  if (before && before->all_ == header.axes && before->cards_ == header.cards) return before;
  return std::shared_ptr<const CubeAxes>(new CubeAxes(header));
}

CubeAxes::CubeAxes(const ImageHeader& header)
    : cards_(header.cards), all_(header.axes), x_axis_(header.x_axis), y_axis_(header.y_axis) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  const fits::CardTable cards(std::move(text));
  spectral_ = SpectralAxis(cards);
  frame_ = spectral_frame(cards, spectral_);
  std::int64_t stride = 1;
  for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
    if (i == x_axis_ || i == y_axis_) continue;
    Axis axis;
    axis.number = i;
    axis.count = all_[static_cast<std::size_t>(i)];
    axis.stride = stride;
    stride *= axis.count;
    axis.name = cards.string(fmt::format("CTYPE{}", i + 1)).value_or("");
    if (axis.name.empty()) axis.name = fmt::format("Axis {}", i + 1);
    if (i == spectral_.axis()) axis.kind = Kind::spectral;
    for (std::int64_t at = 0; axis.kind == Kind::other && at < axis.count; ++at) {
      std::string word = stokes_at(cards, i, at);
      if (word.empty()) break;
      axis.words.push_back(std::move(word));
    }
    if (!axis.words.empty()) {
      axis.kind = Kind::stokes;
      stokes_ = axis;
    }
    if (axis.count > 1) axes_.push_back(std::move(axis));
  }
  std::ranges::stable_sort(axes_, {}, &Axis::kind);
  describe();
}

void CubeAxes::describe() {
  if (spectral_.axis() < 0) return;
  if (!spectral_.why_not().empty()) {
    convention_ = "its spectral axis cannot be read: " + spectral_.why_not();
    return;
  }
  if (has_spectrum()) {
    const std::int64_t middle = played().stride * (played().count / 2), before = middle - played().stride;
    velocity_step_ = std::abs(velocity_kms(middle) - velocity_kms(before));
    frequency_step_ = std::abs(frequency_hz(middle) - frequency_hz(before));
  }
  const auto add = [this](const std::string& text) { convention_ += (convention_.empty() ? "" : ", ") + text; };
  if (!frame_.empty()) add(frame_);
  const double rest = spectral_.rest_hz();
  if (spectral_.of_velocity()) {
    const std::string& type = spectral_.type();
    add(type == "VRAD"                     ? "radio velocity"
        : type == "VOPT" || type == "ZOPT" ? "optical velocity"
                                           : "relativistic velocity");
  } else if (rest > 0) {
    add("radio velocity");
  }
  if (rest > 0) {
    const auto [unit, factor] = frequency_unit(rest);
    add(fmt::format("rest {:.7g} {}", rest * factor, unit));
  }
}

std::int64_t CubeAxes::stepped(std::int64_t plane, std::int64_t step) const {
  const Axis& axis = played();
  return moved(axis, plane, ((place(axis, plane) + step) % axis.count + axis.count) % axis.count);
}

std::vector<std::int64_t> CubeAxes::along(std::int64_t plane) const {
  std::vector<std::int64_t> planes;
  for (std::int64_t at = 0; at < played().count; ++at) planes.push_back(moved(played(), plane, at));
  return planes;
}

std::vector<double> CubeAxes::pixel_of(std::int64_t plane) const {
  const auto position = fits::plane_position(all_, x_axis_, y_axis_, plane);
  std::vector<double> pixel(position.begin(), position.end());
  for (double& p : pixel) ++p;
  return pixel;
}

double CubeAxes::frequency_hz(std::int64_t plane) const { return spectral_.frequency_hz(pixel_of(plane)); }

double CubeAxes::velocity_kms(std::int64_t plane) const { return 1e-3 * spectral_.velocity(pixel_of(plane)); }

std::string CubeAxes::stokes(std::int64_t plane) const {
  if (stokes_.words.empty()) return {};
  return stokes_.words[static_cast<std::size_t>(place(stokes_, plane))];
}

std::optional<std::pair<std::int64_t, std::int64_t>> CubeAxes::q_and_u(std::int64_t plane) const {
  const auto at = [&](const char* word) { return std::ranges::find(stokes_.words, word) - stokes_.words.begin(); };
  const auto q = at("Q"), u = at("U"), none = std::ssize(stokes_.words);
  if (q == none || u == none) return std::nullopt;
  return std::pair{moved(stokes_, plane, q), moved(stokes_, plane, u)};
}

std::string CubeAxes::coordinate_text(std::int64_t plane) const {
  const double velocity = velocity_kms(plane);
  if (std::isfinite(velocity)) return fmt::format("{:.{}f} km/s", velocity, digits_for(velocity_step_));
  return frequency_text(plane);
}

std::string CubeAxes::frequency_text(std::int64_t plane) const {
  const double frequency = frequency_hz(plane);
  if (!(frequency > 0)) return {};
  const auto [unit, factor] = frequency_unit(frequency);
  return fmt::format("{:.{}f} {}", frequency * factor, digits_for(frequency_step_ * factor), unit);
}

}  // namespace reber::gui
