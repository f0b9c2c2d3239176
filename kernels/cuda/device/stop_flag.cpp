// SPDX-License-Identifier: BSD-3-Clause
// Waiting that can be cut short.
#include "kernels/cuda/device/stop_flag.hpp"

#include "kernels/cuda/device/waits.hpp"

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
  try {
    wait_for(done.get(), [&] { job.check(); });
  } catch (const Cancelled&) {
    set(1);
    settle(stream);
    set(0);
    throw;
  }
}

}  // namespace reber::cuda
