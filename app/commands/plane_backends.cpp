// SPDX-License-Identifier: BSD-3-Clause
// Backends for planes side by side.
#include "app/commands/plane_backends.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/terminal/signals.hpp"
#include "core/base/host_memory.hpp"
#include "core/base/thread_budget.hpp"
#include "core/run/batch/deal.hpp"

namespace reber::app {

namespace {

/// A further lane of a card: it may outlive the card.
struct CardLane {
  CardLane(const CommonOptions& of_all, int share, Terminal& terminal)
      : options(with_threads(of_all, share)), choice(options, terminal) {}

  static CommonOptions with_threads(CommonOptions options, int share) {
    options.threads = share;
    return options;
  }

  CommonOptions options;
  BackendChoice choice;
};

std::vector<PlaneLane> card_lanes(const BackendChoice& first, const CommonOptions& options, const PlaneWalk& walk,
                                  Terminal& terminal) {
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  const int count = options.device_memory.empty()
                        ? card_lanes_of_planes(walk.shape(), static_cast<std::int64_t>(walk.planes().size()), threads,
                                               first.info().device_memory_bytes)
                        : 1;
  std::vector<PlaneLane> lanes{{first.backend(), options.threads}};
  if (count == 1) return lanes;
  const std::vector<int> shares = divide_threads(threads, count);
  lanes.front().threads = shares.front();
  for (int k = 1; k < count; ++k) {
    const int share = shares[static_cast<std::size_t>(k)];
    const auto lane = std::make_shared<CardLane>(options, share, terminal);
    lanes.push_back(
        {lane->choice.backend(), share, [lane](const CardError& failure) { return lane->choice.in_place(failure); }});
  }
  return lanes;
}

}  // namespace

std::vector<PlaneLane> plane_backends(const BackendChoice& choice, const CommonOptions& options, const PlaneWalk& walk,
                                      Terminal& terminal) {
  if (choice.info().device_memory_bytes > 0) return card_lanes(choice, options, walk, terminal);
  std::vector<PlaneLane> lanes;
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  const std::int64_t asked = options.host_memory.empty() ? 0 : parse_bytes(options.host_memory, "--host-memory");
  const int count = lanes_of_planes(walk.shape(), static_cast<std::int64_t>(walk.planes().size()), threads, asked,
                                    free_memory_bytes());
  if (count == 1) return {{choice.backend(), options.threads}};
  CommonOptions of_lane = options;
  of_lane.backend = choice.info().name;
  for (const int share : divide_threads(threads, count)) {
    of_lane.threads = share;
    lanes.push_back({make_backend(of_lane, terminal), share});
  }
  return lanes;
}

Progress progress_of_planes(std::size_t lanes, const std::atomic<std::size_t>& done, std::size_t planes,
                            Terminal& terminal) {
  if (lanes == 1) return terminal.progress();
  const auto show = [&done, planes, &terminal](const std::string&, double) {
    const std::size_t now = done.load();
    terminal.show_overall(static_cast<double>(now) / static_cast<double>(planes),
                          [&] { return fmt::format("{} of {} planes", now, planes); });
  };
  return {show, &stop_flag()};
}

}  // namespace reber::app
