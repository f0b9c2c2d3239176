// SPDX-License-Identifier: BSD-3-Clause
// A pipeline that lives: it keeps what it has computed on the backend and runs again only the stages whose parameters
// changed. The viewer's work is done here, on one thread of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/extended/extended_sources.hpp"
#include "core/run/live/tile_key.hpp"
#include "core/run/pipeline/hand_rows.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/pipeline/row_account.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// One finished run, all of it in host memory: safe to keep, to read from any thread and to outlive its LiveRun.
struct LiveResult {
  std::uint64_t generation = 0;  ///< rises with every run's result
  std::uint64_t edition = 0;     ///< rises with every result: fits by hand make others of the same generation
  Request request;               ///< as it was run: by moments where fits are to follow
  /// Stages as last run: a stage whose parameters did not change keeps the time of the run that did it.
  Report report;
  std::vector<std::string> stages_run;        ///< names of those that ran since the request was submitted
  std::shared_ptr<const ImageHeader> header;  ///< a copy of this result's own
  std::optional<Beam> beam;
  std::optional<BackgroundModel> background;    ///< maps given by the user are left out
  std::vector<Source> sources;                  ///< the finder's; behind them those by hand
  std::shared_ptr<const HandRows> hand;         ///< null: none were asked for, or fits are to follow
  std::shared_ptr<const RowAccounts> accounts;  ///< how they were made; null without a detection
  /// Number of sources that no row by hand stands for.
  [[nodiscard]] std::int64_t standing() const {
    return hand ? std::ranges::count(hand->replaced, 0) : std::ssize(sources);
  }
  std::int64_t islands = 0;
  /// Null without a detection; the same object as before where the islands are the same.
  std::shared_ptr<const LabelRuns> labels;
  std::vector<std::string> history;  ///< for the files written of it
  double wall_ms = 0;                ///< from the request's start to this result
};

/// What the LiveRun's thread is doing. `generation` is that of the newest
/// request's last result.
struct LiveStatus {
  std::uint64_t generation = 0;
  bool busy = false;
  std::string stage;    ///< "read", "convolve" ... or the map being made
  double fraction = 0;  ///< of the stage
  std::string error;    ///< of the newest request that ended; empty where it went well
};

struct MapResult {
  std::uint64_t generation = 0;  ///< of the result it belongs to
  std::shared_ptr<const Image> image;
};

/// Extended sources of a result, or why there are none.
struct ExtendedResult {
  std::uint64_t generation = 0;                  ///< of the result they belong to; 0: none were looked for yet
  std::shared_ptr<const ExtendedSources> found;  ///< null where `error` says why
  std::string error;
  double wall_ms = 0;
};

/// A card that could not go on with a run.
struct CardFailure {
  std::string text;     ///< of the CardError
  bool memory = false;  ///< it only lacked memory, and may be opened again; else it is of no more use to this process
};

class DisplayTiles;
class GraphicsLink;

/// By tiles where the backend keeps levels and by whole maps else; by tiles from every backend, levels in host memory
/// where it keeps none; by whole maps.
enum class ShowMaps { automatic, tiles, whole };

/// A map as it is shown: by its tiles where the backend keeps levels of it, else whole.
struct ShownMap {
  std::uint64_t generation = 0;         ///< of the newest result that it belongs to
  std::shared_ptr<DisplayTiles> tiles;  ///< the same object as before where the map is the same
  std::shared_ptr<const Image> image;
};

/// Runs requests on one image, one at a time, the newest first: a request that waits is replaced by a newer one. A
/// running one is stopped when outdated() says so, and else finishes first. Where fits are asked for, a result measured
/// by moments comes before them. All calls return at once and may come from any thread.
class LiveRun {
 public:
  using MakeBackend = std::function<std::unique_ptr<Backend>()>;
  /// What takes the place of a card that failed so.
  using TakeOver = std::function<std::unique_ptr<Backend>(const std::string& failure)>;
  /// moments_first: sources measured by moments are a result of their own, the fitted ones another. whole: one result.
  enum class Answer { moments_first, whole };

  /// Whether a run that is at stage `running` is out of date once `changed` is the first stage that a newer request
  /// changes. Detection and measurement are let finish unless their input changes: a moving slider must show results.
  [[nodiscard]] static bool outdated(StageId running, StageId changed);

  /// make_backend is called on this object's thread at the first request, take_over there where its card fails: the
  /// request is then run again, from the file; without it the failure is the run's error. changed is called, from that
  /// thread, whenever status(), result() or map() would answer something new: it should only wake its own thread.
  LiveRun(MakeBackend make_backend, std::function<void()> changed, TakeOver take_over = {});
  /// Stops what runs and waits for it.
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  /// Asks for a run; output and dry_run are ignored. Returns the generation of its last result; one by moments comes
  /// before it with the generation before.
  std::uint64_t submit(Request request, Answer answer = Answer::moments_first);
  /// What a person asked for, in place of what was asked for before: done with every result of fits from now on, and
  /// with the newest one at once, which comes again with the same generation and another edition. Maps of sources that
  /// are asked for behind it are of its rows.
  void set_hand_fits(std::vector<HandFit> fits);
  /// Drops the waiting request and maps and stops the running one.
  void cancel();
  /// Forgets all computed stages: the file changed on disk.
  void invalidate();

  [[nodiscard]] LiveStatus status() const;
  /// The newest finished run; null before the first.
  [[nodiscard]] std::shared_ptr<const LiveResult> result() const;

  /// Asks for a map of the newest result, one with a maker; made after the requests that wait. Nothing happens before
  /// the first result or where the result has no such map.
  void request_map(ProductId map);
  /// The newest of that kind; image is null before the first.
  [[nodiscard]] MapResult map(ProductId map) const;
  /// Drops the host copy.
  void forget_map(ProductId map);

  /// Asks for the extended sources of the newest result (find_extended); they are looked for after the requests and
  /// maps that wait. A newer request stops the search, and nothing comes of it. Nothing happens before the first
  /// result.
  void request_extended();
  /// Of the last search that came to an end.
  [[nodiscard]] ExtendedResult extended() const;

  /// Asks for a map to be shown, as request_map() does; the tiles of `first` are made with it, so that it can be drawn
  /// as soon as it is here.
  void request_shown(ProductId map, std::vector<TileKey> first = {}, ShowMaps by = ShowMaps::automatic);
  [[nodiscard]] ShownMap shown(ProductId map) const;
  /// Drops the whole map of shown(), not its tiles.
  void forget_shown(ProductId map);
  /// The backend's way to OpenGL; null before the first request and where it has none. Its calls are the interface's.
  [[nodiscard]] std::shared_ptr<GraphicsLink> graphics_link() const;
  /// From now on tiles come on the device (graphics_link() was opened), or in host memory.
  void use_device_tiles(bool on);

  /// Name and device of the backend; empty name before the first request.
  [[nodiscard]] BackendInfo backend() const;
  /// Why the card was left: for take_over's backend, for good, or in the newest run. Empty: it was not.
  [[nodiscard]] std::optional<CardFailure> card_failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
