// SPDX-License-Identifier: BSD-3-Clause
// Waiting that can be cut short.
#include "kernels/cuda/device/stop_flag.hpp"

#include <chrono>
#include <thread>

namespace reber::cuda {

StopFlag::StopFlag() : source_(1), word_(1, own_.get()) { set(0); }

void StopFlag::set(int value) const {
  *source_.data() = value;
  check(cudaMemcpyAsync(word_.data(), source_.data(), sizeof(value), cudaMemcpyHostToDevice, own_.get()),
        "cudaMemcpyAsync");
  own_.wait();
}

void StopFlag::wait(cudaStream_t stream, const Job& job) const {
  const Event done;
  done.record(stream);
  // Sleeping would add its length to every short launch: only long ones are slept through.
  constexpr auto kShort = std::chrono::milliseconds(2);
  const auto start = std::chrono::steady_clock::now();
  try {
    for (;;) {
      const cudaError_t state = cudaEventQuery(done.get());
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) check(state, "cudaEventQuery");
      job.check();
      if (std::chrono::steady_clock::now() - start < kShort)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  } catch (const Cancelled&) {
    set(1);
    cudaStreamSynchronize(stream);
    set(0);
    throw;
  }
}

}  // namespace reber::cuda
