// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution by five taps that stand `step` pixels apart (a-trous wavelets). A block marches up every
// step-th row of a strip: a row comes into a stage in shared memory, each thread filters four columns of it along x and
// adds the result to its outputs in the making, one for each tap along y, in registers; where pixels may be blank the
// weights of finite ones as well. So every row is read once along y whatever the step. Answers
// kernels/cpu/convolve/separable.cpp: taps ascending.
#include "kernels/cuda/convolve/separable/separable_spaced.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/convolve/march/staging.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/shared/spaced_taps.hpp"

namespace reber::cuda {
namespace {

constexpr int kTaps = rules::kSpacedTaps;
constexpr int kThreads = 256, kBlocks = 5, kBlocksWithBlanks = 4, kStages = 4;
constexpr int kColumns = 4, kStrip = kThreads * kColumns;
/// From this step on a strip is made of parts, `step` columns from one to the next, so that it needs two more parts on
/// each side and not 2 step columns.
constexpr int kPart = 128;

struct SpacedLayout {
  int step = 0;     ///< between taps in the image
  int apart = 0;    ///< the same in a stage
  int before = 0;   ///< stage columns left of the first output
  int strips = 0;   ///< across the image; some lie outside it where they are made of parts
  int classes = 0;  ///< rows y, y + step, ... are one
  int rows = 0;     ///< outputs of a march
  float column[kTaps] = {}, row[kTaps] = {};

  [[nodiscard]] __host__ __device__ int groups() const { return (kStrip + 2 * before) / 4; }
  [[nodiscard]] __host__ __device__ bool parts() const { return apart != step; }
};

/// Image column of stage column `at`, counted from the first output, of a strip.
__device__ __forceinline__ int column_of(const SpacedLayout& layout, int strip, int at) {
  if (!layout.parts()) return strip * kStrip + at;
  constexpr int kParts = kStrip / kPart;
  const int beside = layout.step / kPart, part = (at + 2 * kPart) / kPart - 2;
  return strip / beside * kParts * layout.step + strip % beside * kPart + part * layout.step + at - part * kPart;
}

/// Four columns of a stage that a thread fetches of each row.
struct Group {
  int x = 0, place = 0;
  bool wanted = false, inside = false;
};

__device__ __forceinline__ Group group_of(const ConvolveJob& job, const SpacedLayout& layout, int strip, int number) {
  Group group;
  group.wanted = number < layout.groups();
  group.place = 4 * number;
  group.x = column_of(layout, strip, group.place - layout.before);
  group.inside = group.x >= 0 && group.x + 4 <= static_cast<int>(job.in.nx);
  return group;
}

__device__ __forceinline__ void fetch(const ConvolveJob& job, const float* row, const Group& group, float* stage) {
  if (!group.wanted) return;
  float* to = stage + group.place;
  if (job.boundary == Boundary::blank && (row == nullptr || !group.inside)) {
#pragma unroll 1
    for (int q = 0; q < 4; ++q) to[q] = row_value(row, group.x + q, job.in.nx, job.boundary);
  } else if (group.inside) {
    copy16(to, row == nullptr ? job.in.pixels : row + group.x, row == nullptr ? 0 : 4);
  } else {
    copy_edge(job, row, group.x, to);
  }
}

/// Four columns: sums of pixels, blank ones as 0, and of the weights of finite ones.
template <bool Finite>
struct Sums {
  float pixels[kColumns] = {}, weights[Finite ? 1 : kColumns] = {};

