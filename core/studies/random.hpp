// SPDX-License-Identifier: BSD-3-Clause
// Random numbers by counter: the n-th number of a stream does not depend on how many others were drawn.
#pragma once

#include <cstdint>

namespace reber {

/// What a number is for; each purpose is a stream of its own, so that adding sources leaves the noise as it was.
enum class RandomStream : std::uint64_t { noise = 0, points = 1, extended = 2, rings = 3, ridge = 4, injection = 5 };

/// Two numbers uniform in (0, 1), 53 bits each: Philox4x32-10 with key `seed` and counter (index, stream).
struct UniformPair {
  double first, second;
};
[[nodiscard]] UniformPair uniform_pair(std::uint64_t seed, RandomStream stream, std::uint64_t index);

/// Two independent standard normal numbers, by Box and Muller's transform of uniform_pair.
struct NormalPair {
  double first, second;
};
[[nodiscard]] NormalPair normal_pair(std::uint64_t seed, RandomStream stream, std::uint64_t index);

/// Draws uniform numbers of one stream in order.
class Uniforms {
 public:
  Uniforms(std::uint64_t seed, RandomStream stream) : seed_(seed), stream_(stream) {}

  double next();
  double between(double low, double high) { return low + (high - low) * next(); }

 private:
  std::uint64_t seed_;
  RandomStream stream_;
  std::uint64_t drawn_ = 0;
  UniformPair pair_{};
};

}  // namespace reber
