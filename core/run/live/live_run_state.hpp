// SPDX-License-Identifier: BSD-3-Clause
// What a live run's own thread and its callers share.
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

#include "core/run/live/display_desk.hpp"
#include "core/run/live/hand_desk.hpp"
#include "core/run/live/live_run.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber {

struct LiveRun::State {
  using Clock = std::chrono::steady_clock;

  /// A request that waits or runs.
  struct Task {
    Request request;
    std::uint64_t generation = 0;  ///< of its last result; the one by moments has the number before
    bool moments_first = false;
    Clock::time_point since;
    [[nodiscard]] Request by_moments() const;
  };

  MakeBackend make_backend;
  TakeOver take_over;
  std::function<void()> changed;

  mutable std::mutex mutex;  // guards all down to `stop`
  std::condition_variable wake;
  bool quit = false, forget = false, at_work = false;
  std::optional<Task> waiting;
  std::optional<Task> running;            ///< empty while a map is made
  StageId running_stage = StageId::open;  ///< of `running`
  std::array<bool, kProducts.size()> wanted{};
  LiveStatus status;
  std::shared_ptr<const LiveResult> result;
  std::array<MapResult, kProducts.size()> maps;
  std::array<bool, kProducts.size()> wanted_shown{};
  std::array<std::vector<TileKey>, kProducts.size()> first_tiles;  ///< of those
  std::array<ShownMap, kProducts.size()> shown;
  bool wanted_extended = false, wanted_hand = false;
  std::vector<HandFit> hand_fits;
  std::uint64_t editions = 0;  ///< of results, so far
  ExtendedResult extended;
  ShowMaps show_by = ShowMaps::automatic;
  bool asked_for_tiles = false;
  BackendInfo info;
  std::optional<CardFailure> card_failure;
  std::shared_ptr<GraphicsLink> link;

  std::atomic<bool> stop{false};

  // Of the thread alone.
  std::shared_ptr<Backend> backend;
  std::unique_ptr<Pipeline> pipeline;
  std::optional<Result> last;  ///< what maps are made of
  HandDesk hand;
  std::optional<Request> kept_for;    ///< the request that the pipeline and the desk were last made ready for
  std::optional<Request> fitted_for;  ///< the request of the newest whole result
  DisplayDesk desk{[this] {
    const std::lock_guard lock(mutex);
    asked_for_tiles = true;
    wake.notify_one();
  }};
  std::thread thread;

  void work();
  void run(const Task& task);
  void serve(const Task& task);
  void open_backend();
  void use(std::shared_ptr<Backend> made);
  void change_backend(const std::string& failure);
  void leave_card(const CardError& failure);
  void begin_again(const CardError& failure, ProductId map, bool to_show);
  void drop_changed(const Request& request);
  void began(StageId stage, Sign sign);
  void answer(const Task& task, const Request& request, std::uint64_t generation, std::vector<std::string>& ran);
  [[nodiscard]] std::shared_ptr<const LabelRuns> labels_of(const IslandMap& islands);
  void make_map(ProductId map, bool to_show);
  void draw_map(ProductId map, bool to_show);
  void fill_map(ProductId map, Image& image, const Progress& progress);
  [[nodiscard]] std::shared_ptr<DisplayTiles> make_tiles(ProductId map);
  void make_extended();
  void publish(std::shared_ptr<LiveResult> made);
  void add_hand_rows(LiveResult& made);
  void make_hand();
  void serve_tiles();
  void forget_all();
  void end_job(const std::string& error);
  void report(double fraction);
  /// In `of`, or -1.
  [[nodiscard]] static int next_map(const std::array<bool, kProducts.size()>& of);
  [[nodiscard]] bool must_stop(const Request& newer) const;
};

}  // namespace reber
