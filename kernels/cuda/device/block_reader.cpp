// SPDX-License-Identifier: BSD-3-Clause
// The ring of blocks: wanted by the caller, read by threads, sent by the caller, used on its streams.
#include "kernels/cuda/device/block_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/waits.hpp"

namespace reber::cuda {
namespace {

/// Reaches the copy engine's full rate (stager.cpp), and is short enough for a ring of many.
constexpr std::int64_t kBlockBytes = std::int64_t{8} << 20;
/// From the page cache 8 threads fill 1 GiB in 27 ms, 16 in 21 (H200 host).
constexpr int kMostThreads = 12;
/// Read, but not yet used.
constexpr int kSlotsAhead = 6;
constexpr std::size_t kLeastSlots = 4;

bool is_over(const Event& event) {
  const cudaError_t code = cudaEventQuery(event.get());
  if (code == cudaErrorNotReady) (void)cudaGetLastError();  // an answer, but left behind as an error
  return code == cudaSuccess;
}

}  // namespace

BlockReader::BlockReader(Context& context, std::shared_ptr<const PixelSource> source, const ReaderRoom& room)
    : context_(context), source_(std::move(source)) {
  const Shape shape = source_->shape();
  row_bytes_ = std::max<std::int64_t>(shape.nx * bytes_of(source_->format().type), 1);
  const int readers = std::clamp(context.threads().threads(), 1, kMostThreads);
  const std::int64_t wanted = readers + kSlotsAhead;
  const std::int64_t bytes =
      std::clamp<std::int64_t>(room.bytes / wanted, row_bytes_, std::max(kBlockBytes, row_bytes_));
  block_rows_ = std::clamp<std::int64_t>(bytes / row_bytes_, 1, std::max<std::int64_t>(room.most_rows, 1));
  blocks_ = (shape.ny + block_rows_ - 1) / block_rows_;
  const std::int64_t fit = room.bytes / (block_rows_ * row_bytes_);
  slots_.resize(std::clamp<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(fit, 0)), kLeastSlots,
                                        static_cast<std::size_t>(wanted)));
  kept_blocks_ = std::min<std::int64_t>((room.halo_rows + block_rows_ - 1) / block_rows_ + 1,
                                        static_cast<std::int64_t>(slots_.size()) / 2);
  most_staying_ = std::clamp<std::int64_t>(room.spare_bytes / block_bytes(), 0, blocks_);
  there_.resize(static_cast<std::size_t>(most_staying_));
  if (trace::on()) {
    origin_.emplace(true);
    origin_->record(copies_.get());
    origin_->wait();
    origin_us_ = trace::now_us();
  }
  const auto useful = std::min<std::int64_t>({readers, blocks_, static_cast<std::int64_t>(slots_.size()) - 1});
  for (std::int64_t k = 0; k < useful; ++k) {
    std::thread thread = start_thread([this] { work(); });
    if (thread.joinable()) threads_.push_back(std::move(thread));
  }
}

BlockReader::~BlockReader() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  if (given_up()) return;
  for (const Slot& slot : slots_) (void)settle(slot.used.get());
  (void)settle(copies_.get());
  for (Slot& slot : slots_) trace_copy(slot);
}

/// Tells of a copy that is over.
void BlockReader::trace_copy(Slot& slot) {
  if (!slot.done) return;
  float begin_ms = 0, end_ms = 0;
  const bool known = cudaEventElapsedTime(&begin_ms, origin_->get(), slot.begun->get()) == cudaSuccess &&
                     cudaEventElapsedTime(&end_ms, origin_->get(), slot.done->get()) == cudaSuccess;
  if (known) trace::add_copy_up("a block", origin_us_ + 1e3 * begin_ms, origin_us_ + 1e3 * end_ms);
  slot.done.reset();
}

void BlockReader::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    Slot& slot = *queue_.front();
    queue_.pop_front();
    lock.unlock();
    std::exception_ptr failure;
    try {
      fill(slot);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    slot.failure = failure;
    slot.state = State::read;
    read_.notify_all();
  }
}

void BlockReader::fill(Slot& slot) const {
  const trace::Span span("read", "read a block");
  source_->read_rows(slot.block * block_rows_, rows_of(slot.block), slot.host.data());
}

std::int64_t BlockReader::rows_of(std::int64_t block) const {
  return std::min(block_rows_, source_->shape().ny - block * block_rows_);
}

BlockReader::Slot* BlockReader::find(std::int64_t block) {
  for (Slot& slot : slots_)
    if (slot.block == block) return &slot;
  return nullptr;
}

bool BlockReader::is_near(const Slot& slot, std::int64_t block) const {
  return slot.state != State::idle && slot.block >= block - kept_blocks_ &&
         slot.block < block + static_cast<std::int64_t>(slots_.size());
}

BlockReader::Slot* BlockReader::spare(std::int64_t block, bool wait) {
  std::unique_lock lock(mutex_);
  while (true) {
    Slot* oldest = nullptr;
    bool reading = false;
    for (Slot& slot : slots_) {
      if (slot.held) continue;
      if (slot.state == State::wanted) {
        reading = true;
        continue;
      }
      // Blocks about the one asked for are kept as long as others can go.
      if (!wait && (is_near(slot, block) || !is_over(slot.copied) || !is_over(slot.used))) continue;
      const auto rank = [&](const Slot& one) { return std::pair(is_near(one, block), one.turn); };
      if (oldest == nullptr || rank(slot) < rank(*oldest)) oldest = &slot;
    }
    if (oldest != nullptr || !wait) {
      lock.unlock();
      if (oldest != nullptr && wait) {
        oldest->copied.wait();
        oldest->used.wait();
      }
      return oldest;
    }
    if (!reading) return nullptr;  // all are held: never, with so few of them
    read_.wait(lock);
  }
}

