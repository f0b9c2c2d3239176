// SPDX-License-Identifier: BSD-3-Clause
// Mean and standard deviation of exact integer sums: whoever has the sums, however they were gathered, gets the same
// bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/shared/host_device.hpp"

namespace reber::rules {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// Zero bits above the highest one of a number that is not 0.
REBER_HD int zeros_above(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(bits));
#else
  return std::countl_zero(bits);
#endif
}

/// Two's complement integer of Limbs x 64 bits, lowest limb first. Callers know that nothing overflows.
template <int Limbs>
struct WideInt {
  std::uint64_t limb[Limbs] = {};
};

template <int Limbs>
REBER_HD bool is_negative(const WideInt<Limbs>& a) {
  return (a.limb[Limbs - 1] >> 63) != 0;
}

template <int Limbs>
REBER_HD WideInt<Limbs> negated(const WideInt<Limbs>& a) {
  WideInt<Limbs> result;
  std::uint64_t carry = 1;
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i) {
    result.limb[i] = ~a.limb[i] + carry;
    carry = carry != 0 && result.limb[i] == 0 ? 1 : 0;
  }
  return result;
}

template <int Limbs>
REBER_HD void add(WideInt<Limbs>& a, const WideInt<Limbs>& b) {
  std::uint64_t carry = 0;
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i) {
    const Uint128 sum = static_cast<Uint128>(a.limb[i]) + b.limb[i] + carry;
    a.limb[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

/// value x 2^shift, shift >= 0. Limbs are picked, not indexed, here and below: a card then keeps them in registers.
template <int Limbs>
REBER_HD WideInt<Limbs> shifted(Uint128 value, int shift) {
  WideInt<Limbs> result;
  const std::uint64_t low = static_cast<std::uint64_t>(value), high = static_cast<std::uint64_t>(value >> 64);
  const int whole = shift / 64, part = shift % 64;
  const std::uint64_t first = low << part, second = part == 0 ? high : high << part | low >> (64 - part),
                      third = part == 0 ? 0 : high >> (64 - part);
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i)
    result.limb[i] = i == whole ? first : (i == whole + 1 ? second : (i == whole + 2 ? third : 0));
  return result;
}

/// a x n for a >= 0.
template <int Limbs>
REBER_HD WideInt<Limbs> times(const WideInt<Limbs>& a, std::uint64_t n) {
  WideInt<Limbs> result;
  std::uint64_t carry = 0;
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i) {
    const Uint128 product = static_cast<Uint128>(a.limb[i]) * n + carry;
    result.limb[i] = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
  return result;
}

/// a^2 for a >= 0.
template <int Limbs>
REBER_HD WideInt<Limbs> squared(const WideInt<Limbs>& a) {
  WideInt<Limbs> result;
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i) {
    std::uint64_t carry = 0;
    REBER_UNROLL
    for (int j = 0; i + j < Limbs; ++j) {
      const Uint128 sum = static_cast<Uint128>(a.limb[i]) * a.limb[j] + result.limb[i + j] + carry;
      result.limb[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }
  return result;
}

/// a x 2^exponent for a >= 0, rounded once to the nearest double (ties to even).
template <int Limbs>
REBER_HD double rounded(const WideInt<Limbs>& a, int exponent) {
  std::uint64_t highest = 0, next = 0, others = 0;
  int top = 0;
  REBER_UNROLL
  for (int i = Limbs - 1; i >= 0; --i) {
    if (highest == 0) {
      highest = a.limb[i];
      top = i;
    } else if (i == top - 1) {
      next = a.limb[i];
    } else {
      others |= a.limb[i];
    }
  }
  if (highest == 0) return 0;
  const int lead = zeros_above(highest);
  const std::uint64_t bits = lead > 0 ? highest << lead | next >> (64 - lead) : highest;
  const bool rest = (next << lead | others) != 0;
  // 64 bits are 11 more than a double keeps: the lowest stands for all that follows.
  return std::ldexp(static_cast<double>(bits | (rest ? 1u : 0u)), exponent + 64 * top - lead);
}

/// The same number in more limbs, of a >= 0.
template <int More, int Limbs>
REBER_HD WideInt<More> widened(const WideInt<Limbs>& a) {
  WideInt<More> result;
  REBER_UNROLL
  for (int i = 0; i < Limbs; ++i) result.limb[i] = a.limb[i];
  return result;
}

struct MeanStd {
  double mean, std;
};

/// Of n > 0 values: sum is theirs in units of 2^unit, squares that of their squares in units of 4^unit.
///   mean = sum / n, std = sqrt(n squares - sum^2) / n; both numerators are exact before they are rounded
template <int SumLimbs, int Limbs>
REBER_HD MeanStd mean_and_std(std::uint64_t n, const WideInt<SumLimbs>& sum, const WideInt<Limbs>& squares, int unit) {
  const bool below_zero = is_negative(sum);
  const WideInt<SumLimbs> size = below_zero ? negated(sum) : sum;
  const auto count = static_cast<double>(n);
  const double mean = rounded(size, unit) / count;
  WideInt<Limbs> spread = times(squares, n);
  add(spread, negated(squared(widened<Limbs>(size))));
  // Below 0 only where the sums were estimated.
  const double variance = is_negative(spread) ? 0.0 : rounded(spread, 2 * unit) / (count * count);
  return {below_zero ? -mean : mean, std::sqrt(variance)};
}

/// The same of 128 bits.
REBER_HD double rounded(Uint128 a, int exponent) {
  const auto high = static_cast<std::uint64_t>(a >> 64), low = static_cast<std::uint64_t>(a);
  if (high == 0) return std::ldexp(static_cast<double>(low), exponent);
  const int lead = zeros_above(high);
  const Uint128 bits = a << lead;
  const std::uint64_t rest = static_cast<std::uint64_t>(bits) != 0 ? 1 : 0;
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(bits >> 64) | rest), exponent + 64 - lead);
}

/// The mean and std of values less a pivot, where 128 bits hold n squares and sum^2: sum, squares and the pivot in
/// units of 2^unit and its square.
REBER_HD MeanStd mean_and_std_about(Int128 pivot, std::uint64_t n, Int128 sum, Uint128 squares, int unit) {
  const Int128 whole = sum + pivot * static_cast<Int128>(n);
  const auto count = static_cast<double>(n);
  const double mean = rounded(static_cast<Uint128>(whole < 0 ? -whole : whole), unit) / count;
  const Uint128 spread = squares * n - static_cast<Uint128>(sum * sum);
  return {whole < 0 ? -mean : mean, std::sqrt(rounded(spread, 2 * unit) / (count * count))};
}

}  // namespace reber::rules
