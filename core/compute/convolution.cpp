// SPDX-License-Identifier: BSD-3-Clause
// Names of the choices that a convolution has.
#include "core/compute/convolution.hpp"

namespace reber {

std::string_view to_string(Boundary boundary) {
  switch (boundary) {
    case Boundary::zero:
      return "zero";
    case Boundary::reflect:
      return "reflect";
    case Boundary::mirror:
      return "mirror";
    case Boundary::nearest:
      return "nearest";
    case Boundary::wrap:
      return "wrap";
    case Boundary::blank:
      return "blank";
  }
  return "?";
}

std::string_view to_string(NanRule rule) {
  switch (rule) {
    case NanRule::interpolate:
      return "interpolate";
    case NanRule::fill:
      return "fill";
    case NanRule::propagate:
      return "propagate";
  }
  return "?";
}

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::direct:
      return "direct";
    case Algorithm::separable:
      return "separable";
    case Algorithm::fft:
      return "fft";
  }
  return "?";
}

}  // namespace reber
