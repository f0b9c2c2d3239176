// SPDX-License-Identifier: BSD-3-Clause
// What a convolution is asked to do, which algorithms can do it, and at what cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shape.hpp"
#include "core/base/words.hpp"
#include "core/sky/model/kernel.hpp"

namespace reber {

/// What stands outside the image. For abcd: zero 0|abcd|0, reflect dcba|abcd|dcba, mirror dcb|abcd|cba,
/// nearest aaaa|abcd|dddd, wrap abcd|abcd|abcd; blank: outside counts as blank pixels.
enum class Boundary { zero, reflect, mirror, nearest, wrap, blank };
template <>
inline constexpr auto words<Boundary> = std::to_array<Word<Boundary>>({{"zero", Boundary::zero, "zero"},
                                                                       {"reflect", Boundary::reflect, "reflect"},
                                                                       {"mirror", Boundary::mirror, "mirror"},
                                                                       {"nearest", Boundary::nearest, "nearest"},
                                                                       {"wrap", Boundary::wrap, "wrap"},
                                                                       {"blank", Boundary::blank, "blank"}});

/// What a blank pixel does. interpolate: out = sum(w in) sum(all w) / sum(w of finite in); fill: counts as 0;
/// propagate: every output whose kernel footprint (rectangle) holds a blank one is blank.
enum class NanRule { interpolate, fill, propagate };
template <>
inline constexpr auto words<NanRule> = std::to_array<Word<NanRule>>({{"interpolate", NanRule::interpolate,
                                                                      "interpolate"},
                                                                     {"fill", NanRule::fill, "fill with 0"},
                                                                     {"propagate", NanRule::propagate, "propagate"}});

enum class Algorithm { direct, separable, fft };
template <>
inline constexpr auto words<Algorithm> = std::to_array<Word<Algorithm>>({{"direct", Algorithm::direct, "direct"},
                                                                         {"separable", Algorithm::separable,
                                                                          "separable"},
                                                                         {"fft", Algorithm::fft, "fft"}});

/// A convolution of one plane. docs/numerics.md#convolve holds the contract.
struct ConvolutionSpec {
  Kernel kernel;
  Boundary boundary = Boundary::zero;
  NanRule nan = NanRule::interpolate;
  /// With interpolate: blank where the weight of finite pixels is below this part of the whole kernel's weight.
  double min_weight = 0.5;
  /// Pixels blank in the input stay blank in the output.
  bool keep_blanks = false;
  /// Which variant of the algorithm is to do it, by its name in the backend's table. Empty: the cheapest.
  std::string variant{};
};

/// Whether direct convolution sums each row of the kernel by itself and then adds the rows' sums: above 225 weights.
/// The error then grows with rows plus columns, not with their product. Smaller kernels have one sum.
[[nodiscard]] constexpr bool sums_rows_apart(Shape kernel) { return kernel.count() > 225; }

/// What one variant of an algorithm would cost on one backend: a row of that backend's table.
struct VariantQuote {
  std::string name{};  ///< what ConvolutionSpec::variant calls it
  bool possible = false;
  std::string reason{};  ///< why not, or what the cost is made of
  double cost_ms = 0;    ///< predicted, for a plane without blanks
  std::int64_t workspace_bytes = 0;
};

/// What one algorithm would cost on one backend: the cost of the variant that would do it. Made without touching a
/// pixel.
struct ConvolutionQuote {
  Algorithm algorithm = Algorithm::direct;
  bool possible = false;
  std::string reason;  ///< why not, or what the cost is made of
  double cost_ms = 0;  ///< predicted, for a plane without blanks
  std::int64_t workspace_bytes = 0;
  std::string variant{};                 ///< that would do it
  std::vector<VariantQuote> variants{};  ///< each one's quote, in table order
};

/// A convolution made ready for one shape: weights uploaded, FFT plans made. Reused for each plane of that shape.
class ConvolutionPlan {
 public:
  virtual ~ConvolutionPlan() = default;
  [[nodiscard]] virtual Algorithm algorithm() const = 0;
  /// Name of the variant that convolves planes without blanks.
  [[nodiscard]] virtual std::string_view variant() const = 0;
  [[nodiscard]] virtual const ConvolutionSpec& spec() const = 0;
  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;  ///< tile sizes and the like, for the report
};

}  // namespace reber
