// SPDX-License-Identifier: BSD-3-Clause
// The driver as the source of blocks, a table of cards.
#include "kernels/cuda/device/card_memory.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "core/base/environment.hpp"
#include "core/seam/compute/card_error.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {
namespace {

constexpr int kMostCards = 256;
std::array<std::atomic<MemoryBlocks*>, kMostCards> cards{};
std::atomic<int> cards_end{0};  // above every number in use

/// Null where the card has no more.
void* ask_driver(std::int64_t bytes) {
  void* memory = nullptr;
  const DriverCall watched("cudaMalloc");
  const cudaError_t code = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return nullptr;
  }
  try {
    check(code, "cudaMalloc", bytes);
  } catch (const CardError&) {
    if (memory != nullptr && !given_up()) cudaFree(memory);
    throw;
  }
  return memory;
}

void give_driver(void* memory) {
  if (given_up()) return;
  const DriverCall watched("cudaFree");
  cudaFree(memory);  // fails where the card is lost already
}

bool buffers_apart() {
  const char* const value = environment(Variable::cuda_buffers);
  return value != nullptr && std::string_view(value) == "apart";
}

template <class Work>
void for_each_card(const Work& work) {
  for (int device = 0; device < cards_end; ++device)
    if (MemoryBlocks* const memory = cards[static_cast<std::size_t>(device)]; memory != nullptr && work(*memory))
      return;
}

}  // namespace

MemoryBlocks& card_memory(int device) {
  static std::mutex making;
  auto& card = cards.at(static_cast<std::size_t>(device));
  if (MemoryBlocks* const made = card) return *made;
  const std::lock_guard lock(making);
  if (card == nullptr) card = new MemoryBlocks({ask_driver, give_driver}, buffers_apart());  // stays: see above
  if (cards_end <= device) cards_end = device + 1;
  return *card;
}

void* allocate_on(cudaStream_t stream, std::int64_t bytes) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  void* const memory = card_memory(device).take(stream, bytes);
  if (memory == nullptr) check(cudaErrorMemoryAllocation, "cudaMalloc", bytes);
  return memory;
}

void release_on(cudaStream_t stream, void* memory) noexcept {
  if (memory == nullptr || given_up()) return;
  for_each_card([&](MemoryBlocks& card) { return card.give(stream, memory); });
}

void release_stream(cudaStream_t stream) noexcept {
  for_each_card([stream](MemoryBlocks& card) {
    if (!card.keeps_for(stream)) return false;
    if (settle(stream) == cudaSuccess) card.queue_ended(stream);
    return true;
  });
}

}  // namespace reber::cuda