void BlockReader::want(Slot& slot, std::int64_t block) {
  const std::int64_t bytes = block_bytes();
  if (slot.host.size() == 0) {
    const trace::Span span("host", "lock memory for copies");
    slot.device = DeviceBuffer<std::byte>(bytes, copies_.get());
    slot.host = PinnedBuffer<std::byte>(bytes);
  }
  trace_copy(slot);
  slot.turn = ++turn_;
  {
    const std::lock_guard lock(mutex_);
    slot.failure = nullptr;
    slot.block = block;
    slot.state = State::wanted;
    if (!threads_.empty()) queue_.push_back(&slot);
  }
  wanted_.notify_one();
}

void BlockReader::want_ahead(std::int64_t block, std::int64_t end) {
  if (threads_.empty()) return;
  std::size_t under_way = 1;
  for (std::int64_t next = block + 1; next < std::min(end, blocks_) && under_way < slots_.size(); ++next) {
    if (stays(next)) continue;
    ++under_way;
    if (find(next) != nullptr) continue;
    Slot* const slot = spare(block, false);
    if (slot == nullptr) return;
    want(*slot, next);
  }
}

void BlockReader::wait_for_rows(const Slot& slot) {
  std::unique_lock lock(mutex_);
  if (slot.state != State::wanted) return;
  const trace::Span span("host", "wait for a block");
  read_.wait(lock, [&] { return slot.state != State::wanted; });
}

void BlockReader::send(Slot& slot) {
  const std::int64_t bytes = rows_of(slot.block) * row_bytes_;
  if (origin_) {
    slot.begun.emplace(true);
    slot.begun->record(copies_.get());
  }
  check(cudaMemcpyAsync(place_of(slot), slot.host.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        copies_.get()),
        "cudaMemcpyAsync", bytes);
  slot.copied.record(copies_.get());
  if (origin_) {
    slot.done.emplace(true);
    slot.done->record(copies_.get());
  }
  if (slot.block < most_staying_) {
    std::optional<Event>& there = there_[static_cast<std::size_t>(slot.block)];
    if (!there) there.emplace();
    there->record(copies_.get());
  }
  slot.state = State::sent;
  context_.counters.bytes_up += bytes;
}

void BlockReader::send_what_is_read() {
  for (Slot& slot : slots_) {
    {
      const std::lock_guard lock(mutex_);
      if (slot.state != State::read || slot.failure || slot.block < next_ - 1) continue;
    }
    send(slot);
  }
}

bool BlockReader::stays(std::int64_t block) const {
  return block < most_staying_ && there_[static_cast<std::size_t>(block)].has_value();
}

std::byte* BlockReader::place_of(const Slot& slot) {
  if (slot.block >= most_staying_) return slot.device.data();
  if (staying_.size() == 0) staying_ = DeviceBuffer<std::byte>(most_staying_ * block_bytes(), copies_.get());
  return staying_.data() + slot.block * block_bytes();
}

void BlockReader::read(std::int64_t y0, std::int64_t ny, cudaStream_t stream, const Use& use) {
  const std::int64_t end = y0 + ny;
  for (std::int64_t y = y0; y < end;) {
    const std::int64_t block = y / block_rows_, first = block * block_rows_;
    // Whoever goes on where the last one ended will go on further.
    const bool onward = block == 0 || block == next_ || (block < next_ && block + kept_blocks_ >= next_);
    const std::int64_t ahead = onward ? blocks_ : (end - 1) / block_rows_ + 1;
    const std::int64_t rows = std::min(end, first + rows_of(block)) - y;
    const auto use_block = [&](const std::byte* device) { use(y, rows, device + (y - first) * row_bytes_); };
    if (stays(block)) {
      next_ = block + 1;
      want_ahead(block, ahead);
      send_what_is_read();
      check(cudaStreamWaitEvent(stream, there_[static_cast<std::size_t>(block)]->get(), 0), "cudaStreamWaitEvent");
      use_block(staying_.data() + block * block_bytes());
    } else {
      use_slot(block, ahead, stream, use_block);
    }
    y += rows;
  }
}

void BlockReader::use_slot(std::int64_t block, std::int64_t ahead, cudaStream_t stream,
                           const std::function<void(const std::byte*)>& use) {
  Slot* slot = find(block);
  if (slot == nullptr) {
    slot = spare(block, true);
    want(*slot, block);
  }
  slot->held = true;
  try {
    want_ahead(block, ahead);
    if (threads_.empty() && slot->state == State::wanted) {  // the system gave none
      fill(*slot);
      slot->state = State::read;
    }
    wait_for_rows(*slot);
    if (slot->failure) std::rethrow_exception(slot->failure);
    next_ = block + 1;
    if (slot->state == State::read) send(*slot);
    send_what_is_read();
    check(cudaStreamWaitEvent(stream, slot->copied.get(), 0), "cudaStreamWaitEvent");
    use(place_of(*slot));
    // Another stream may still be at it: what stands for "used" then stands for both.
    check(cudaStreamWaitEvent(stream, slot->used.get(), 0), "cudaStreamWaitEvent");
    slot->used.record(stream);
    slot->turn = ++turn_;
    slot->held = false;
  } catch (...) {
    slot->held = false;
    const std::lock_guard lock(mutex_);
    if (slot->state != State::wanted) {
      slot->block = -1;
      slot->state = State::idle;
    }
    throw;
  }
}

}  // namespace reber::cuda
