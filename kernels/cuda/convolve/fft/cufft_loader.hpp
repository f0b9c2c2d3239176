// SPDX-License-Identifier: BSD-3-Clause
// cuFFT, opened at run time: a machine without it still starts, and the other algorithms still run.
#pragma once

#include <cufft.h>

#include <cstdint>
#include <string>
#include <utility>

namespace reber::cuda {

/// The functions used, and where they came from.
struct CufftLibrary {
  std::string file;     ///< the name that was opened; empty where none could be
  std::string missing;  ///< why not
  int version = 0;
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftMakePlanMany64) make_plan_many = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftExecR2C) exec_r2c = nullptr;
  decltype(&cufftExecC2R) exec_c2r = nullptr;

  [[nodiscard]] bool present() const { return !file.empty(); }
};

/// Opened on the first call and kept open.
[[nodiscard]] const CufftLibrary& cufft();

/// throws DeviceError with the call and the code's name
void check_fft(cufftResult code, const char* call);

/// Owns a cuFFT plan of `batch` two-dimensional real transforms of ty x tx pixels in place: rows of tx + 2 floats, or
/// tx/2 + 1 complex numbers. Work memory is the caller's.
class FftPlan {
 public:
  FftPlan() = default;
  FftPlan(bool forward, std::int64_t ty, std::int64_t tx, std::int64_t batch);
  ~FftPlan();
  FftPlan(FftPlan&& other) noexcept
      : handle_(std::exchange(other.handle_, 0)),
        made_(std::exchange(other.made_, false)),
        work_bytes_(other.work_bytes_) {}
  FftPlan& operator=(FftPlan&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(made_, other.made_);
    std::swap(work_bytes_, other.work_bytes_);
    return *this;
  }

  [[nodiscard]] cufftHandle get() const { return handle_; }
  [[nodiscard]] std::int64_t work_bytes() const { return work_bytes_; }

 private:
  cufftHandle handle_ = 0;
  bool made_ = false;
  std::int64_t work_bytes_ = 0;
};

}  // namespace reber::cuda
