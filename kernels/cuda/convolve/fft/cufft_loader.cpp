// SPDX-License-Identifier: BSD-3-Clause
// Opens cuFFT and makes plans.
#include "kernels/cuda/convolve/fft/cufft_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {
namespace {

const char* name_of(cufftResult code) {
  switch (static_cast<int>(code)) {
    case 0x0:
      return "CUFFT_SUCCESS";
    case 0x1:
      return "CUFFT_INVALID_PLAN";
    case 0x2:
      return "CUFFT_ALLOC_FAILED";
    case 0x3:
      return "CUFFT_INVALID_TYPE";
    case 0x4:
      return "CUFFT_INVALID_VALUE";
    case 0x5:
      return "CUFFT_INTERNAL_ERROR";
    case 0x6:
      return "CUFFT_EXEC_FAILED";
    case 0x7:
      return "CUFFT_SETUP_FAILED";
    case 0x8:
      return "CUFFT_INVALID_SIZE";
    case 0x9:
      return "CUFFT_UNALIGNED_DATA";
    case 0xB:
      return "CUFFT_INVALID_DEVICE";
    case 0xD:
      return "CUFFT_NO_WORKSPACE";
    case 0xE:
      return "CUFFT_NOT_IMPLEMENTED";
    case 0x10:
      return "CUFFT_NOT_SUPPORTED";
    case 0x11:
      return "CUFFT_MISSING_DEPENDENCY";
    default:
      return "an unknown cuFFT code";
  }
}

CufftLibrary open_library() {
  CufftLibrary library;
  void* handle = nullptr;
  const char* opened = nullptr;
  for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"}) {
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      opened = name;
      break;
    }
    const char* error = dlerror();
    if (library.missing.empty()) library.missing = error != nullptr ? error : name;
  }
  if (handle == nullptr) return library;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && library.missing.find("lacks") == std::string::npos)
      library.missing = fmt::format("{} lacks {}", opened, name);
    return function != nullptr;
  };
  decltype(&cufftGetVersion) get_version = nullptr;
  const bool complete = find(library.create, "cufftCreate") && find(library.destroy, "cufftDestroy") &&
                        find(library.set_auto_allocation, "cufftSetAutoAllocation") &&
                        find(library.make_plan_many, "cufftMakePlanMany64") &&
                        find(library.set_work_area, "cufftSetWorkArea") && find(library.set_stream, "cufftSetStream") &&
                        find(library.exec_r2c, "cufftExecR2C") && find(library.exec_c2r, "cufftExecC2R") &&
                        find(get_version, "cufftGetVersion");
  if (!complete) return library;
  get_version(&library.version);
  library.file = opened;
  library.missing.clear();
  return library;
}

}  // namespace

const CufftLibrary& cufft() {
  static const CufftLibrary library = open_library();
  return library;
}

void check_fft(cufftResult code, const char* call) {
  if (code != CUFFT_SUCCESS)
    throw DeviceError(
        fmt::format("{} failed with {} (code {}) in {}; choose another convolution algorithm, or free "
                    "device memory",
                    call, name_of(code), static_cast<int>(code), cufft().file));
}

FftPlan::FftPlan(bool forward, std::int64_t ty, std::int64_t tx, std::int64_t batch) {
  if (!cufft().present()) throw DeviceError("cuFFT could not be loaded: " + cufft().missing);
  check_fft(cufft().create(&handle_), "cufftCreate");
  made_ = true;
  try {
    check_fft(cufft().set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    long long size[2] = {ty, tx};
    long long real_rows[2] = {ty, tx + 2}, complex_rows[2] = {ty, tx / 2 + 1};
    const long long real_distance = ty * (tx + 2), complex_distance = ty * (tx / 2 + 1);
    std::size_t bytes = 0;
    check_fft(cufft().make_plan_many(handle_, 2, size, forward ? real_rows : complex_rows, 1,
                                     forward ? real_distance : complex_distance, forward ? complex_rows : real_rows, 1,
                                     forward ? complex_distance : real_distance, forward ? CUFFT_R2C : CUFFT_C2R, batch,
                                     &bytes),
              "cufftMakePlanMany64");
    work_bytes_ = static_cast<std::int64_t>(bytes);
  } catch (...) {
    cufft().destroy(handle_);
    made_ = false;
    throw;
  }
}

FftPlan::~FftPlan() {
  if (made_ && !given_up()) cufft().destroy(handle_);
}

}  // namespace reber::cuda
