// SPDX-License-Identifier: BSD-3-Clause
// How many lanes, and what each does.
#include "app/batch/image_runners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/options/backend_choice.hpp"
#include "app/options/one_card.hpp"
#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/run/batch/deal.hpp"
#include "core/run/batch/rank.hpp"
#include "core/run/batch/read_ahead.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

/// Between two looks at images that other processes have.
constexpr std::chrono::milliseconds kPause{50};

/// Memory that an image may take, in bytes per byte of its file; a compressed file is smaller than its image.
constexpr std::int64_t kImageBytes = 12, kPackedBytes = 48;

std::int64_t largest_image_bytes(const std::vector<BatchImage>& images, const std::vector<std::int64_t>& to_do,
                                 const Progress& progress) {
  std::int64_t largest = 1, file_bytes = 0;
  const std::string* looked_at = nullptr;
  for (const std::int64_t index : to_do) {
    progress.check();
    const BatchImage& image = images[static_cast<std::size_t>(index)];
    if (looked_at == nullptr || *looked_at != image.path) file_bytes = state_of(image.path).bytes;
    looked_at = &image.path;
    const bool packed = image.path.ends_with(".gz") || image.path.ends_with(".fz");
    largest = std::max(largest, file_bytes / image.planes * (packed ? kPackedBytes : kImageBytes));
  }
  return largest;
}

/// Planes of a cube would each warn of what its header says; a text is told with the first of them.
class Once {
 public:
  [[nodiscard]] LogSink of(const BatchImage& image, const LogSink& log) {
    if (!image.is_plane()) return log;
    return LogSink([this, path = image.path, log](LogLevel level, const std::string& text) {
      if (level == LogLevel::detail) return log.detail(text);
      {
        const std::lock_guard lock(mutex_);
        if (!told_.emplace(path, text).second) return;
      }
      level == LogLevel::info ? log.info(text) : log.warning(text);
    });
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> told_;
};

/// Images side by side where each has a core: one thread per image wastes none. Half of the memory may go.
///   bytes: that one may take;   of_card: lanes that one card has
int choose_lanes(const RunSettings& settings, int asked, const BackendInfo& backend, std::int64_t images,
                 std::int64_t bytes, int of_card) {
  if (settings.common.dry_run) return 1;
  const int threads = settings.common.threads > 0 ? settings.common.threads : usable_threads();
  const bool device = backend.device_memory_bytes > 0;
  std::int64_t lanes = asked;
  if (lanes == 0) {
    lanes = std::min<std::int64_t>(device ? of_card : threads, host_memory_bytes() / 2 / bytes);
    if (device) lanes = std::min(lanes, backend.device_memory_bytes / 2 / bytes);
  }
  return static_cast<int>(std::clamp<std::int64_t>(lanes, 1, images));
}

bool has_cuda() {
  return std::ranges::any_of(backend_table(),
                             [](const BackendEntry& entry) { return std::string_view(entry.name) == "cuda"; });
}

/// Those that this process may spread its work over, by the driver's files, so that the driver need not start here.
/// Ranks of a host have a card each, and images that the processor does faster than a card starts stay there.
std::vector<int> usable_cards(const RunSettings& settings, std::uintmax_t bytes) {
  const CommonOptions& common = settings.common;
  const std::string backend = for_images(common, bytes).backend;
  const bool one_rank = settings.rank.empty() && rank_of_environment().alone() && local_rank() == 0;
  if (!one_rank || common.device_named || (backend != "auto" && backend != "cuda")) return {};
  if (!has_cuda() || std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return {};
  return cards_by_files();
}

/// How many cards --devices names, as far as that is known without starting the driver.
std::size_t cards_named(const std::string& devices) {
  if (devices == "all") return cards_in_sight().size();
  return devices.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(devices, ',')) + 1;
}

/// What the options say; where they name neither lanes, workers nor cards, --jobs over all cards of this host.
///   bytes: of pixels, all images together
Spread spread_of(const RunSettings& settings, std::size_t images, std::uintmax_t bytes) {
  const bool said = settings.lanes > 0 || settings.workers > 0 || !settings.devices.empty();
  if (said && settings.jobs > 0)
    throw InputError("--jobs chooses lanes, workers and cards: leave out --lanes, --workers and --devices");
  const bool one = images == 1 && !settings.devices.empty();
  if (said && settings.lanes < 2 && (one || better_shared(images, cards_named(settings.devices))))
    return {settings.devices, 1, true};
  if (said) return {settings.devices, settings.lanes};
  return spread_over(usable_cards(settings, bytes), images, bytes, settings.jobs);
}

}  // namespace

ImageRunners::ImageRunners(const RunSettings& settings, Terminal& terminal, const std::vector<BatchImage>& images,
                           const std::vector<std::int64_t>& to_do)
    : settings_(settings), terminal_(terminal), images_(images), to_do_(to_do) {
  if (settings.workers > 0 && !settings.devices.empty())
    throw InputError("--workers and --devices exclude each other: a card has one worker");
  if (settings.verify && settings.common.backend == "reference")
    throw InputError("--verify compares with the reference; it needs another --backend");
  if (to_do.empty()) return;
  spread_ = spread_of(settings, to_do.size(), bytes_to_do());
  const bool apart = settings.workers > 0 || (!spread_.devices.empty() && !spread_.shared);
  apart && !settings.common.dry_run ? make_workers() : make_lanes();
}

