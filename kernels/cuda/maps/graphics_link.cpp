// SPDX-License-Identifier: BSD-3-Clause
// Tiles into OpenGL's buffers, where OpenGL draws on the same card.
#include "kernels/cuda/maps/graphics_link.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/maps/display.hpp"

// The runtime's two functions for OpenGL, as its cuda_gl_interop.h has them: that header wants OpenGL's own, which the
// compute backends are built without.
extern "C" {
cudaError_t cudaGLGetDevices(unsigned int* count, int* devices, unsigned int room, int which);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned int buffer, unsigned int flags);
}

namespace reber::cuda {
namespace {

constexpr int kAllDevices = 1;  // cudaGLDeviceListAll
constexpr unsigned kMostDevices = 16;

std::string told(const char* what, cudaError_t code) {
  (void)cudaGetLastError();
  return fmt::format("{}: {}", what, cudaGetErrorString(code));
}

class CudaGraphicsLink final : public GraphicsLink {
 public:
  CudaGraphicsLink(int device, std::string name) : device_(device), name_(std::move(name)) {}
  ~CudaGraphicsLink() override = default;
  CudaGraphicsLink(const CudaGraphicsLink&) = delete;
  CudaGraphicsLink& operator=(const CudaGraphicsLink&) = delete;

  [[nodiscard]] std::string device() const override { return name_; }
  std::string open(unsigned buffer) override;
  std::string copy(const std::vector<Placed>& tiles) override;
  void close() override {
    if (resource_ != nullptr && !given_up()) {
      cudaSetDevice(device_);
      cudaGraphicsUnregisterResource(resource_);
    }
    resource_ = nullptr;
    stream_.reset();
    if (!given_up()) (void)cudaGetLastError();
  }

 private:
  [[nodiscard]] std::string copy_mapped(const std::vector<Placed>& tiles) const;

  int device_;
  std::string name_;
  cudaGraphicsResource_t resource_ = nullptr;
  std::optional<Stream> stream_;
};

std::string CudaGraphicsLink::open(unsigned buffer) {
  close();
  if (const cudaError_t code = cudaSetDevice(device_); code != cudaSuccess) return told("no card", code);
  std::vector<int> devices(kMostDevices);
  unsigned count = 0;
  if (const cudaError_t code = cudaGLGetDevices(&count, devices.data(), kMostDevices, kAllDevices); code != cudaSuccess)
    return told("OpenGL draws on no card that CUDA knows", code);
  devices.resize(std::min(count, kMostDevices));
  if (std::ranges::find(devices, device_) == devices.end())
    return devices.empty() ? std::string("OpenGL draws on no card that CUDA knows")
                           : fmt::format("OpenGL draws on card {}, not on card {}", devices.front(), device_);
  if (const cudaError_t code = cudaGraphicsGLRegisterBuffer(&resource_, buffer, cudaGraphicsRegisterFlagsWriteDiscard);
      code != cudaSuccess) {
    resource_ = nullptr;
    return told("the buffer cannot be shared", code);
  }
  try {
    stream_.emplace();
  } catch (const Error& error) {
    close();
    return error.what();
  }
  return "";
}

std::string CudaGraphicsLink::copy_mapped(const std::vector<Placed>& tiles) const {
  void* memory = nullptr;
  std::size_t size = 0;
  if (const cudaError_t code = cudaGraphicsResourceGetMappedPointer(&memory, &size, resource_); code != cudaSuccess)
    return told("cudaGraphicsResourceGetMappedPointer", code);
  for (const Placed& placed : tiles) {
    const auto* own = dynamic_cast<const CudaTile*>(placed.tile);
    if (own == nullptr) return "not a tile of this card";
    if (placed.offset < 0 || placed.offset + own->bytes() > static_cast<std::int64_t>(size))
      return "the shared buffer is too small";
    const cudaError_t code =
        cudaMemcpyAsync(static_cast<std::byte*>(memory) + placed.offset, own->data(),
                        static_cast<std::size_t>(own->bytes()), cudaMemcpyDeviceToDevice, stream_->get());
    if (code != cudaSuccess) return told("cudaMemcpyAsync", code);
  }
  return "";
}

std::string CudaGraphicsLink::copy(const std::vector<Placed>& tiles) {
  if (resource_ == nullptr) return "nothing is shared";
  if (given_up()) return "the card was given up";
  if (const cudaError_t code = cudaSetDevice(device_); code != cudaSuccess) return told("no card", code);
  if (const cudaError_t code = cudaGraphicsMapResources(1, &resource_, stream_->get()); code != cudaSuccess)
    return told("cudaGraphicsMapResources", code);
  std::string error = copy_mapped(tiles);
  if (const cudaError_t code = cudaGraphicsUnmapResources(1, &resource_, stream_->get()); code != cudaSuccess)
    error = told("cudaGraphicsUnmapResources", code);
  // The tiles may go when this returns.
  if (const cudaError_t code = settle(stream_->get()); code != cudaSuccess) error = told("cudaStreamQuery", code);
  return error;
}

}  // namespace

std::shared_ptr<GraphicsLink> make_graphics_link(int device, const std::string& name) {
  return std::make_shared<CudaGraphicsLink>(device, name);
}

}  // namespace reber::cuda
