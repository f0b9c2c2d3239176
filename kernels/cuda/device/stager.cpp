// SPDX-License-Identifier: BSD-3-Clause
// The ring of pinned chunks between pageable host memory and the device.
#include "kernels/cuda/device/stager.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "core/seam/compute/card_error.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {
namespace {

// Locking pages costs time (raii.cpp), so the ring is small, made once and reused, and of a size with the first image.
// All rings of a process together must stay in the processor's caches: with 16 lanes of 64 MB two cards took 38 GB/s,
// with 8 MB each 80 (bench/notes/programs.md). So a ring grows with the threads that fill it.
constexpr std::int64_t kChunkBytesAThread = std::int64_t{2} << 20;
constexpr std::int64_t kLeastChunkBytes = std::int64_t{4} << 20;
constexpr std::int64_t kSlots = 4;
// Work for one thread: enough to outweigh waking it.
constexpr std::int64_t kShareBytes = 256 << 10;
// What a thread reads at once, and sums while its cache holds it: shorter calls cost more.
constexpr std::int64_t kPieceBytes = 512 << 10;

/// Calls body(first, last) over [0, rows) from several threads where there is enough to do.
void share_rows(ThreadPool& pool, std::int64_t rows, std::int64_t row_bytes,
                const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t share_rows = std::max<std::int64_t>(1, kShareBytes / std::max<std::int64_t>(row_bytes, 1));
  const std::int64_t wanted = (rows + share_rows - 1) / share_rows;
  const std::int64_t shares = std::min<std::int64_t>(wanted, pool.threads());
  if (shares <= 1) {
    body(0, rows);
    return;
  }
  pool.for_each(shares, [&](std::int64_t i) { body(rows * i / shares, rows * (i + 1) / shares); });
}

bool is_over(const Event& event) {
  const cudaError_t code = cudaEventQuery(event.get());
  if (code == cudaErrorNotReady) cudaGetLastError();  // an answer, but left behind as an error
  return code == cudaSuccess;
}

}  // namespace

std::int64_t Stager::rows_of_chunk(std::int64_t row_bytes) const {
  return std::max<std::int64_t>(1, chunk_bytes_ / row_bytes);
}

void Stager::settle(Slot& slot) {
  const trace::Span span("copy", "finish a copy");
  slot.done.wait();
  if (slot.finish) {
    const std::function<void()> finish = std::move(slot.finish);
    slot.finish = nullptr;
    finish();
  }
}

bool Stager::make_ready(std::int64_t bytes) {
  const std::int64_t most = std::min(kChunkBytesAThread * context_.threads().threads(), kMostChunkBytes);
  const std::int64_t chunk = std::clamp((bytes + kSlots - 1) / kSlots, std::min(kLeastChunkBytes, most), most);
  const bool first = slots_.empty();
  if (!first && chunk <= chunk_bytes_) return false;
  drain();
  slots_.clear();
  slots_.resize(kSlots);
  chunk_bytes_ = chunk;
  const std::int64_t wanted = std::min((bytes + chunk - 1) / chunk, kSlots);
  for (std::int64_t k = 0; k < wanted; ++k)
    slots_[static_cast<std::size_t>(k)].coming = run_beside([this, chunk] {
      context_.use();
      const trace::Span span("host", "lock memory for copies");
      return PinnedBuffer<std::byte>(chunk);
    });
  return first;
}

void Stager::take_coming(Slot& slot) {
  if (!slot.coming.valid()) return;
  try {
    slot.memory = slot.coming.get();
  } catch (const CardError&) {
    // The slot stays empty: acquire() locks what it needs, or says why it cannot.
  }
}

Stager::Slot& Stager::acquire(std::int64_t bytes) {
  if (slots_.empty()) slots_.resize(kSlots);
  // A slot that is free and large enough before one that must grow: page-locking takes longer than most copies.
  for (Slot& slot : slots_)
    if (!slot.finish && slot.memory.size() >= bytes && is_over(slot.done)) return slot;
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  return ready(slot, bytes);
}

Stager::Slot& Stager::ready(Slot& slot, std::int64_t bytes) {
  settle(slot);
  take_coming(slot);
  if (slot.memory.size() < bytes) {
    const trace::Span span("host", "lock memory for copies");
    slot.memory = PinnedBuffer<std::byte>();
    slot.memory = PinnedBuffer<std::byte>(std::max(bytes, std::min(chunk_bytes_, 4 * bytes)));
  }
  return slot;
}

