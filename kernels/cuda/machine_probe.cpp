// SPDX-License-Identifier: BSD-3-Clause
// What the card's memory, its multiply-adders and the bus reach: the fastest runs of the fastest variants of small
// kernels.
#include "kernels/cuda/machine_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/maps/render.hpp"
#include "kernels/cuda/probe.hpp"

namespace reber::cuda {
namespace {

constexpr int kRepeats = 12;
constexpr int kRounds = 1 << 15;  ///< of multiply-adds: some 15 ms, long enough for the clock that work settles at
constexpr std::int64_t kBusBytes = 64 << 20;
constexpr ProbeShape kMemoryShapes[] = {{256, 0}, {512, 0}, {1024, 0}, {256, 8}, {512, 4}, {1024, 2}};
constexpr ProbeShape kFmaShapes[] = {{256, 8}, {512, 4}, {128, 8}, {1024, 1}};

class CudaProbe final : public MachineProbe {
 public:
  explicit CudaProbe(const BackendOptions& options) : context_(options) {
    // Twice the cache: what it keeps is not simply what came last.
    other_ = filled(std::max<std::int64_t>(2 * context_.device().l2_bytes, 16 << 20) / 16 * 4);
    sum_ = DeviceBuffer<double>(1, stream());
    wrong_ = DeviceBuffer<unsigned long long>(1, stream());
    context_.wait();
  }

  MachineLimits measure(std::int64_t bytes) override {
    context_.use();
    // A quarter of the memory at most, since two arrays are needed and a plan may hold the rest.
    const std::int64_t count = std::clamp<std::int64_t>(bytes, 4096, context_.usable_bytes() / 4) / 16 * 4;
    MachineLimits limits;
    const double moved = static_cast<double>(count) * sizeof(float);
    limits.read_bytes_per_ms = moved / read_ms(count);
    limits.copy_bytes_per_ms = 2 * moved / copy_ms(count);
    limits.fma_per_ms = fma_rate();
    limits.launch_ms = fastest_run_ms(false, [this] { probe_nothing(stream()); });
    measure_bus(limits);
    return limits;
  }

  std::vector<double> time_copy(std::int64_t bytes, int repeats) override {
    context_.use();
    if (bytes > context_.usable_bytes() / 3) return {};
    const DeviceBuffer<float> from = filled(std::max<std::int64_t>(bytes, 4096) / 16 * 4), to(from.size(), stream());
    const auto copy = [&] {
      probe_copy(stream(), kMemoryShapes[0], multiprocessors(), from.data(), to.data(), from.size());
    };
    copy();  // the card's first touch of the memory
    std::vector<double> samples;
    for (int i = 0; i < repeats; ++i) {
      flush_cache();
      samples.push_back(event_ms(copy));
    }
    return samples;
  }

  void draw_labels(const IslandMap& islands, const Job& job) override {
    const auto* runs = dynamic_cast<const CudaIslands*>(&islands);
    if (runs == nullptr) return;
    OpScope scope(*runs->context(), "reber draw labels", job);
    draw_and_drop(*runs);
    scope.finish();
  }

  void flush_cache() override {
    context_.use();
    read(other_);
    context_.wait();
  }

 private:
  [[nodiscard]] cudaStream_t stream() const { return context_.stream(); }
  [[nodiscard]] int multiprocessors() const { return context_.device().multiprocessors; }

  DeviceBuffer<float> filled(std::int64_t count) {
    DeviceBuffer<float> buffer(count, stream());
    probe_fill(stream(), buffer.data(), count);
    return buffer;
  }

  void read(const DeviceBuffer<float>& buffer) {
    probe_read(stream(), kMemoryShapes[0], multiprocessors(), buffer.data(), buffer.size(), sum_.data());
  }

  double event_ms(const std::function<void()>& work) {
    const Event first(true), last(true);
    first.record(stream());
    work();
    last.record(stream());
    last.wait();
    return Event::elapsed_ms(first, last);
  }

  double fastest_run_ms(bool flush, const std::function<void()>& work) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      if (flush) read(other_);
      samples.push_back(event_ms(work));
    }
    return *std::min_element(samples.begin(), samples.end());
  }

