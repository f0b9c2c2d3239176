// SPDX-License-Identifier: BSD-3-Clause
// What the planes of a cube are: channel, frequency, velocity, Stokes parameter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/image_header.hpp"
#include "core/sky/model/spectral.hpp"

namespace reber::gui {

/// The axes of a cube that are not x and y, whatever their order in the file. Immutable; readable from any thread.
class CubeAxes {
 public:
  enum class Kind { spectral, stokes, other };
  struct Axis {
    Kind kind = Kind::other;
    int number = 0;  ///< of the image's axes, from 0
    std::string name;
    std::int64_t count = 1, stride = 1;  ///< plane = sum of place x stride
    std::vector<std::string> words;      ///< of a Stokes axis, by place
  };

  /// Null for an image of one plane. The cube that `before` describes is not read again.
  [[nodiscard]] static std::shared_ptr<const CubeAxes> of(const ImageHeader& header,
                                                          const std::shared_ptr<const CubeAxes>& before);

  /// Those of more than one pixel: the one that is played first (the spectral axis where it is one of them), then
  /// Stokes.
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] const Axis& played() const { return axes_.front(); }
  [[nodiscard]] bool has_spectrum() const { return played().kind == Kind::spectral; }

  [[nodiscard]] static std::int64_t place(const Axis& axis, std::int64_t plane) {
    return plane / axis.stride % axis.count;
  }
  /// The plane at another place of one axis.
  [[nodiscard]] static std::int64_t moved(const Axis& axis, std::int64_t plane, std::int64_t place) {
    return plane + (place - CubeAxes::place(axis, plane)) * axis.stride;
  }
  /// Along the played axis, on from its other end.
  [[nodiscard]] std::int64_t stepped(std::int64_t plane, std::int64_t step) const;
  /// All planes along the played axis through that one, in order.
  [[nodiscard]] std::vector<std::int64_t> along(std::int64_t plane) const;

  /// NaN where it is unknown. Velocities: SpectralAxis::velocity
  [[nodiscard]] double frequency_hz(std::int64_t plane) const;
  [[nodiscard]] double velocity_kms(std::int64_t plane) const;
  /// "I", "Q" ...: of a Stokes axis of any length; empty without one.
  [[nodiscard]] std::string stokes(std::int64_t plane) const;
  /// The planes of Stokes Q and U at that plane's other coordinates; empty where the cube lacks one of them.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> q_and_u(std::int64_t plane) const;

  /// "-12.50 km/s", with the digits that tell channels apart; the frequency where there is no velocity, empty without
  /// both.
  [[nodiscard]] std::string coordinate_text(std::int64_t plane) const;
  /// "1.420406 GHz", or empty.
  [[nodiscard]] std::string frequency_text(std::int64_t plane) const;
  /// "LSRK, radio velocity, rest 1.420406 GHz": what the coordinates are; empty without a spectral axis.
  [[nodiscard]] const std::string& convention() const { return convention_; }
  [[nodiscard]] const std::string& frame() const { return frame_; }  ///< "LSRK"; empty where the header says none

 private:
  explicit CubeAxes(const ImageHeader& header);
  void describe();
  [[nodiscard]] std::vector<double> pixel_of(std::int64_t plane) const;

  std::vector<std::string> cards_;
  std::vector<std::int64_t> all_;  ///< lengths of the image's axes
  int x_axis_ = 0, y_axis_ = 1;
  std::vector<Axis> axes_;
  SpectralAxis spectral_;
  Axis stokes_;  ///< of any length; no words where there is none
  std::string frame_, convention_;
  double velocity_step_ = 0, frequency_step_ = 0;  ///< from channel to channel
};

}  // namespace reber::gui
