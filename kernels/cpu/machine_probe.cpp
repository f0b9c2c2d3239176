// SPDX-License-Identifier: BSD-3-Clause
// What host memory and the processor's multiply-adders reach, by all threads that the backend may use.
#include "kernels/cpu/machine_probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "kernels/cpu/islands/measure.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 7;
constexpr std::int64_t kShare = 64 * 1024;  ///< floats per task: 256 KiB
constexpr std::int64_t kRounds = 200000;    ///< of multiply-adds, some 10 ms
constexpr int kChains = 12;                 ///< independent sums: more than latency times issue width, registers left
constexpr float kFactor = 0.9999F, kTerm = 0.0001F;

/// ms of each time.
std::vector<double> run_times(int repeats, const std::function<void()>& before, const std::function<void()>& work) {
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    before();
    const auto start = Clock::now();
    work();
    samples.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return samples;
}

double fastest_ms(const std::function<void()>& before, const std::function<void()>& work) {
  const std::vector<double> samples = run_times(kRepeats + 1, before, work);
  return *std::min_element(samples.begin(), samples.end());
}

/// Sum of `count` floats, a multiple of 4 vectors.
double sum_of(const float* from, std::int64_t count) {
  Floats sums[4] = {};
  for (std::int64_t i = 0; i < count; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sums[k] += load(from + i + k * kLanes);
  }
  const Floats sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double total = 0;
  for (int k = 0; k < kLanes; ++k) total += static_cast<double>(sum[k]);
  return total;
}

/// Stores that go past the caches, which an ordinary store would first fill from memory.
void stream_copy(const float* from, float* to, std::int64_t count) {
#ifdef __AVX2__
  for (std::int64_t i = 0; i < count; i += kLanes) _mm256_stream_ps(to + i, _mm256_load_ps(from + i));
  _mm_sfence();
#else
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
#endif
}

float multiply_add(std::int64_t rounds) {
  Floats sums[kChains];
  for (int k = 0; k < kChains; ++k) sums[k] = all(static_cast<float>(k));
  const Floats factor = all(kFactor), term = all(kTerm);
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) sums[k] = fma(sums[k], factor, term);
  }
  float total = 0;
  for (int k = 0; k < kChains; ++k) total += sums[k][k % kLanes];
  return total;
}

#ifdef __AVX2__
/// The same by vectors of 16, which the backend does not use: the floor is the machine's, not the program's.
__attribute__((target("avx512f"))) float multiply_add_16(std::int64_t rounds) {
  __m512 sums[kChains];
  for (int k = 0; k < kChains; ++k) sums[k] = _mm512_set1_ps(static_cast<float>(k));
  const __m512 factor = _mm512_set1_ps(kFactor), term = _mm512_set1_ps(kTerm);
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) sums[k] = _mm512_fmadd_ps(sums[k], factor, term);
  }
  float total = 0;
  for (int k = 0; k < kChains; ++k) total += _mm512_cvtss_f32(sums[k]);
  return total;
}
#endif

class CpuProbe final : public MachineProbe {
 public:
  explicit CpuProbe(int threads) : pool_(threads) {
    // Twice the last cache: least-recently-used is only roughly so.
    const std::int64_t cache = std::max<std::int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
    other_ = make(std::clamp<std::int64_t>(2 * cache, 64 << 20, 1 << 30));
  }

  MachineLimits measure(std::int64_t bytes) override {
    const Array from = make(bytes), to = make(bytes);
    const auto flush = [this] { flush_cache(); };
    const auto moved = static_cast<double>(from.count) * sizeof(float);
    MachineLimits limits;
    double total = 0;
    limits.read_bytes_per_ms = moved / fastest_ms(flush, [&] { total = sum(from); });
    if (const double expected = expected_sum(from); !(std::abs(total - expected) <= 1e-3 * expected))
      throw DeviceError(fmt::format("a probe that reads memory got the sum {}, not {}", total, expected));
    double fastest = INFINITY;
    for (const bool past_caches : {false, true}) {
      each(to, [&](std::int64_t first, std::int64_t n) { std::fill_n(to.floats() + first, n, -1.0F); });
      fastest = std::min(fastest, fastest_ms(flush, [&] {
                           each(from, [&](std::int64_t first, std::int64_t n) {
                             copy(from.floats() + first, to.floats() + first, n, past_caches);
                           });
                         }));
      if (std::memcmp(from.floats(), to.floats(), static_cast<std::size_t>(moved)) != 0)
        throw DeviceError("a probe that copies memory left another array than it read");
    }
    limits.copy_bytes_per_ms = 2 * moved / fastest;
    limits.fma_per_ms = measure_fma();
    limits.launch_ms = fastest_ms([] {}, [this] { pool_.for_each(pool_.threads(), [](std::int64_t) {}); });
    return limits;
  }

