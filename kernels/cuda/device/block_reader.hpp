// SPDX-License-Identifier: BSD-3-Clause
// Blocks of stored rows on their way from a source to the card, several at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/sky/model/pixel_source.hpp"
#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

class Context;

/// What a reader may take, on the host (page-locked) and on the card alike.
struct ReaderRoom {
  std::int64_t bytes = 0;        ///< of all blocks together; at least one row each is taken
  std::int64_t most_rows = 0;    ///< of a block
  std::int64_t halo_rows = 0;    ///< lately asked for, likely to be asked for again: the halo of a convolution
  std::int64_t spare_bytes = 0;  ///< of the card, for the first blocks of the source to stay in
};

/// Reads a source in blocks of rows, ahead of whoever walks over it: threads fill page-locked memory, a stream of its
/// own copies it to the card, and the caller's stream works on blocks that are there. Asked by one thread at a time;
/// the bytes are the stored ones.
class BlockReader {
 public:
  BlockReader(Context& context, std::shared_ptr<const PixelSource> source, const ReaderRoom& room);
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// Queues work on stored rows on the device: rows [first, first + rows), without gaps.
  using Use = std::function<void(std::int64_t first, std::int64_t rows, const std::byte* device)>;
  /// Calls use for all of rows [y0, y0 + ny), in ascending order and in parts; what it queues on `stream` finds them
  /// there.   throws what reading throws
  void read(std::int64_t y0, std::int64_t ny, cudaStream_t stream, const Use& use);

  /// Of the card, for blocks that stay there.
  [[nodiscard]] std::int64_t staying_bytes() const { return most_staying_ * block_bytes(); }

 private:
  enum class State { idle, wanted, read, sent };
  struct Slot {
    PinnedBuffer<std::byte> host;
    DeviceBuffer<std::byte> device;
    Event copied, used;
    std::optional<Event> begun, done;  ///< of the copy, timed: while a trace is recorded
    State state = State::idle;
    std::int64_t block = -1;
    std::uint64_t turn = 0;  ///< when it was last given a block or used
    bool held = false;       ///< work on it is being queued
    std::exception_ptr failure;
  };

  [[nodiscard]] std::int64_t rows_of(std::int64_t block) const;
  [[nodiscard]] std::int64_t block_bytes() const { return block_rows_ * row_bytes_; }
  [[nodiscard]] Slot* find(std::int64_t block);
  /// Whether it holds a block about this one, likely to be asked for soon.
  [[nodiscard]] bool is_near(const Slot& slot, std::int64_t block) const;
  /// A slot that may be given another block: the one that nobody used for longest. block: asked for now. wait: until
  /// there is one; else null where none is free.
  [[nodiscard]] Slot* spare(std::int64_t block, bool wait);
  void want(Slot& slot, std::int64_t block);
  void want_ahead(std::int64_t block, std::int64_t end);
  void fill(Slot& slot) const;
  void wait_for_rows(const Slot& slot);
  void send(Slot& slot);
  void send_what_is_read();
  void trace_copy(Slot& slot);
  /// Whether it is on the card, or on its way, to stay there.
  [[nodiscard]] bool stays(std::int64_t block) const;
  /// Where its block goes on the card.
  [[nodiscard]] std::byte* place_of(const Slot& slot);
  /// Calls use with the block, by way of a slot. ahead: blocks up to this one will be asked for next.
  void use_slot(std::int64_t block, std::int64_t ahead, cudaStream_t stream,
                const std::function<void(const std::byte*)>& use);
  void work();

  Context& context_;
  std::shared_ptr<const PixelSource> source_;
  std::int64_t row_bytes_, block_rows_, blocks_, kept_blocks_;
  Stream copies_;
  std::vector<Slot> slots_;
  std::int64_t most_staying_ = 0;            ///< blocks [0, most_staying_) stay on the card once they are there
  DeviceBuffer<std::byte> staying_;          ///< those blocks
  std::vector<std::optional<Event>> there_;  ///< of each that was sent
  std::optional<Event> origin_;              ///< where the trace's times are counted from
  double origin_us_ = 0;
  std::int64_t next_ = 0;  ///< block behind the one asked for last
  std::uint64_t turn_ = 0;
  // Between the caller and the threads: states of wanted slots, and these.
  std::mutex mutex_;
  std::condition_variable wanted_, read_;
  std::deque<Slot*> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace reber::cuda
