// SPDX-License-Identifier: BSD-3-Clause
// The documents' runs of the pipeline: what is asked of them, and how results and layers arrive.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/early_backend.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/state.hpp"
#include "gui/model/viewer_options.hpp"
#include "gui/render/tile_cache.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {

/// Submits the documents' requests, and puts results, maps and links to the card into documents and tiles. All calls
/// return at once.
class LiveRuns {
 public:
  /// options: backend, share, show_maps. wake: from any thread, for a frame soon. overlays: what they need is made.
  /// References outlive the runs.
  LiveRuns(ViewerState& state, TileCache& tiles, const Overlays& overlays, const ViewerOptions& options,
           std::shared_ptr<EarlyBackend> early, std::function<void()> wake);

  /// Submits document.request.
  void run(Document& document);
  /// Stops the document's run and the making of its layers.
  void cancel(Document& document);
  /// Forgets what was computed: the file changed.
  void invalidate(Document& document);
  /// The document is no more.
  void forget(std::int64_t document) { works_.erase(document); }
  [[nodiscard]] const std::string& backend() const { return backend_; }
  /// Runs again, on that backend, what had been run.
  void use_backend(const std::string& name);

  /// Runs again what had been run where the card failed, with a new backend of the same name.
  void open_card_again();

  /// Takes results, then the layers that are in view on that canvas; once a frame.
  void take_news(const ScreenRect& canvas);
  /// Name and fraction of the document's work under way; empty where there is none.
  [[nodiscard]] std::string activity(const Document& document, double& fraction) const;

 private:
  /// Levels of the maps that the run brought; made one at a time.
  struct MadeLayer {
    LayerKind kind;
    std::uint64_t generation;
    std::shared_ptr<const Pyramid> pixels;
  };
  /// What belongs to one document.
  struct Work {
    explicit Work(std::function<void()> wake) : layer_slot(std::move(wake)) {}
    JobSlot<MadeLayer> layer_slot;
    std::array<std::uint64_t, kLayerKinds> asked{};  ///< generation for which a map was asked of the run
    std::shared_ptr<const LabelRuns> drawn_labels;   ///< what the layer of islands was made of
    const LiveRun* link_run = nullptr;               ///< the last one given `link_shared`
    bool link_shared = false;
    std::uint64_t seen_result = 0;
  };
  [[nodiscard]] Work& work_of(const Document& document);
  void put_layer(Document& document, LayerKind kind, std::shared_ptr<const Pyramid> pixels, std::uint64_t generation);
  void take_result(Document& document, Work& work);
  void take_extended(Document& document);
  void take_card(const Document& document);
  void begin_again(Document& document);
  void take_link(Document& document, Work& work);
  void take_layers(Document& document, Work& work, const ScreenRect& canvas);
  void take_map(Document& document, Work& work, LayerKind kind, const ScreenRect& canvas);
  [[nodiscard]] bool readout_needs(const Document& document, LayerKind kind) const;
  [[nodiscard]] bool overlay_needs(const Document& document, LayerKind kind) const;

  ViewerState& state_;
  TileCache& tiles_;
  const Overlays& overlays_;
  const ViewerOptions& options_;
  std::shared_ptr<EarlyBackend> early_;
  std::function<void()> wake_;
  std::string backend_;
  std::map<std::int64_t, std::unique_ptr<Work>> works_;  ///< by document
  bool link_tried_ = false;
  std::string link_why_;  ///< why tiles go through host memory
};

}  // namespace reber::gui
