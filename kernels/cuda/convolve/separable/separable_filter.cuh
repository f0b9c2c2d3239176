// SPDX-License-Identifier: BSD-3-Clause
// The filters of the separable convolutions: 16 outputs of a thread, whose pixels slide through a window in registers.
#pragma once

namespace reber::cuda::separable {

constexpr int kOutputs = 16;                                ///< of a thread at a time
constexpr int kWindow = kOutputs + 4, kTurn = kWindow / 4;  ///< groups of taps after which the window is where it was

constexpr int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

__device__ __forceinline__ void multiply_add(float weight, float value, float& sum) { sum = fmaf(weight, value, sum); }
__device__ __forceinline__ void multiply_add(float weight, float2 value, float2& sum) {
  sum.x = fmaf(weight, value.x, sum.x);
  sum.y = fmaf(weight, value.y, sum.y);
}

/// Place in the window of pixel q of a group of taps, counted from the group's last tap for the first output. The
/// window turns: what stood at q for one group stands at q + 4 for the next, so that nothing is moved.
constexpr int place(int phase, int q) { return (q + kWindow - 4 * phase) % kWindow; }

template <int Phase, int Count, typename Value>
__device__ __forceinline__ void four_taps(const float (&taps)[Count], int at, int skip, const Value (&window)[kWindow],
                                          Value (&sums)[kOutputs]) {
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    if (t < skip) continue;
#pragma unroll
    for (int q = 0; q < kOutputs; ++q) multiply_add(taps[at + t], window[place(Phase, 3 + q - t)], sums[q]);
  }
}

/// Groups Phase and up of a turn, as many as there are up to Last.
template <int Phase, int Last, int Count, typename Value, typename Pixels>
__device__ __forceinline__ void turn(const float (&taps)[Count], int at, int groups, Pixels& pixels,
                                     Value (&window)[kWindow], Value (&sums)[kOutputs]) {
  if constexpr (Phase <= Last) {
    if (Last < kTurn - 1 && groups <= Phase) return;
    pixels.read4(&window[place(Phase, 0)]);
    four_taps<Phase>(taps, at + 4 * Phase, 0, window, sums);
    turn<Phase + 1, Last>(taps, at, groups, pixels, window, sums);
  }
}

/// Filters with groups of four taps, of which the first `front` are zeros. pixels.read4(to) reads the next group's four
/// pixels, pixels.above(k, to) those of k groups before the first.
template <int Count, typename Value, typename Pixels>
__device__ __forceinline__ void filter(const float (&taps)[Count], int groups, int front, Pixels pixels,
                                       Value (&sums)[kOutputs]) {
  Value window[kWindow];
  // The first group stands where the last of a turn does.
#pragma unroll
  for (int k = kOutputs / 4; k > 0; --k) pixels.above(k, &window[place(kTurn - 1, 4 * k)]);
  pixels.read4(&window[place(kTurn - 1, 0)]);
  four_taps<kTurn - 1>(taps, 0, front, window, sums);
  int at = 4;
#pragma unroll 1
  for (--groups; groups >= kTurn; groups -= kTurn, at += 4 * kTurn)
    turn<0, kTurn - 1>(taps, at, groups, pixels, window, sums);
  turn<0, kTurn - 2>(taps, at, groups, pixels, window, sums);
}

/// Pixels of a staged row, from right to left.
struct RowPixels {
  const float* at;

  static __device__ __forceinline__ void put(const float* from, float* to) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  }
  __device__ __forceinline__ void above(int k, float* to) const { put(at + 4 * k, to); }
  __device__ __forceinline__ void read4(float* to) {
    put(at, to);
    at -= 4;
  }
};

}  // namespace reber::cuda::separable