  /// before + tap x what; before may be this one itself.
  __device__ __forceinline__ void add(const Sums& before, float tap, const Sums& what) {
#pragma unroll
    for (int q = 0; q < kColumns; ++q) {
      pixels[q] = fmaf(tap, what.pixels[q], before.pixels[q]);
      if constexpr (!Finite) weights[q] = fmaf(tap, what.weights[q], before.weights[q]);
    }
  }
};

template <bool Finite>
__device__ __forceinline__ Sums<Finite> cleaned(const float (&values)[kColumns]) {
  Sums<Finite> clean;
  bool blank_seen = false;
#pragma unroll
  for (int q = 0; q < kColumns; ++q) {
    clean.pixels[q] = Finite ? values[q] : convolved(values[q], false, blank_seen);
    if constexpr (!Finite) clean.weights[q] = convolved(values[q], true, blank_seen);
  }
  return clean;
}

/// Four neighbouring columns of a staged row, the first tap's pixels last. Two: the step is 2, no multiple of 4.
template <bool Two, bool Finite>
__device__ __forceinline__ Sums<Finite> filter_row(const float* at, int apart, const float (&taps)[kTaps]) {
  const auto four = [](const float* from) { return *reinterpret_cast<const float4*>(from); };
  Sums<Finite> sums;
  if constexpr (Two) {
    const float4 a = four(at - 4), b = four(at), c = four(at + 4);
    const float window[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
#pragma unroll
    for (int k = 0; k < kTaps; ++k) {
      const int p = 8 - 2 * k;
      sums.add(sums, taps[k], cleaned<Finite>({window[p], window[p + 1], window[p + 2], window[p + 3]}));
    }
  } else {
#pragma unroll
    for (int k = 0; k < kTaps; ++k) {
      const float4 pixels = four(at + (2 - k) * apart);
      sums.add(sums, taps[k], cleaned<Finite>({pixels.x, pixels.y, pixels.z, pixels.w}));
    }
  }
  return sums;
}

/// Adds a filtered row to the outputs in the making. making[k]: the output that has had taps 0 to k.   returns the one
/// that this row completes
template <bool Finite>
__device__ __forceinline__ Sums<Finite> add_row(const float (&taps)[kTaps], const Sums<Finite>& row,
                                                Sums<Finite> (&making)[kTaps - 1]) {
  Sums<Finite> done;
  done.add(making[kTaps - 2], taps[kTaps - 1], row);
#pragma unroll
  for (int k = kTaps - 2; k > 0; --k) making[k].add(making[k - 1], taps[k], row);
  making[0].add(Sums<Finite>{}, taps[0], row);
  return done;
}

template <bool Finite>
__device__ __forceinline__ void finish(const ConvolveJob& job, const Sums<Finite>& done, float (&out)[1][kColumns]) {
#pragma unroll
  for (int q = 0; q < kColumns; ++q) {
    out[0][q] = done.pixels[q];
    if constexpr (!Finite)
      if (job.interpolate)
        out[0][q] = rules::interpolate_output(done.pixels[q], done.weights[q], job.total, job.min_weight);
  }
}

template <bool Two, bool Finite>
__global__ void __launch_bounds__(kThreads, Finite ? kBlocks : kBlocksWithBlanks)
    k_march_spaced(const __grid_constant__ ConvolveJob job, const __grid_constant__ SpacedLayout layout) {
  extern __shared__ float4 march_memory[];
  auto* stages = reinterpret_cast<float*>(march_memory);
  const int strip = static_cast<int>(blockIdx.x) % layout.strips, piece = static_cast<int>(blockIdx.x) / layout.strips;
  const int first = piece % layout.classes + piece / layout.classes * layout.rows * layout.step;
  if (first >= job.ny || column_of(layout, strip, 0) >= job.in.nx) return;  // the same in all threads
  const int outputs = min(layout.rows, (static_cast<int>(job.ny) - first + layout.step - 1) / layout.step);
  const int count = outputs + kTaps - 1, size = 4 * layout.groups();
  const int bottom = first + (outputs - 1) * layout.step, top = static_cast<int>(job.y0) + bottom + 2 * layout.step;
  const Group main = group_of(job, layout, strip, static_cast<int>(threadIdx.x));
  const Group rest = group_of(job, layout, strip, static_cast<int>(threadIdx.x) + kThreads);
  const int at = layout.before + kColumns * static_cast<int>(threadIdx.x);
  const int x = column_of(layout, strip, kColumns * static_cast<int>(threadIdx.x));
  const int columns = static_cast<int>(job.in.nx) - x;
  float* to = job.out + (bottom + (kTaps - 1) * layout.step) * job.out_pitch + x;  // where row 0's output would go
  const std::int64_t up = layout.step * job.out_pitch;
  Sums<Finite> making[kTaps - 1];
  unsigned blank = 0;
  const auto fetch_row = [&](int t, int stage) {
    if (t < count) {
      const float* row = held_row(job.in, top - t * layout.step, job.boundary);
      fetch(job, row, main, stages + stage * size);
      fetch(job, row, rest, stages + stage * size);
    }
    close_copies();
  };
  for (int t = 0; t < kStages - 1; ++t) fetch_row(t, t);
  int now = 0, next = kStages - 1;
#pragma unroll 1
  for (int t = 0; t < count; ++t, to -= up) {
    wait_copies<kStages - 2>();
    __syncthreads();  // row t is there, and the stage of row t - 1 is free
    fetch_row(t + kStages - 1, next);
    const Sums<Finite> row = filter_row<Two, Finite>(stages + now * size + at, layout.apart, layout.row);
    float out[1][kColumns];
    finish(job, add_row(layout.column, row, making), out);
    blank += store_rows(to, up, t - (kTaps - 1), outputs, columns, out);
    now = now + 1 == kStages ? 0 : now + 1;
    next = next + 1 == kStages ? 0 : next + 1;
  }
  count_warp(blank, job.blank);
}

// ---- host

class SpacedConvolver final : public Convolver {
 public:
  SpacedConvolver(const DeviceInfo& device, const rules::SpacedTaps& taps) {
    layout_.step = static_cast<int>(taps.step);
    layout_.apart = std::min(layout_.step, kPart);
    layout_.before = (2 * layout_.apart + 3) / 4 * 4;
    std::copy(taps.column.begin(), taps.column.end(), layout_.column);
    std::copy(taps.row.begin(), taps.row.end(), layout_.row);
    bytes_ = kStages * 4 * layout_.groups() * static_cast<int>(sizeof(float));
    for (const bool finite : {true, false}) {
      allow_all_shared(kernel(finite));  // plans of other steps ask for other amounts
      int blocks = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel(finite), kThreads,
                                                          static_cast<std::size_t>(bytes_)),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      at_once_[finite ? 1 : 0] = std::int64_t{device.multiprocessors} * std::max(blocks, 1);
    }
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    SpacedLayout layout = layout_;
    const auto nx = static_cast<int>(job.in.nx), ny = static_cast<int>(job.ny);
    layout.strips = layout.parts() ? (nx + kStrip / kPart * layout.step - 1) / (kStrip / kPart * layout.step) *
                                         (layout.step / kPart)
                                   : (nx + kStrip - 1) / kStrip;
    layout.classes = std::min(layout.step, ny);
    const int rows = (ny + layout.step - 1) / layout.step;  // of a class
    layout.rows = march_rows(rows, std::int64_t{layout.strips} * layout.classes, at_once_[job.all_finite ? 1 : 0]);
    const std::int64_t blocks = std::int64_t{layout.strips} * layout.classes * ((rows + layout.rows - 1) / layout.rows);
    kernel(job.all_finite)<<<static_cast<unsigned>(blocks), kThreads, static_cast<std::size_t>(bytes_), stream>>>(
        job, layout);
    check_launch("k_march_spaced", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "separable, five taps " + std::to_string(layout_.step) + " pixels apart, rows and columns in one march";
  }

 private:
  using Function = void (*)(ConvolveJob, SpacedLayout);
  [[nodiscard]] Function kernel(bool finite) const {
    if (layout_.step == 2) return finite ? k_march_spaced<true, true> : k_march_spaced<true, false>;
    return finite ? k_march_spaced<false, true> : k_march_spaced<false, false>;
  }

  /// Rows of a march such that blocks come out even: each repeats four, and waits for its first.
  [[nodiscard]] static int march_rows(int rows, std::int64_t marches, std::int64_t at_once) {
    constexpr int kLeast = 16, kBegin = kTaps - 1 + 2;
    int best = rows;
    double best_cost = 0;
    for (int pieces = 1; pieces <= 256; ++pieces) {
      const int some = (rows + pieces - 1) / pieces;
      if (pieces > 1 && some < kLeast) break;
      const double waves = static_cast<double>((marches * pieces + at_once - 1) / at_once);
      const double cost = (waves + 0.15) * (some + kBegin);
      if (pieces > 1 && cost >= best_cost) continue;
      best = some;
      best_cost = cost;
    }
    return best;
  }

  SpacedLayout layout_;
  int bytes_ = 0;
  std::int64_t at_once_[2] = {1, 1};  ///< blocks that the device runs at a time; [1]: where all pixels are finite
};

/// Whether there is a march for taps so far apart.
bool marches(std::int64_t step) {
  return step == 2 || (step % 4 == 0 && step < kPart) || (step % kPart == 0 && step <= 1 << 20);
}

constexpr double kMemoryPart = 0.74;  ///< of memory's peak rate that is reached

}  // namespace

VariantQuote quote_separable_spaced(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  VariantQuote quote;
  if (!spec.kernel.separable()) {
    quote.reason = "the kernel is not the product of a column and a row";
    return quote;
  }
  const auto taps = rules::spaced_taps(spec.kernel);
  if (!taps || !marches(taps->step)) {
    quote.reason = taps ? "no march is compiled for taps " + std::to_string(taps->step) + " pixels apart"
                        : std::string("the taps are not five with zeros between them");
    return quote;
  }
  quote.possible = true;
  quote.cost_ms = 0.005 + static_cast<double>(image.count()) * 8 / (kMemoryPart * device.memory_bytes_per_ms);
  quote.reason = "five taps each way, " + std::to_string(taps->step) + " pixels apart";
  return quote;
}

std::unique_ptr<Convolver> make_separable_spaced(Context& context, const ConvolutionSpec& spec, Shape) {
  return std::make_unique<SpacedConvolver>(context.device(), rules::spaced_taps(spec.kernel).value());
}

}  // namespace reber::cuda