  std::vector<double> time_copy(std::int64_t bytes, int repeats) override {
    const Array from = make(bytes), to = make(bytes);
    return run_times(
        repeats, [this] { flush_cache(); },
        [&] {
          each(from,
               [&](std::int64_t first, std::int64_t n) { copy(from.floats() + first, to.floats() + first, n, true); });
        });
  }

  void draw_labels(const IslandMap& islands, const Job& job) override {
    const auto* runs = dynamic_cast<const CpuIslands*>(&islands);
    if (runs == nullptr) return;
    const Shape shape = islands.shape();
    std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(pool_.threads()));
    for (std::vector<std::int32_t>& row : rows) row.resize(static_cast<std::size_t>(shape.nx));
    JobThreads(pool_, job).for_each_worker(shape.ny, [&](std::int64_t y, int worker) {
      draw_label_row(*runs, y, 0, shape.nx, rows[static_cast<std::size_t>(worker)].data());
    });
  }

  void flush_cache() override { total_ = sum(other_); }

 private:
  /// Floats at whole cache lines, touched first by the threads that use them.
  struct Array {
    std::unique_ptr<void, void (*)(void*)> memory{nullptr, std::free};
    std::int64_t count = 0;
    [[nodiscard]] float* floats() const { return static_cast<float*>(memory.get()); }
  };

  Array make(std::int64_t bytes) {
    Array array;
    const std::int64_t step = 4 * kLanes;
    array.count = std::max(step, bytes / static_cast<std::int64_t>(sizeof(float)) / step * step);
    array.memory.reset(std::aligned_alloc(64, static_cast<std::size_t>(array.count) * sizeof(float)));
    if (!array.memory) throw DeviceError(fmt::format("no {} bytes of memory for a probe", bytes));
    each(array, [&](std::int64_t first, std::int64_t n) {
      for (std::int64_t i = first; i < first + n; ++i) array.floats()[i] = value_at(i);
    });
    return array;
  }

  static float value_at(std::int64_t i) { return 1.0F + static_cast<float>(i * 2654435761U % 1024U) / 1024.0F; }

  static double expected_sum(const Array& array) {
    // 1024 neighbours hold each of the 1024 values once: the factor is odd.
    double total = 0;
    for (std::int64_t i = 0; i < array.count % 1024; ++i) total += static_cast<double>(value_at(i));
    return total + static_cast<double>(array.count / 1024) * (1024 + 0.5 * 1023);
  }

  void each(const Array& array, const std::function<void(std::int64_t, std::int64_t)>& body) {
    pool_.for_each((array.count + kShare - 1) / kShare,
                   [&](std::int64_t i) { body(i * kShare, std::min(kShare, array.count - i * kShare)); });
  }

  static void copy(const float* from, float* to, std::int64_t count, bool past_caches) {
    if (past_caches) {
      stream_copy(from, to, count);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
    }
  }

  double sum(const Array& array) {
    std::vector<double> parts(static_cast<std::size_t>((array.count + kShare - 1) / kShare));
    each(array, [&](std::int64_t first, std::int64_t n) {
      parts[static_cast<std::size_t>(first / kShare)] = sum_of(array.floats() + first, n);
    });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
  }

  double measure_fma() {
    const auto rate = [&](float (*kernel)(std::int64_t), int lanes) {
      std::vector<float> results(static_cast<std::size_t>(pool_.threads()));
      const double ms = fastest_ms([] {},
                                   [&] {
                                     pool_.for_each(pool_.threads(), [&](std::int64_t i) {
                                       results[static_cast<std::size_t>(i)] = kernel(kRounds);
                                     });
                                   });
      // Every chain ends at term / (1 - factor) = 1.
      for (const float result : results) {
        if (!(std::abs(result - kChains) <= 0.01F * kChains))
          throw DeviceError(fmt::format("a probe of multiply-adds got {}, not {}", result, kChains));
      }
      return static_cast<double>(kRounds) * kChains * lanes * pool_.threads() / ms;
    };
    double best = rate(multiply_add, kLanes);
#ifdef __AVX2__
    if (__builtin_cpu_supports("avx512f") != 0) best = std::max(best, rate(multiply_add_16, 16));
#endif
    return best;
  }

  ThreadPool pool_;
  Array other_;
  double total_ = 0;
};

}  // namespace

std::unique_ptr<MachineProbe> make_probe(const BackendOptions& options) {
  return std::make_unique<CpuProbe>(options.threads);
}

}  // namespace reber::cpu
