// SPDX-License-Identifier: BSD-3-Clause
// Work with other people's bytes, by code that was not made for hostile ones, in child processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/base/progress.hpp"
#include "core/files/fits/decoder_cage.hpp"
#include "core/files/fits/pixel_sources.hpp"

namespace reber::fits {

/// What a child says, in memory that both processes see.
struct ChildAnswer {
  enum class End {
    none,        ///< it did not come to its end
    done,        ///< its work is done
    failed,      ///< the bytes are damaged, or not what they should be: message
    no_memory,   ///< an allocation failed
    not_opened,  ///< the system does not open the file: error
    no_cage,     ///< the system permits no cage, and one is required
  };
  End end = End::none;
  int error = 0;  ///< the system's number
  std::array<char, 1000> message{};

  /// Cuts the text to the room there is.
  void say(End how, const char* text) noexcept;
};

/// Thrown by a child's work where the system does not open its file.
struct NotOpened {
  int error = 0;
};

/// In a child whose file is open: none is opened from here on.   returns false where that fails; true outside of a cage
[[nodiscard]] bool close_cage() noexcept;

/// Memory that children write and their parent reads: answers, then bytes, which are given as they are touched.
class SharedMemory final : public PixelMemory {
 public:
  /// throws DeviceError where there is no memory
  SharedMemory(std::size_t answers, std::int64_t bytes);
  ~SharedMemory() override;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  [[nodiscard]] ChildAnswer& answer(std::size_t child) const { return static_cast<ChildAnswer*>(memory_)[child]; }
  [[nodiscard]] std::byte* bytes() const { return static_cast<std::byte*>(memory_) + offset_; }
  [[nodiscard]] const std::byte* data() const override { return bytes(); }

 private:
  std::size_t offset_, size_;
  void* memory_ = nullptr;
};

/// What a child keeps.
struct ChildLimits {
  unsigned seconds = 30;    ///< of the processor: a decoder that hangs uses them, one that was stopped does not
  int descriptor = -1;      ///< that stays open; -1: none but the standard streams, which lead nowhere
  int opens = 2;            ///< files that it may have open in addition
  std::uint64_t bytes = 0;  ///< of addresses, in addition to those of its parent
  std::vector<std::string> folders;  ///< beneath which it may open files, where the system can; all where empty
  Cage cage = Cage::half;            ///< that it is in before its work begins
};
/// Seconds that nobody needs for so many bytes: decoders manage well over 1 MiB/s on any machine.
[[nodiscard]] unsigned patience_seconds(std::int64_t bytes);

/// The children of one piece of work, in the order of their start. Those that still run when it goes are killed.
class CagedChildren {
 public:
  /// where: how messages begin, such as "'m31.fits', HDU 1: "
  explicit CagedChildren(std::string where) : where_(std::move(where)) {}
  ~CagedChildren();
  CagedChildren(const CagedChildren&) = delete;
  CagedChildren& operator=(const CagedChildren&) = delete;

  /// Runs work() in a child, in its cage: memory and the file are all that it may use. What it throws is its answer:
  /// std::bad_alloc, NotOpened, or what is wrong with the bytes.
  ///   returns false where the system gives no process (errno)
  [[nodiscard]] bool start(const ChildLimits& limits, ChildAnswer& answer, const std::function<void()>& work);
  /// Waits for the first that still runs.   returns what is wrong with the bytes, in words; empty where its work is
  /// done
  ///   throws DeviceError, std::bad_alloc where the system is the reason; Cancelled
  [[nodiscard]] std::string wait(const Progress& progress);

 private:
  enum class End { known, unknown, stays_stopped };
  struct Child {
    pid_t id;
    const ChildAnswer* answer;
  };
  End wait_for(pid_t child, int& how, const Progress& progress);

  std::string where_;
  std::deque<Child> running_;
  bool sent_on_ = false;
};

}  // namespace reber::fits
