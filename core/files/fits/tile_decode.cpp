// SPDX-License-Identifier: BSD-3-Clause
// Tile-compressed images through CFITSIO, in child processes side by side: damaged RICE, PLIO and HCOMPRESS streams
// carry nothing that could be checked beforehand, and make CFITSIO read and write outside its memory or never return.
#include "core/files/fits/tile_decode.hpp"

#include <fcntl.h>
#include <fitsio.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/fits/decoder_cage.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/fits/tile_guard.hpp"

namespace reber::fits {
namespace {

/// Decoders manage well over this on any machine; a child that takes longer hangs.
constexpr std::int64_t kSlowestBytesPerSecond = 1 << 20;
constexpr unsigned kPatienceSeconds = 30;
/// A child that something stopped alone (SIGSTOP) is sent on after so long a time, once; stopped again, it is given up.
/// Time in which this process is stopped as well, as by Ctrl-Z, does not count.
constexpr std::chrono::seconds kStoppedPatience{10};

/// What a child says, in memory that both processes see; the pixels follow those of all children.
struct Answer {
  int finished = 0;
  int status = 0;
  int error = 0;  ///< the system's number, where the file cannot be opened
  std::array<char, 1000> message{};
};

/// The box of pixels to read, 1-based, as CFITSIO takes it.
struct Box {
  std::vector<long> low, high, step;
};

class SharedMemory final : public PixelMemory {
 public:
  SharedMemory(std::size_t answers, std::int64_t pixel_bytes)
      : pixel_offset_((answers * sizeof(Answer) + kPage - 1) / kPage * kPage),
        size_(pixel_offset_ + static_cast<std::size_t>(pixel_bytes)) {
    memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) {
      throw DeviceError(fmt::format("no memory for {} bytes of decoded pixels: {}", pixel_bytes,
                                    std::generic_category().message(errno)));
    }
    for (std::size_t i = 0; i < answers; ++i) new (&answer(i)) Answer();
  }
  ~SharedMemory() override { ::munmap(memory_, size_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  [[nodiscard]] Answer& answer(std::size_t child) const { return static_cast<Answer*>(memory_)[child]; }
  [[nodiscard]] std::byte* pixels() const { return static_cast<std::byte*>(memory_) + pixel_offset_; }
  [[nodiscard]] const std::byte* data() const override { return pixels(); }

 private:
  static constexpr std::size_t kPage = 4096;  ///< more than pixels must be aligned to
  std::size_t pixel_offset_, size_;
  void* memory_ = nullptr;
};

Answer* answer_of_this_child = nullptr;
constexpr int kNoCage = -1;  ///< no status of CFITSIO's

/// In a child: CFITSIO follows a null pointer where some allocations fail.
void on_crash(int signal) {
  if (errno != ENOMEM) {
    ::signal(signal, SIG_DFL);  // it strikes again
    return;
  }
  answer_of_this_child->status = MEMORY_ALLOCATION;
  answer_of_this_child->finished = 1;
  ::_exit(0);
}

/// Runs in the child, where nothing but CFITSIO and memory may be used.   box: CFITSIO takes it as one to be written
void decode(const char* path, int hdu, int type, Box& box, void* out, Answer& answer) noexcept {
  fitsfile* file = nullptr;
  int status = 0, any = 0;
  const float float_blank = std::numeric_limits<float>::quiet_NaN();
  const double double_blank = std::numeric_limits<double>::quiet_NaN();
  const void* const blank = type == TFLOAT ? static_cast<const void*>(&float_blank) : &double_blank;
  answer_of_this_child = &answer;
  // What reads other people's headers and streams needs nothing beyond; where the system permits no cage it goes on
  // without, unless one is required.
  const bool caged = enter_cage(Cage::half);
  if (!caged && cage_is_required()) {
    answer.status = kNoCage;
    answer.finished = 1;
    return;
  }
  errno = 0;
  fits_open_diskfile(&file, path, READONLY, &status);
  const int error = errno;
  if (status == FILE_NOT_OPENED) answer.error = error;
  if (caged && !enter_cage(Cage::whole) && status == 0) status = FILE_NOT_OPENED;
  errno = error;
  if (status == 0) fits_movabs_hdu(file, hdu + 1, nullptr, &status);
  if (status == 0) {
    fits_read_subset(file, type, box.low.data(), box.high.data(), box.step.data(), const_cast<void*>(blank), out, &any,
                     &status);
  }
  // CFITSIO says of some allocations that fail that the data are wrong.
  answer.status = status != 0 && errno == ENOMEM ? MEMORY_ALLOCATION : status;
  if (status != 0) {
    std::array<char, FLEN_ERRMSG> line{};
    std::size_t used = 0;
    for (int i = 0; i < 8 && fits_read_errmsg(line.data()) != 0; ++i) {
      const std::size_t length = std::min(std::strlen(line.data()), answer.message.size() - 3 - used);
      std::memcpy(answer.message.data() + used, line.data(), length);
      used += length;
      if (used + 3 >= answer.message.size()) break;
      answer.message[used++] = ';';
      answer.message[used++] = ' ';
    }
  }
  answer.finished = 1;
}

/// What a decoding child keeps.
struct Leave {
  int descriptor = 0;       ///< of the file
  std::uint64_t bytes = 0;  ///< of addresses, beside those of its parent
  std::uint64_t now = address_bytes();
};

/// A child must not run the program's handlers, write to its terminal, leave a core, or hang.
void become_a_decoder(unsigned seconds, const Leave& leave) {
  for (const int signal : {SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGPROF, SIGTERM}) ::signal(signal, SIG_DFL);
  ::signal(SIGSEGV, on_crash);
  for (const int signal : {SIGINT, SIGHUP})
    ::signal(signal, SIG_IGN);  // Ctrl-C reaches the whole group: the parent decides, and ends its child
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  leave_little(leave.descriptor, leave.now, leave.bytes);
  // Of the processor's time: a decoder that hangs uses it, one that was stopped and sent on does not.
  const itimerval limit{{0, 0}, {static_cast<time_t>(seconds), 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

/// The children of one plane, in the order of their start. Those that still run when it goes are killed.
class Decoders {
 public:
  Decoders() = default;
  ~Decoders() {
    for (const pid_t child : running_) ::kill(child, SIGKILL);
    int how = 0;
    for (const pid_t child : running_)
      while (::waitpid(child, &how, 0) < 0 && errno == EINTR) {
      }
  }
  Decoders(const Decoders&) = delete;
  Decoders& operator=(const Decoders&) = delete;

  /// Runs work() in a child.   returns false where the system gives no process (errno)
  template <class Work>
  [[nodiscard]] bool start(unsigned seconds, const Leave& leave, const Work& work) {
    running_.push_back(0);  // before there is a child that could be forgotten
    const pid_t child = ::fork();
    if (child == 0) {
      become_a_decoder(seconds, leave);
      work();  // throws nothing: unwinding here would end the parent's other children
      ::_exit(0);
    }
    if (child > 0)
      running_.back() = child;
    else
      running_.pop_back();
    return child > 0;
  }

  /// What became of the first that still runs.
  enum class End { known, unknown, stays_stopped };

  /// Waits for the first that still runs.   how: as of waitpid   throws Cancelled
  End wait(int& how, const Progress& progress) {
    constexpr std::chrono::microseconds kShortest{200}, kLongest{5000};
    std::chrono::microseconds stopped{0};
    for (auto pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
      const pid_t ended = ::waitpid(running_.front(), &how, WNOHANG);
      if (ended > 0 || (ended < 0 && errno != EINTR)) {
        running_.pop_front();
        return ended > 0 ? End::known : End::unknown;
      }
      progress.check();
      std::this_thread::sleep_for(pause);
      // Pauses are counted, not the clock: it goes on while this process is stopped.
      stopped = is_stopped(running_.front()) ? stopped + pause : std::chrono::microseconds{0};
      if (stopped < kStoppedPatience) continue;
      if (sent_on_) return End::stays_stopped;
      sent_on_ = true;
      stopped = std::chrono::microseconds{0};
      for (const pid_t child : running_) ::kill(child, SIGCONT);
    }
  }

 private:
  static bool is_stopped(pid_t child) {
    siginfo_t state{};
    return ::waitid(P_PID, static_cast<id_t>(child), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid == child;
  }

  std::deque<pid_t> running_;
  bool sent_on_ = false;
};

/// Signals that no stream can lead to.
bool comes_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGXCPU || signal == SIGUSR1 || signal == SIGUSR2;
}

/// How the first child that still runs ended, in words; empty where it did its work.
std::string trouble_of(Decoders& children, const Answer& answer, const std::string& where, const Progress& progress) {
  int how = 0;
  const Decoders::End end = children.wait(how, progress);
  progress.check();  // whoever stopped the child may have meant this process as well
  if (end == Decoders::End::stays_stopped)
    throw DeviceError(where + "the decoder was stopped from outside, and again after it had been sent on");
  if (end == Decoders::End::known && WIFSIGNALED(how)) {
    const int signal = WTERMSIG(how);
    if (signal == SIGPROF) return "the decoder did not come to an end";
    if (comes_from_outside(signal))
      throw DeviceError(fmt::format(
          "{}the decoder was ended from outside (signal {}), as the system does where memory lacks", where, signal));
    return fmt::format("the decoder crashed (signal {})", signal);
  }
  if (answer.finished == 0) return "the decoder stopped";
  if (answer.status == 0) return {};
  if (answer.status == MEMORY_ALLOCATION) throw std::bad_alloc();
  if (answer.status == kNoCage)
    throw DeviceError(where + "the system permits no seccomp filter for its decoder, and --require-cage asks for one");
  if (answer.error != 0)
    throw DeviceError(fmt::format("{}cannot be opened again for its decoder: {}", where,
                                  std::generic_category().message(answer.error)));
  return fmt::format("CFITSIO status {}: {}", answer.status, restrict_to_ascii(answer.message.data()));
}

/// A plane in boxes of whole tiles, one a child, in the order of their pixels in memory.
struct Shares {
  std::vector<Box> boxes;
  std::int64_t pixels = 0;  ///< of each box but the last, which may be smaller
};

Shares shares_of(const Hdu& hdu, int x_axis, int y_axis, std::int64_t plane, std::int64_t pixel_bytes) {
  constexpr std::int64_t kLeastBytes = 4 << 20, kMostChildren = 64;
  const auto slow = static_cast<std::size_t>(std::max(x_axis, y_axis));
  const std::int64_t row = hdu.axes[static_cast<std::size_t>(std::min(x_axis, y_axis))], rows = hdu.axes[slow];
  const std::int64_t worth = rows * row * pixel_bytes / kLeastBytes;
  const std::int64_t children =
      std::clamp<std::int64_t>(worth, 1, std::min<std::int64_t>(usable_threads(), kMostChildren));
  const std::int64_t tile = hdu.layout.tile[slow], tiles = (rows - 1) / tile + 1;
  const std::int64_t height = ((tiles - 1) / children + 1) * tile;
  Box box;
  const auto position = plane_position(hdu.axes, x_axis, y_axis, plane);
  for (std::size_t i = 0; i < hdu.axes.size(); ++i) {
    const bool whole = static_cast<int>(i) == x_axis || static_cast<int>(i) == y_axis;
    box.low.push_back(whole ? 1 : position[i] + 1);
    box.high.push_back(whole ? hdu.axes[i] : position[i] + 1);
    box.step.push_back(1);
  }
  Shares shares{{}, height * row};
  for (std::int64_t first = 0; first < rows; first += height) {
    box.low[slow] = first + 1;
    box.high[slow] = std::min(first + height, rows);
    shares.boxes.push_back(box);
  }
  return shares;
}

}  // namespace

std::shared_ptr<const DecodedPlane> decode_tiles(const ByteSource& bytes, const Hdu& hdu, int x_axis, int y_axis,
                                                 std::int64_t plane, const std::string& name,
                                                 const Progress& progress) {
  const std::string where = fmt::format("'{}', HDU {}: ", name, hdu.index);
  // The open file by its descriptor: the same file that was checked, and a name without special characters.
  const std::string path = bytes.reopen_path();
  if (path.empty()) {
    throw DataError(where + "a tile-compressed image inside a gzip or bzip2 file is not read; unpack it first");
  }
  check_streams(bytes, hdu, name);
  auto out = std::make_shared<DecodedPlane>();
  out->shape = {hdu.axes[static_cast<std::size_t>(y_axis)], hdu.axes[static_cast<std::size_t>(x_axis)]};
  // Integers as double: their scaled values then keep every digit.
  const bool single = hdu.bitpix == -32;
  out->format.type = single ? PixelType::f32 : PixelType::f64;
  out->format.big_endian = std::endian::native == std::endian::big;
  const std::int64_t pixel_bytes = out->shape.count() * bytes_of(out->format.type);
  Shares shares = shares_of(hdu, x_axis, y_axis, plane, bytes_of(out->format.type));
  auto memory = std::make_shared<SharedMemory>(shares.boxes.size(), pixel_bytes);
  const auto seconds =
      kPatienceSeconds + static_cast<unsigned>(std::min<std::int64_t>(pixel_bytes / kSlowestBytesPerSecond, 1 << 20));
  const auto share = [&](std::size_t i) {
    std::byte* const pixels =
        memory->pixels() + static_cast<std::int64_t>(i) * shares.pixels * bytes_of(out->format.type);
    decode(path.c_str(), hdu.index, single ? TFLOAT : TDOUBLE, shares.boxes[i], pixels, memory->answer(i));
  };
  // Tiles as integers and as floats, and what CFITSIO keeps of them.
  constexpr std::int64_t kLeastBytes = std::int64_t{512} << 20, kCopies = 4;
  const Leave leave{std::atoi(path.c_str() + path.rfind('/') + 1),
                    static_cast<std::uint64_t>(kLeastBytes + kCopies * pixel_bytes)};
  Decoders children;
  for (std::size_t started = 0, ended = 0; ended < shares.boxes.size(); ++ended) {
    while (started < shares.boxes.size() && children.start(seconds, leave, [&] { share(started); })) ++started;
    // Where there are no more processes, those that run end first.
    if (started == ended)
      throw DeviceError(where + "no process for the decoder: " + std::generic_category().message(errno));
    const std::string trouble = trouble_of(children, memory->answer(ended), where, progress);
    if (!trouble.empty())
      throw DataError(fmt::format("{}decompression fails: {}; the compressed data are damaged", where, trouble));
  }
  out->pixels = std::move(memory);
  return out;
}

}  // namespace reber::fits
