// SPDX-License-Identifier: BSD-3-Clause
// Whether there is a card that works, and why not; the versions in words.
#include "kernels/cuda/availability.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <exception>
#include <vector>

#include "kernels/cuda/convolve/fft/cufft_loader.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/probe.hpp"

namespace reber::cuda {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

int driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

int runtime_version() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess ? version : 0;
}

std::string code_text(cudaError_t code) {
  return fmt::format("{} ({}: {})", cudaGetErrorName(code), static_cast<int>(code), cudaGetErrorString(code));
}

/// Why no card can be counted.
std::string no_cards(cudaError_t code) {
  const int driver = driver_version(), runtime = runtime_version();
  if (driver == 0) return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
  if (code == cudaErrorInsufficientDriver)
    return fmt::format(
        "the NVIDIA driver is too old: it supports CUDA {}, this program was built with CUDA {}; update "
        "the driver",
        version_text(driver), version_text(runtime));
  if (code == cudaErrorNoDevice) return "the NVIDIA driver finds no card";
  return fmt::format("the cards could not be counted: {}; driver for CUDA {}, runtime {}", code_text(code),
                     version_text(driver), version_text(runtime));
}

std::string why_not(const BackendOptions& options) {
  if (given_up()) return "the card did not answer, and was given up";
  int count = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess) {
    cudaGetLastError();
    return no_cards(code);
  }
  if (count == 0) return no_cards(cudaErrorNoDevice);
  const int device = options.driver_number();
  if (device < 0 || device >= count)
    return fmt::format("card {} was asked for; there are {}, numbered from {}", options.device, count,
                       options.hidden_cards);
  if (const cudaError_t code = cudaSetDevice(device); code != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("card {} cannot be used: {}", options.device, code_text(code));
  }
  bool right = false;
  const cudaError_t code = run_probe(right);
  if (given_up()) return fmt::format("card {} does not answer", options.device);
  if (code != cudaSuccess) {
    cudaGetLastError();
    cudaDeviceProp properties{};
    std::string name = "unknown", level = "unknown";
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) {
      name = properties.name;
      level = fmt::format("{}.{}", properties.major, properties.minor);
    }
    const bool no_code = code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
                         code == cudaErrorUnsupportedPtxVersion;
    return fmt::format("card {} ({}, compute capability {}) does not run a kernel: {}{}", options.device, name, level,
                       code_text(code),
                       no_code ? "; this program was built for other cards: set REBER_CUDA_ARCHITECTURES" : "");
  }
  if (!right) return fmt::format("card {} computes a wrong result in a probe", options.device);
  return {};
}

}  // namespace

std::string unavailable(const BackendOptions& options) {
  try {
    return why_not(options);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<std::string> describe() {
  std::vector<std::string> lines;
  const int driver = driver_version();
  lines.push_back(fmt::format("CUDA runtime {}, driver {}", version_text(runtime_version()),
                              driver == 0 ? "not installed" : "for CUDA " + version_text(driver)));
  const CufftLibrary& fft = cufft();
  lines.push_back(fft.present() ? fmt::format("cuFFT {}.{}.{} ({})", fft.version / 1000, fft.version % 1000 / 100,
                                              fft.version % 100, fft.file)
                                : "cuFFT not loaded: " + fft.missing);
  int count = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess) {
    cudaGetLastError();
    lines.push_back(no_cards(code));
    return lines;
  }
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    const cudaError_t code = cudaGetDeviceProperties(&properties, device);
    lines.push_back(code == cudaSuccess
                        ? fmt::format("card {}: {}, compute capability {}.{}, {} multiprocessors, {} MiB", device,
                                      properties.name, properties.major, properties.minor,
                                      properties.multiProcessorCount, properties.totalGlobalMem >> 20)
                        : fmt::format("card {}: {}", device, code_text(code)));
  }
  return lines;
}

}  // namespace reber::cuda