void Stager::drain() {
  for (std::size_t i = 0; i < slots_.size(); ++i) settle(slots_[(next_ + i) % slots_.size()]);
}

void Stager::abandon() noexcept {
  for (Slot& slot : slots_) {
    cuda::settle(slot.done.get());
    slot.finish = nullptr;
  }
}

void Stager::up_rows(cudaStream_t stream, float* out, std::int64_t pitch, std::int64_t nx, std::int64_t rows,
                     float fill, const RowSource& source) {
  const std::int64_t row_bytes = nx * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t chunk = rows_of_chunk(row_bytes);
  for (std::int64_t r = 0; r < rows; r += chunk) {
    const std::int64_t n = std::min(chunk, rows - r);
    Slot& slot = acquire(n * row_bytes);
    auto* staged = reinterpret_cast<float*>(slot.memory.data());
    share_rows(context_.threads(), n, row_bytes, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const float* row = source(r + i);
        if (row != nullptr) {
          std::memcpy(staged + i * nx, row, static_cast<std::size_t>(row_bytes));
        } else {
          std::fill_n(staged + i * nx, nx, fill);
        }
      }
    });
    check(cudaMemcpy2DAsync(out + r * pitch, static_cast<std::size_t>(pitch) * sizeof(float), staged,
                            static_cast<std::size_t>(row_bytes), static_cast<std::size_t>(row_bytes),
                            static_cast<std::size_t>(n), cudaMemcpyHostToDevice, stream),
          "cudaMemcpy2DAsync", n * row_bytes);
    slot.done.record(stream);
    context_.counters.bytes_up += n * row_bytes;
  }
}