std::uintmax_t ImageRunners::bytes_to_do() const {
  const Progress progress = terminal_.progress();
  std::uintmax_t bytes = 0;
  for (const std::int64_t image : to_do_) {
    progress.check();
    bytes += pixel_bytes(images_[static_cast<std::size_t>(image)].path);
  }
  return bytes;
}

int ImageRunners::lanes_of(int threads) const { return lanes_of_card(threads, bytes_to_do() / to_do_.size()); }

void ImageRunners::make_lanes() {
  CommonOptions options = for_images(settings_.common, bytes_to_do());
  if (spread_.shared) options.devices = spread_.devices;
  const bool many = images_.size() > 1;
  // The disk reads the first image while a card's driver starts.
  const auto ahead = run_beside([this] { return read_ahead(images_[static_cast<std::size_t>(to_do_.front())].path); });
  auto first = std::make_shared<ImageRunner>(settings_, options, terminal_, many);
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  const int lanes = choose_lanes(settings_, spread_.lanes, first->info(), static_cast<std::int64_t>(to_do_.size()),
                                 largest_image_bytes(images_, to_do_, terminal_.progress()), lanes_of(threads));
  const auto add = [&](std::shared_ptr<ImageRunner> runner) {
    lanes_.push_back([runner = std::move(runner)](const BatchImage& image, const Progress& progress,
                                                  const LogSink& log) { return runner->run(image, progress, log); });
  };
  if (lanes == 1) return add(std::move(first));  // its backend knows how many threads serve
  first.reset();
  for (const int share : divide_threads(threads, lanes)) {
    options.threads = share;
    add(std::make_shared<ImageRunner>(settings_, options, terminal_, many));
  }
}

void ImageRunners::make_workers() {
  WorkerTask task;
  std::vector<int> devices(static_cast<std::size_t>(settings_.workers), settings_.common.device);
  if (!spread_.devices.empty()) devices = parse_devices(spread_.devices);
  const auto most = std::min(devices.size(), to_do_.size());
  devices.resize(most);
  const int threads = settings_.common.threads > 0 ? settings_.common.threads : usable_threads();
  const std::vector<int> shares = divide_threads(threads, static_cast<int>(most));
  task.lanes = spread_.lanes > 0 ? spread_.lanes : spread_.devices.empty() ? 1 : lanes_of(shares.back());
  // Lanes without an image would take as long to start as the others.
  task.lanes = std::min(task.lanes, static_cast<int>((to_do_.size() + most - 1) / most));
  for (std::size_t i = 0; i < most; ++i) {
    task.device = devices[i];
    task.threads = shares[i];
    workers_.push_back(std::make_unique<WorkerProcess>(task));
  }
  for (int lane = 0; lane < task.lanes; ++lane)
    for (const auto& worker : workers_)
      lanes_.push_back([lane, worker = worker.get()](const BatchImage& image, const Progress& progress,
                                                     const LogSink&) { return worker->run(lane, image, progress); });
}

void ImageRunners::run(BatchProgress& progress, const MayBegin& may_begin, const Take& take) {
  if (to_do_.empty()) return;
  const auto path_of = [this](std::size_t at) { return images_[static_cast<std::size_t>(to_do_[at])].path; };
  // Planes of a cube are in one file, which is asked for with the first of them.
  ReadAhead ahead([&](std::size_t at) { return at > 0 && path_of(at) == path_of(at - 1) ? "" : path_of(at); },
                  to_do_.size());
  const LogSink log = terminal_.log();
  Once once;
  std::mutex mutex;
  bool waits = false;
  std::vector<std::int64_t> left = to_do_, later;
  std::vector<Lane> lanes;
  for (const RunImage& run_image : lanes_)
    lanes.push_back([&, run_image](std::int64_t index) {
      const BatchImage& image = images_[static_cast<std::size_t>(index)];
      const Progress told = progress.of(image.name());
      told.check();
      const Begin begin = may_begin(index);
      if (begin == Begin::later) {
        const std::lock_guard lock(mutex);
        later.push_back(index);
      }
      if (begin != Begin::yes) return;
      ahead.begin_image();
      const LogSink named = images_.size() > 1 ? log_of_image(log, image.name()) : log;
      take(index, run_image(image, told, once.of(image, named)));
    });
  while (!left.empty()) {
    deal(left, lanes);
    std::ranges::sort(later);
    // Others have all that is left: one of them may end before its work does.
    if (later.size() == left.size()) std::this_thread::sleep_for(kPause);
    if (!later.empty() && !std::exchange(waits, true))
      terminal_.message(fmt::format("another process is at {} of the images: waiting for it", later.size()));
    left = std::exchange(later, {});
  }
}

}  // namespace reber::app
