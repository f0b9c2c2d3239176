// SPDX-License-Identifier: BSD-3-Clause
// A worker seen from inside: lanes that take files from sockets 3, 4 and so on.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/batch/worker_link.hpp"
#include "app/batch/worker_process.hpp"
#include "app/options/one_card.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/signals.hpp"
#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/run/batch/deal.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

class Worker {
 public:
  Worker(const RunSettings& settings, const WorkerTask& task, Terminal& terminal)
      : settings_(settings), terminal_(terminal) {
    CommonOptions options = settings.common;
    const int threads = options.threads > 0 ? options.threads : usable_threads();
    for (const int share : divide_threads(threads, task.lanes)) {
      options.threads = share;
      runners_.push_back(std::make_unique<ImageRunner>(settings, options, terminal, true));
      links_.push_back(std::make_unique<LineLink>(3 + static_cast<int>(links_.size())));
    }
  }

  /// The exit code. Of a stop its parent tells, which replaces a worker or was stopped as well; alone it says so
  /// itself.
  int run() {
    std::thread watch = start_thread([this] { watch_parent(); });
    std::vector<std::int64_t> numbers;
    std::vector<Lane> lanes;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      numbers.push_back(static_cast<std::int64_t>(i));
      lanes.push_back([this](std::int64_t number) { one_lane(static_cast<std::size_t>(number)); });
    }
    const auto end_watch = [&] {
      over_ = true;
      if (watch.joinable()) watch.join();
    };
    try {
      deal(numbers, lanes);
    } catch (const Cancelled&) {
      end_watch();
      if (orphan_) throw;
      return stopped_exit_code();
    } catch (...) {
      end_watch();
      throw;
    }
    end_watch();
    return kDone;
  }

 private:
  void one_lane(std::size_t at) {
    LineLink& link = *links_[at];
    const Progress progress({}, &stop_flag());
    if (!link.send("ready")) return;
    while (const std::optional<std::string> line = link.receive([&] { progress.check(); })) {
      const Json question = Json::parse(*line);
      const BatchImage image{question.at("path"), question.at("plane")};
      ++busy_;
      const ImageDone done = runners_[at]->run(image, progress, named(image.name()), question.at("again"));
      const Json answer{{"record", to_line(done.record)}, {"told", done.told}};
      link.send(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
      --busy_;
    }
  }

  [[nodiscard]] LogSink named(const std::string& name) const { return log_of_image(terminal_.log(), name); }

  /// A parent that dies while an image is worked on leaves nobody to record it: stop, as a signal would.
  void watch_parent() {
    while (!over_) {
      for (const auto& link : links_) {
        pollfd hung_up{link->descriptor(), POLLRDHUP, 0};
        if (::poll(&hung_up, 1, 0) > 0 && (hung_up.revents & (POLLRDHUP | POLLHUP)) != 0 && busy_ > 0) {
          orphan_ = true;
          ::kill(::getpid(), SIGTERM);
          return;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  const RunSettings& settings_;
  Terminal& terminal_;
  std::vector<std::unique_ptr<ImageRunner>> runners_;
  std::vector<std::unique_ptr<LineLink>> links_;
  std::atomic<int> busy_{0};
  std::atomic<bool> over_{false}, orphan_{false};
};

}  // namespace

int serve(RunSettings settings, const WorkerTask& task, Terminal& terminal) {
  terminal.reserve_output();
  settings.common.device = task.device;
  settings.common.threads = task.threads;
  take_own_card(task.device, settings.common.device_named || !settings.devices.empty());
  return Worker(settings, task, terminal).run();
}

}  // namespace reber::app
