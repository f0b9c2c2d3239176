// SPDX-License-Identifier: BSD-3-Clause
// What a session's own thread and its callers share.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/live/display_desk.hpp"
#include "core/live/live_run.hpp"

namespace reber {

struct LiveRun::State {
  using Clock = std::chrono::steady_clock;

  MakeBackend make_backend;
  std::function<void()> changed;

  mutable std::mutex mutex;  // guards all down to `stop`
  std::condition_variable wake;
  bool quit = false, forget = false, at_work = false;
  std::optional<Request> waiting;
  Clock::time_point waiting_since;
  std::array<bool, kSessionMaps> wanted{};
  LiveStatus status;
  Request running;
  bool running_request = false;
  std::shared_ptr<const LiveResult> result;
  std::array<MapResult, kSessionMaps> maps;
  std::array<bool, kSessionMaps> wanted_shown{};
  std::array<std::vector<TileKey>, kSessionMaps> first_tiles;  ///< of those
  std::array<ShownMap, kSessionMaps> shown;
  ShowMaps show_by = ShowMaps::automatic;
  bool asked_for_tiles = false;
  BackendInfo info;
  std::shared_ptr<GraphicsLink> link;

  std::atomic<bool> stop{false};

  // Of the job thread alone; planes go before their backend.
  std::unique_ptr<Backend> backend;
  PipelineCache cache;
  PipelineResult last;
  std::optional<Request> cached_for;  ///< the request whose stages are in the cache
  DisplayDesk desk{[this] {
    const std::lock_guard lock(mutex);
    asked_for_tiles = true;
    wake.notify_one();
  }};
  std::thread thread;

  void work();
  void run(const Request& request, std::uint64_t generation, Clock::time_point since);
  void drop_changed(const Request& request);
  [[nodiscard]] std::shared_ptr<const LabelRuns> labels_of(const IslandMap& islands);
  void publish(const Request& request, std::uint64_t generation, Clock::time_point since, PipelineResult fresh);
  void make_map(SessionMap map, bool to_show);
  void fill_map(SessionMap map, Image& image, const Progress& progress);
  [[nodiscard]] std::shared_ptr<DisplayTiles> make_tiles(SessionMap map);
  void serve_tiles();
  void forget_all();
  void end_job(const std::string& error);
  [[nodiscard]] Progress progress();
  /// In `of`, or -1.
  [[nodiscard]] static int next_map(const std::array<bool, kSessionMaps>& of);
  [[nodiscard]] bool must_stop(const Request& newer) const;
};

}  // namespace reber
