// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011) and the numbers made of it.
#include "core/studies/random.hpp"

#include <cmath>
#include <numbers>

#include "core/studies/simulation.hpp"

namespace reber {
namespace {

constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::uint32_t high_half(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
std::uint32_t low_half(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// Middle of one of 2^53 equal steps of (0, 1): never 0, never 1.
double uniform(std::uint32_t high, std::uint32_t low) {
  const double steps = static_cast<double>(high >> 5) * 67108864.0 + static_cast<double>(low >> 6);
  return (steps + 0.5) / 9007199254740992.0;
}

}  // namespace

Philox philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high) {
  std::uint32_t key0 = low_half(key);
  std::uint32_t key1 = high_half(key);
  Philox state{{low_half(counter_low), high_half(counter_low), low_half(counter_high), high_half(counter_high)}};
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * state.word[0];
    const std::uint64_t product1 = kMultiplier1 * state.word[2];
    state = {{high_half(product1) ^ state.word[1] ^ key0, low_half(product1),
              high_half(product0) ^ state.word[3] ^ key1, low_half(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return state;
}

UniformPair uniform_pair(std::uint64_t seed, RandomStream stream, std::uint64_t index) {
  const Philox bits = philox(seed, index, static_cast<std::uint64_t>(stream));
  return {uniform(bits.word[0], bits.word[1]), uniform(bits.word[2], bits.word[3])};
}

NormalPair normal_pair(std::uint64_t seed, RandomStream stream, std::uint64_t index) {
  const UniformPair pair = uniform_pair(seed, stream, index);
  const double radius = std::sqrt(-2 * std::log(pair.first));
  const double angle = 2 * std::numbers::pi * pair.second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

double Uniforms::next() {
  if (drawn_ % 2 == 0) pair_ = uniform_pair(seed_, stream_, drawn_ / 2);
  return drawn_++ % 2 == 0 ? pair_.first : pair_.second;
}

}  // namespace reber