void Stager::down_rows(cudaStream_t stream, const float* in, std::int64_t pitch, std::int64_t nx, std::int64_t rows,
                       float* out) {
  const std::int64_t row_bytes = nx * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t chunk = rows_of_chunk(row_bytes);
  for (std::int64_t r = 0; r < rows; r += chunk) {
    const std::int64_t n = std::min(chunk, rows - r);
    Slot& slot = acquire(n * row_bytes);
    const auto* staged = reinterpret_cast<const float*>(slot.memory.data());
    check(cudaMemcpy2DAsync(slot.memory.data(), static_cast<std::size_t>(row_bytes), in + r * pitch,
                            static_cast<std::size_t>(pitch) * sizeof(float), static_cast<std::size_t>(row_bytes),
                            static_cast<std::size_t>(n), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpy2DAsync", n * row_bytes);
    slot.done.record(stream);
    slot.finish = [this, staged, n, nx, row_bytes, to = out + r * nx] {
      share_rows(context_.threads(), n, row_bytes, [&](std::int64_t first, std::int64_t last) {
        std::memcpy(to + first * nx, staged + first * nx, static_cast<std::size_t>((last - first) * row_bytes));
      });
    };
    context_.counters.bytes_down += n * row_bytes;
  }
}

void Stager::up_copy(cudaStream_t stream, void* device, const void* host, std::int64_t bytes) {
  for (std::int64_t done = 0; done < bytes; done += chunk_bytes_) {
    const std::int64_t n = std::min(chunk_bytes_, bytes - done);
    Slot& slot = acquire(n);
    const auto* from = static_cast<const std::byte*>(host) + done;
    share_rows(context_.threads(), n, 1, [&](std::int64_t first, std::int64_t last) {
      std::memcpy(slot.memory.data() + first, from + first, static_cast<std::size_t>(last - first));
    });
    check(cudaMemcpyAsync(static_cast<std::byte*>(device) + done, slot.memory.data(), static_cast<std::size_t>(n),
                          cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync", n);
    slot.done.record(stream);
  }
  context_.counters.bytes_up += bytes;
}

void Stager::down_copy(cudaStream_t stream, const void* device, std::int64_t bytes, void* host) {
  for (std::int64_t done = 0; done < bytes; done += chunk_bytes_) {
    const std::int64_t n = std::min(chunk_bytes_, bytes - done);
    Slot& slot = acquire(n);
    check(cudaMemcpyAsync(slot.memory.data(), static_cast<const std::byte*>(device) + done, static_cast<std::size_t>(n),
                          cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync", n);
    slot.done.record(stream);
    slot.finish = [this, staged = slot.memory.data(), n, to = static_cast<std::byte*>(host) + done] {
      share_rows(context_.threads(), n, 1, [&](std::int64_t first, std::int64_t last) {
        std::memcpy(to + first, staged + first, static_cast<std::size_t>(last - first));
      });
    };
  }
  context_.counters.bytes_down += bytes;
}

void Stager::down_parts(cudaStream_t stream, const void* device, std::int64_t bytes, std::span<void* const> hosts) {
  const auto parts = static_cast<std::int64_t>(hosts.size());
  if (parts * bytes > chunk_bytes_) {
    for (std::int64_t k = 0; k < parts; ++k)
      down_copy(stream, static_cast<const std::byte*>(device) + k * bytes, bytes, hosts[k]);
    return;
  }
  Slot& slot = acquire(parts * bytes);
  check(cudaMemcpyAsync(slot.memory.data(), device, static_cast<std::size_t>(parts * bytes), cudaMemcpyDeviceToHost,
                        stream),
        "cudaMemcpyAsync", parts * bytes);
  slot.done.record(stream);
  slot.finish = [this, staged = slot.memory.data(), bytes, to = std::vector<void*>(hosts.begin(), hosts.end())] {
    const auto copy = [&](std::int64_t k) { std::memcpy(to[k], staged + k * bytes, static_cast<std::size_t>(bytes)); };
    const auto count = static_cast<std::int64_t>(to.size());
    if (count * bytes > kShareBytes) {
      context_.threads().for_each(count, copy);
    } else {
      for (std::int64_t k = 0; k < count; ++k) copy(k);
    }
  };
  context_.counters.bytes_down += parts * bytes;
}

void Stager::feed(const FeedShape& shape, const Filler& fill, const std::function<void(std::int64_t, Slot&)>& send) {
  drain();
  if (slots_.empty()) slots_.resize(kSlots);
  const auto slot_of = [&](std::int64_t chunk) -> Slot& { return slots_[static_cast<std::size_t>(chunk % kSlots)]; };
  const std::int64_t bytes = std::min(shape.chunk_rows, shape.rows) * shape.row_bytes;
  feed_chunks(context_.threads(), shape,
              {[&](std::int64_t chunk) {
                 context_.use();
                 return ready(slot_of(chunk), bytes).memory.data();
               },
               fill,
               [&](std::int64_t chunk) {
                 context_.use();
                 send(chunk * shape.chunk_rows, slot_of(chunk));
               }});
}

FeedShape Stager::feed_shape(std::int64_t rows, std::int64_t row_bytes) const {
  return {rows, row_bytes, rows_of_chunk(row_bytes), std::max<std::int64_t>(1, kPieceBytes / row_bytes), kSlots};
}

void Stager::send(cudaStream_t stream, std::byte* device, std::int64_t bytes, const Slot& slot) {
  check(cudaMemcpyAsync(device, slot.memory.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync", bytes);
  context_.counters.bytes_up += bytes;
  slot.done.record(stream);
}

void Stager::up_made(cudaStream_t stream, std::byte* device, std::int64_t rows, std::int64_t row_bytes,
                     const Filler& fill, const Told& told) {
  const FeedShape shape = feed_shape(rows, row_bytes);
  std::int64_t sent = 0;
  feed(shape, fill, [&](std::int64_t first, const Slot& slot) {
    told(sent);
    const std::int64_t n = std::min(shape.chunk_rows, rows - first);
    send(stream, device + first * row_bytes, n * row_bytes, slot);
    sent += n;
  });
}

void Stager::up_bytes(
    cudaStream_t stream, std::int64_t rows, std::int64_t row_bytes, const Filler& fill,
    const std::function<void(std::int64_t first_row, std::int64_t rows, const std::byte* device)>& then, const Job& job,
    const char* stage) {
  const FeedShape shape = feed_shape(rows, row_bytes);
  // One device buffer: stream order keeps a copy from overtaking the work on the chunk before it, which takes a
  // twentieth of the copy's time.
  const DeviceBuffer<std::byte> device(std::min(rows, shape.chunk_rows) * row_bytes, stream);
  std::int64_t sent = 0;
  feed(shape, fill, [&](std::int64_t first, const Slot& slot) {
    job.report(stage, static_cast<double>(sent) / static_cast<double>(rows));
    const std::int64_t n = std::min(shape.chunk_rows, rows - first);
    send(stream, device.data(), n * row_bytes, slot);
    then(first, n, device.data());
    sent += n;
  });
}

}  // namespace reber::cuda
