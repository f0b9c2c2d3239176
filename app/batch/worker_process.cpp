// SPDX-License-Identifier: BSD-3-Clause
// A worker seen from its parent: started, asked, replaced, ended.
#include "app/batch/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/batch/worker_link.hpp"
#include "app/options/one_card.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/plain_path.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

/// A lane's way to a process.
struct Link {
  explicit Link(int descriptor) : line(descriptor) {}
  LineLink line;
  bool ready = false;  ///< the worker has a backend for this lane
};
using Links = std::vector<std::unique_ptr<Link>>;

constexpr int kFirstFree = 64;  ///< above the numbers that descriptors get in a worker

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return fmt::format("by signal {}", WTERMSIG(status));
  return fmt::format("with exit code {}", WEXITSTATUS(status));
}

[[noreturn]] void no_socket() {
  // Above the limit on open files descriptors are invalid.
  const bool too_few = errno == EINVAL || errno == EMFILE;
  throw DeviceError(fmt::format("cannot make a socket for a worker: {}",
                                too_few ? "this process may open too few files (ulimit -n)" : std::strerror(errno)));
}

/// Both ends of a socket; the second is to be a worker's.
std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) no_socket();
  const int high = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFree);
  const int error = errno;
  ::close(ends[1]);
  if (high < 0) {
    ::close(ends[0]);
    errno = error;
    no_socket();
  }
  return {ends[0], high};
}

int number(std::string_view text, const std::string& whole) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0)
    throw InputError(fmt::format("'{}': expected numbers from 0 with commas between them", printable(whole)));
  return value;
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(number(std::string_view(text).substr(begin, end - begin), text));
    begin = end + 1;
  }
  return values;
}

}  // namespace

std::string WorkerTask::text() const { return fmt::format("{},{},{}", lanes, device, threads); }

WorkerTask WorkerTask::parse(const std::string& text) {
  const std::vector<int> values = numbers(text);
  if (values.size() != 3 || values[0] < 1) throw InputError("--serve is for worker processes");
  return {values[0], values[1], values[2]};
}

struct WorkerProcess::State {
  WorkerTask task;
  std::mutex mutex;
  std::shared_ptr<Links> links;  ///< of the process that runs; null where none does
  pid_t process = 0;
  std::string end;  ///< how the last one ended

  /// Under the lock.
  void start() {
    auto made = std::make_shared<Links>();
    std::vector<int> theirs;
    for (int lane = 0; lane < task.lanes; ++lane) {
      const auto [mine, other] = socket_pair();
      made->push_back(std::make_unique<Link>(mine));
      theirs.push_back(other);
    }
    process = start_this_program(own_command_line("--serve=" + task.text()), theirs);
    for (const int descriptor : theirs) ::close(descriptor);
    links = std::move(made);
  }

  /// Under the lock. Asks with SIGTERM, and insists after a while: a card may hold a process for good.
  void finish(int signal) {
    if (process == 0) return;
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kPatience{10};
    if (signal != 0) ::kill(process, signal);
    int status = 0;
    for (const auto begin = Clock::now();; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
      const pid_t ended = ::waitpid(process, &status, WNOHANG);
      if (ended == process || (ended < 0 && errno != EINTR)) break;
      if (signal != 0 && Clock::now() - begin > kPatience) ::kill(process, SIGKILL);
    }
    end = in_words(status);
    process = 0;
    links.reset();
  }

  std::shared_ptr<Links> current() {
    const std::lock_guard lock(mutex);
    if (!links) start();
    return links;
  }

  /// The process that `lost` belongs to is of no more use.
  void replace(const std::shared_ptr<Links>& lost) {
    const std::lock_guard lock(mutex);
    if (links == lost) finish(SIGTERM);
  }
};

WorkerProcess::WorkerProcess(const WorkerTask& task) : state_(std::make_unique<State>()) {
  state_->task = task;
  (void)state_->current();
}

WorkerProcess::~WorkerProcess() {
  const std::lock_guard lock(state_->mutex);
  state_->links.reset();  // it sees its sockets closed and ends
  state_->finish(0);
}

ImageDone WorkerProcess::run(int lane, const BatchImage& image, const Progress& progress) {
  const auto wait = [&] {
    try {
      progress.report("image", 0);
    } catch (const Cancelled&) {
      const std::lock_guard lock(state_->mutex);
      state_->finish(SIGTERM);
      throw;
    }
  };
  ImageDone done;
  for (const bool again : {false, true}) {
    wait();
    const std::shared_ptr<Links> links = state_->current();
    Link& link = *(*links)[static_cast<std::size_t>(lane)];
    if (!link.ready && link.line.receive(wait) != "ready") {
      state_->replace(links);
      throw DeviceError(
          fmt::format("a worker process for card {} did not start: it ended {}", state_->task.device, state_->end));
    }
    link.ready = true;
    const Json question{{"path", image.path}, {"plane", image.plane}, {"again", again}};
    std::optional<std::string> answer;
    if (link.line.send(question.dump(-1, ' ', false, Json::error_handler_t::replace))) answer = link.line.receive(wait);
    const Json reply = answer ? parsed_json<Json>(*answer) : Json();
    std::optional<ImageRecord> record = reply.is_object() ? record_of(reply.value("record", "")) : std::nullopt;
    if (record) {
      done = {std::move(*record), {}, reply.value("told", "")};
      // An error of a card may stay with its process.
      if (done.record.exit_code != kDeviceError || done.record.backend != "cuda" || again) return done;
    }
    state_->replace(links);
    if (record) continue;
    done.record.input = image.path;
    done.record.plane = image.plane;
    done.record.path = plain_path(image.path);
    done.record.state = state_of(image.path);
    done.record.version = program_name();
    done.record.exit_code = kDeviceError;
    done.record.message = fmt::format("{}: the process that worked on it ended {}", image.name(), state_->end);
    done.record.ended = now_utc();
  }
  return done;
}

std::vector<int> parse_devices(const std::string& text) {
  if (text != "all") return numbers(text);
  if (std::vector<int> devices = cards_by_files(); !devices.empty() && !std::getenv("CUDA_VISIBLE_DEVICES"))
    return devices;
  std::array<int, 2> ends = socket_pair();
  LineLink link(ends[0]);
  const pid_t process = start_this_program({"reber", "--devices"}, {}, ends[1]);
  ::close(ends[1]);
  std::vector<int> devices;
  while (const std::optional<std::string> line = link.receive([] {}))
    if (line->find("card " + std::to_string(devices.size()) + ":") != std::string::npos)
      devices.push_back(static_cast<int>(devices.size()));
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  if (devices.empty()) throw DeviceError("--devices all: there is no NVIDIA card here (reber --devices says why)");
  return devices;
}

}  // namespace reber::app