  double fastest_ms(std::span<const ProbeShape> shapes, const std::function<void(const ProbeShape&)>& work) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const ProbeShape& shape : shapes) fastest = std::min(fastest, fastest_run_ms(true, [&] { work(shape); }));
    return fastest;
  }

  void clear(void* memory) { check(cudaMemsetAsync(memory, 0, 8, stream()), "cudaMemsetAsync"); }

  unsigned long long wrong() {
    unsigned long long found = 0;
    context_.down(&found, wrong_.data(), sizeof(found), stream());
    return found;
  }

  double read_ms(std::int64_t count) {
    const DeviceBuffer<float> from = filled(count);
    clear(sum_.data());
    read(from);
    double sum = 0;
    context_.down(&sum, sum_.data(), sizeof(sum), stream());
    const double rest = static_cast<double>(count % 1024), pieces = static_cast<double>(count / 1024);
    const double expected = pieces * (1024 + 0.5 * 1023) + rest + 0.5 * rest * (rest - 1) / 1024;
    if (!(std::abs(sum - expected) <= 1e-6 * expected))
      throw DeviceError(fmt::format("a probe that reads the card's memory got the sum {}, not {}", sum, expected));
    return fastest_ms(kMemoryShapes, [&](const ProbeShape& shape) {
      probe_read(stream(), shape, multiprocessors(), from.data(), count, sum_.data());
    });
  }

  double copy_ms(std::int64_t count) {
    const DeviceBuffer<float> from = filled(count), to(count, stream());
    const auto bytes = static_cast<std::size_t>(from.bytes());
    check(cudaMemsetAsync(to.data(), 0, bytes, stream()), "cudaMemsetAsync");
    const double own = fastest_ms(kMemoryShapes, [&](const ProbeShape& shape) {
      probe_copy(stream(), shape, multiprocessors(), from.data(), to.data(), count);
    });
    clear(wrong_.data());
    probe_compare(stream(), from.data(), to.data(), count, wrong_.data());
    if (const unsigned long long found = wrong(); found != 0)
      throw DeviceError(fmt::format("a probe that copies the card's memory got {} of {} floats wrong", found, count));
    const double driver = fastest_run_ms(true, [&] {
      check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
    });
    return std::min(own, driver);
  }

  /// Multiply-adds per ms.
  double fma_rate() {
    clear(wrong_.data());
    double best = 0;
    for (const ProbeShape& shape : kFmaShapes) {
      const double ms =
          fastest_run_ms(false, [&] { probe_fma(stream(), shape, multiprocessors(), kRounds, wrong_.data()); });
      const double threads = static_cast<double>(shape.threads) * shape.blocks_per_multiprocessor * multiprocessors();
      best = std::max(best, threads * kProbeChains * kRounds / ms);
    }
    if (const unsigned long long found = wrong(); found != 0)
      throw DeviceError(fmt::format("a probe of multiply-adds got wrong sums in {} threads", found));
    return best;
  }

  void measure_bus(MachineLimits& limits) {
    const PinnedBuffer<std::byte> host(kBusBytes);
    std::fill_n(host.data(), kBusBytes, std::byte{0x3f});
    const DeviceBuffer<std::byte> device(kBusBytes, stream());
    const auto rate = [&](void* to, const void* from, cudaMemcpyKind kind) {
      return static_cast<double>(kBusBytes) / fastest_run_ms(false, [&] {
               check(cudaMemcpyAsync(to, from, kBusBytes, kind, stream()), "cudaMemcpyAsync");
             });
    };
    limits.up_bytes_per_ms = rate(device.data(), host.data(), cudaMemcpyHostToDevice);
    limits.down_bytes_per_ms = rate(host.data(), device.data(), cudaMemcpyDeviceToHost);
  }

  Context context_;
  DeviceBuffer<float> other_;
  DeviceBuffer<double> sum_;
  DeviceBuffer<unsigned long long> wrong_;
};

}  // namespace

std::unique_ptr<MachineProbe> make_probe(const BackendOptions& options) { return std::make_unique<CudaProbe>(options); }

}  // namespace reber::cuda
