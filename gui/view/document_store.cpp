// SPDX-License-Identifier: BSD-3-Clause
// Documents: opened, read, changed on disk, closed.
#include "gui/view/document_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "gui/model/first_limits.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/view/live_runs.hpp"

namespace reber::gui {
namespace {

constexpr std::size_t kMostRecent = 12;

/// Seconds for which a changed file must stand still before it is read: its writer may not be done.
constexpr double kQuiet = 0.4;

void file_stamp(const std::string& path, std::int64_t& time, std::int64_t& size) {
  struct stat info {};
  time = size = 0;
  if (stat(path.c_str(), &info) != 0) return;
  time = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  size = info.st_size;
}

/// What suits the values of each layer.
RenderSettings settings_for(LayerKind kind) {
  RenderSettings settings;
  if (look_of(kind) == Product::Look::level) {
    settings.stretch = Stretch::linear;
    settings.colour_map = "viridis";
  }
  if (look_of(kind) == Product::Look::difference) {
    settings.stretch = Stretch::linear;
    settings.colour_map = "grey";
  }
  settings.categorical = kind == LayerKind::islands;
  return settings;
}

std::string whole_path(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

LoadMemory memory_of(const ViewerOptions& options) { return {options.image_memory, LevelCache(options.cache_folder)}; }

void begin_layers(Document& document) {
  for (std::size_t kind = 0; kind < document.layers.size(); ++kind) {
    document.layers[kind].kind = static_cast<LayerKind>(kind);
    document.layers[kind].render = settings_for(static_cast<LayerKind>(kind));
  }
}

}  // namespace

DocumentStore::DocumentStore(ViewerState& state, TileCache& tiles, LiveRuns& runs, const ViewerOptions& options,
                             std::function<void()> wake)
    : state_(state), tiles_(tiles), runs_(runs), options_(options), wake_(std::move(wake)) {}

void DocumentStore::Loading::start(const std::string& path, const OpenOptions& options, LinearPolarisation linear,
                                   const LoadMemory& memory, bool hold) {
  file_stamp(path, file_time, file_size);
  loader.start(path, options, linear, memory, hold);
}

std::unique_ptr<DocumentStore::Loading> DocumentStore::begin(const std::string& path, const ViewerOptions& options,
                                                             std::function<void()> wake) {
  auto loading = std::make_unique<Loading>(std::move(wake));
  loading->start(whole_path(path), options.request.open, LinearPolarisation::off, memory_of(options), true);
  return loading;
}

Document& DocumentStore::add_empty(std::unique_ptr<Loading> begun) {
  auto document = std::make_unique<Document>();
  document->id = state_.next_document++;
  begin_layers(*document);
  loadings_[document->id] = begun ? std::move(begun) : std::make_unique<Loading>(wake_);
  state_.documents.push_back(std::move(document));
  return *state_.documents.back();
}

Document& DocumentStore::add(const ImageHeader& header, const std::string& name) {
  Document& document = add_empty();
  document.name = name;
  document.in_memory = true;
  document.header = std::make_shared<const ImageHeader>(header);
  return document;
}

void DocumentStore::open(const std::string& path, const OpenOptions& options, std::unique_ptr<Loading> begun) {
  const bool is_begun = begun != nullptr;
  const Document* const before = state_.document();
  const std::int64_t shown_before = before == nullptr ? -1 : before->id;
  Document& document = add_empty(std::move(begun));
  loading_of(document).shown_before = shown_before;
  document.path = whole_path(path);
  document.open = options;
  document.request = options_.request;
  document.request.program = options_.program;
  state_.active = static_cast<std::int64_t>(state_.documents.size()) - 1;
  prepare_loading(document);
  if (is_begun)
    loading_of(document).loader.release();
  else
    loading_of(document).start(document.path, document.open, document.cube_view.linear, memory_of(options_));
  std::erase(state_.recent, document.path);
  state_.recent.insert(state_.recent.begin(), document.path);
  if (state_.recent.size() > kMostRecent) state_.recent.resize(kMostRecent);
}

void DocumentStore::start_loading(Document& document) {
  prepare_loading(document);
  loading_of(document).start(document.path, document.open, document.cube_view.linear, memory_of(options_));
}

void DocumentStore::prepare_loading(Document& document) {
  document.request.input = document.path;
  document.request.open = document.open;
  document.loading = true;
  document.changed_on_disk = false;
  document.error.clear();
}

void DocumentStore::show_plane(Document& document, const OpenOptions& options) {
  const bool searched = document.result != nullptr || document.searches;
  if (document.loading) {
    cancel(document);
    runs_.cancel(document);
  }
  // Another HDU may hold anything: its limits are found afresh. Planes of a cube keep theirs, so that they compare.
  Layer& input = document.layer(LayerKind::input);
  if (document.header && options.hdu && *options.hdu != document.header->hdu && input.render.limits != "manual")
    input.limits_set = false;
  document.open = options;
  start_loading(document);
  document.first_of_plane = document.submitted + 1;
  if (!searched) return;
  // The sources of one plane are not those of the next.
  document.result.reset();
  document.shapes.clear();
  document.selection.clear();
  document.shown = LayerKind::input;
  document.searches = !state_.animate && document.cube_view.linear == LinearPolarisation::off;
  if (document.searches) runs_.run(document);
}

void DocumentStore::reload(Document& document) {
  if (document.in_memory) return;
  runs_.invalidate(document);
  ++document.cube_view.reading;
  for (Layer& layer : document.layers) layer.generation = 0;
  start_loading(document);
  if (document.result) runs_.run(document);
}

void DocumentStore::close(std::int64_t id) {
  const auto found = std::ranges::find_if(state_.documents, [id](const auto& d) { return d->id == id; });
  if (found == state_.documents.end()) return;
  for (const Layer& layer : (*found)->layers)
    if (layer.pixels) tiles_.drop(layer.pixels->id());
  const auto index = found - state_.documents.begin();
  loadings_.erase(id);
  runs_.forget(id);
  state_.documents.erase(found);
  const auto& rgb = state_.compare.rgb;
  if (state_.compare.other_document == id || std::ranges::find(rgb, id) != rgb.end()) state_.compare = {};
  if (state_.active >= index) state_.active = std::max<std::int64_t>(state_.active - 1, 0);
  if (state_.documents.empty()) state_.active = -1;
}

void DocumentStore::cancel(Document& document) {
  loading_of(document).loader.cancel();
  document.loading = false;
}

bool DocumentStore::take_loaded(Document& document) {
  Loading& loading = loading_of(document);
  std::shared_ptr<const ImageHeader> header;
  LoadedPixels pixels;
  if (loading.loader.take(header, pixels)) {
    if (header) {
      if (document.header && !(document.header->shape == header->shape)) document.fit_when_drawn = true;
      document.header = header;
      document.cube = CubeAxes::of(*header, document.cube);
    }
    if (pixels.pixels) {
      // Limits of a first look are taken again from all pixels, so that they do not depend on how fast the disk is.
      Layer& input = document.layer(LayerKind::input);
      const bool set = input.limits_set;
      if (input.pixels) tiles_.drop(input.pixels->id());
      put_pixels(input, std::move(pixels.pixels), std::move(pixels.sample), 0);
      if (!pixels.whole) input.limits_set = set;
      if (pixels.whole) document.loading = false;
    }
  }
  document.load_fraction = loading.loader.fraction();
  if (document.loading && !loading.loader.busy()) {
    document.loading = false;
    document.error = loading.loader.error();
    if (document.error.empty()) return false;
    if (!document.header && holds_tables_alone(document.path) && open_catalogue_file(state_, document.path))
      return true;
    state_.say(document.error, true);
  }
  return false;
}

bool DocumentStore::watch_file(Document& document, double now) {
  if (document.in_memory) return false;
  Loading& loading = loading_of(document);
  constexpr double kEvery = 0.25;
  if (document.loading || now - loading.checked_at < kEvery) return false;
  loading.checked_at = now;
  std::int64_t time = 0, size = 0;
  file_stamp(document.path, time, size);
  if (time == loading.file_time && size == loading.file_size) return false;
  if (time != loading.pending_time || size != loading.pending_size) {
    loading.pending_time = time;
    loading.pending_size = size;
    loading.unchanged_since = now;
    return false;
  }
  if (now - loading.unchanged_since < kQuiet) return false;
  if (size == 0) {  // gone, or about to be written: the picture stays
    if (document.changed_on_disk) return false;
    document.changed_on_disk = true;
    state_.say(fmt::format("{} is no longer there; what is shown was read before", document.path), true);
    return true;
  }
  document.changed_on_disk = true;
  reload(document);
  state_.say(fmt::format("{} changed on disk and was read again", document.title()));
  return true;
}

bool DocumentStore::watch(double seconds) {
  bool changed = false;
  for (const auto& document : state_.documents) changed = watch_file(*document, seconds) || changed;
  return changed;
}

void DocumentStore::take_loaded() {
  std::vector<std::int64_t> catalogues;
  for (const auto& document : state_.documents)
    if (take_loaded(*document)) catalogues.push_back(document->id);
  for (const std::int64_t id : catalogues) {
    const std::int64_t before = loadings_.at(id)->shown_before;
    close(id);
    const auto found = std::ranges::find_if(state_.documents, [before](const auto& d) { return d->id == before; });
    if (found != state_.documents.end()) state_.active = found - state_.documents.begin();
  }
}

void DocumentStore::count_played() {
  const auto now = std::chrono::steady_clock::now();
  played_.push_back(now);
  while (played_.size() > 2 && now - played_.front() > std::chrono::seconds(1)) played_.pop_front();
  const double seconds = std::chrono::duration<double>(now - played_.front()).count();
  state_.planes_reached = seconds > 0 ? static_cast<double>(played_.size() - 1) / seconds : 0;
}

void DocumentStore::animate() {
  Document* document = state_.document();
  if (state_.animate && (document == nullptr || !document->cube || document->in_memory)) state_.animate = false;
  if (!state_.animate) {
    played_.clear();
    state_.planes_reached = 0;
    return;
  }
  if (document->loading || state_.now - last_plane_at_ < 1 / state_.planes_per_second) return;
  last_plane_at_ = state_.now;
  count_played();
  OpenOptions next = document->open;
  next.hdu = document->header->hdu;
  next.plane = document->cube->stepped(document->header->plane, 1);
  leave_polarised(*document);
  show_plane(*document, next);
}

}  // namespace reber::gui
