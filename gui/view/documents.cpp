// SPDX-License-Identifier: BSD-3-Clause
// The running viewer: documents, their pixels, layers and results.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "gui/app/app.hpp"
#include "gui/app/keep.hpp"
#include "gui/panels/panels.hpp"

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
  if (kind == LayerKind::background || kind == LayerKind::rms) {
    settings.stretch = Stretch::linear;
    settings.colour_map = "viridis";
  }
  if (kind == LayerKind::residual) {
    settings.stretch = Stretch::linear;
    settings.colour_map = "grey";
  }
  settings.categorical = kind == LayerKind::islands;
  return settings;
}

void begin_layers(Document& document) {
  for (std::size_t kind = 0; kind < document.layers.size(); ++kind) {
    document.layers[kind].kind = static_cast<LayerKind>(kind);
    document.layers[kind].render = settings_for(static_cast<LayerKind>(kind));
  }
}

}  // namespace

DocumentJobs& App::jobs_of(const Document& document) { return *jobs_.at(document.id); }

Document& App::add_document(const ImageHeader& header, const std::string& name) {
  auto document = std::make_unique<Document>();
  document->id = state_.next_document++;
  document->name = name;
  document->in_memory = true;
  document->header = std::make_shared<const ImageHeader>(header);
  begin_layers(*document);
  jobs_[document->id] = std::make_unique<DocumentJobs>(wake());
  state_.documents.push_back(std::move(document));
  return *state_.documents.back();
}

void App::open(const std::string& path, const OpenOptions& options) {
  if (path.ends_with(".reber.json")) {
    Context all = context();
    open_session(all, path);
    return;
  }
  if (path.ends_with(".csv") || path.ends_with(".vot") || path.ends_with(".xml") || path.ends_with(".tsv") ||
      path.ends_with(".txt")) {
    Context all = context();
    open_catalogue_file(all, path);
    return;
  }
  auto document = std::make_unique<Document>();
  document->id = state_.next_document++;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  document->path = error ? path : absolute.lexically_normal().string();
  document->open = options;
  document->request = options_.request;
  document->request.program = options_.program;
  begin_layers(*document);
  jobs_[document->id] = std::make_unique<DocumentJobs>(wake());
  state_.documents.push_back(std::move(document));
  state_.active = static_cast<std::int64_t>(state_.documents.size()) - 1;
  start_loading(*state_.documents.back());
  std::erase(state_.recent, state_.documents.back()->path);
  state_.recent.insert(state_.recent.begin(), state_.documents.back()->path);
  if (state_.recent.size() > kMostRecent) state_.recent.resize(kMostRecent);
}

void App::start_loading(Document& document) {
  DocumentJobs& jobs = jobs_of(document);
  document.request.input = document.path;
  document.request.open = document.open;
  document.loading = true;
  document.changed_on_disk = false;
  document.error.clear();
  file_stamp(document.path, jobs.file_time, jobs.file_size);
  jobs.loader.start(document.path, document.open, options_.image_memory);
}

void App::show_plane(Document& document, const OpenOptions& options) {
  if (document.loading) cancel(document);
  // Another HDU may hold anything: its limits are found afresh. Planes of a cube keep theirs, so that they compare.
  Layer& input = document.layer(LayerKind::input);
  if (document.header && options.hdu && *options.hdu != document.header->hdu && input.render.limits != "manual")
    input.limits_set = false;
  document.open = options;
  start_loading(document);
  if (!document.result) return;
  // The sources of one plane are not those of the next.
  document.result.reset();
  document.shapes.clear();
  document.selection.clear();
  document.shown = LayerKind::input;
  if (!state_.animate) run(document);
}

void App::reload(Document& document) {
  if (document.in_memory) return;
  if (document.session) document.session->invalidate();
  for (Layer& layer : document.layers) layer.generation = 0;
  start_loading(document);
  if (document.result) run(document);
}

void App::close(std::int64_t id) {
  const auto found = std::ranges::find_if(state_.documents, [id](const auto& d) { return d->id == id; });
  if (found == state_.documents.end()) return;
  for (const Layer& layer : (*found)->layers)
    if (layer.pixels) renderer_->tiles().drop(layer.pixels->id());
  const auto index = found - state_.documents.begin();
  jobs_.erase(id);
  state_.documents.erase(found);
  if (state_.compare.other_document == id) state_.compare = {};
  if (state_.active >= index) state_.active = std::max<std::int64_t>(state_.active - 1, 0);
  if (state_.documents.empty()) state_.active = -1;
}

void App::run(Document& document) {
  if (document.in_memory) return;
  document.request.input = document.path;
  document.request.open = document.open;
  if (document.header && !document.request.open.plane) document.request.open.plane = document.header->plane;
  if (!document.session)
    document.session =
        std::make_unique<LiveRun>([early = early_, name = backend_] { return early->take(name); }, wake());
  // Fits take longer than all else: what was detected is shown first, measured by moments, and fitted then.
  Request first = document.request;
  std::optional<Request>& refined = jobs_of(document).refined;
  refined.reset();
  // Not where a session's selection and flags wait for the rows of the fitted sources.
  const bool rows_awaited = document.sources.awaited.has_value();
  if (!rows_awaited && first.detect && first.fit.method != FitRequest::Method::moments) {
    refined = first;
    first.fit.method = FitRequest::Method::moments;
  }
  document.submitted = document.session->submit(std::move(first));
}

void App::cancel(Document& document) {
  jobs_of(document).loader.cancel();
  jobs_of(document).layer_slot.cancel();
  jobs_of(document).wanted.fill(false);
  jobs_of(document).refined.reset();
  document.loading = false;
  if (document.session) {
    document.session->cancel();
    if (document.result) document.submitted = document.result->generation;
  }
  state_.say("Stopped");
}

bool App::show_layer(Document& document, LayerKind kind) {
  if (!layer_possible(document, kind)) return false;
  document.shown = kind;
  return true;
}

void App::take_loaded(Document& document, DocumentJobs& jobs) {
  std::shared_ptr<const ImageHeader> header;
  LoadedPixels pixels;
  if (jobs.loader.take(header, pixels)) {
    if (header) {
      if (document.header && !(document.header->shape == header->shape)) document.fit_when_drawn = true;
      document.header = header;
    }
    if (pixels.pixels) {
      // Limits of a first look are taken again from all pixels, so that they do not depend on how fast the disk is.
      Layer& input = document.layer(LayerKind::input);
      const bool set = input.limits_set;
      layer_arrived(document, LayerKind::input, std::move(pixels.pixels), 0);
      if (!pixels.whole) input.limits_set = set;
      if (pixels.whole) document.loading = false;
    }
  }
  document.load_fraction = jobs.loader.fraction();
  if (document.loading && !jobs.loader.busy()) {
    document.loading = false;
    document.error = jobs.loader.error();
    if (!document.error.empty()) state_.say(document.error, true);
  }
}

void App::take_result(Document& document, DocumentJobs& jobs) {
  if (!document.session) return;
  const auto result = document.session->result();
  if (!result || result->generation == jobs.seen_result) return;
  jobs.seen_result = result->generation;
  if (document.result) document.selection.follow(document.result->sources, result->sources);
  document.result = result;
  document.shapes = source_shapes(result->sources);
  // A run that adds the fits alone does not hide what ran for the sources before it.
  std::vector<std::string> ran =
      result->generation == jobs.refining ? std::move(document.stages_run) : std::vector<std::string>();
  for (const std::string& stage : result->stages_run)
    if (std::ranges::find(ran, stage) == ran.end()) ran.push_back(stage);
  document.stages_run = std::move(ran);
  if (jobs.refined && !document.result_stale()) {
    document.submitted = jobs.refining = document.session->submit(std::move(*jobs.refined));
    jobs.refined.reset();
  }
}

bool App::watch_file(Document& document, DocumentJobs& jobs) {
  if (document.in_memory) return false;
  constexpr double kEvery = 0.25;
  const double now = seconds();
  if (document.loading || now - jobs.checked_at < kEvery) return false;
  jobs.checked_at = now;
  std::int64_t time = 0, size = 0;
  file_stamp(document.path, time, size);
  if (time == jobs.file_time && size == jobs.file_size) return false;
  if (time != jobs.pending_time || size != jobs.pending_size) {
    jobs.pending_time = time;
    jobs.pending_size = size;
    jobs.unchanged_since = now;
    return false;
  }
  if (now - jobs.unchanged_since < kQuiet) return false;
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

bool App::watch_files() {
  bool changed = false;
  for (const auto& document : state_.documents) changed = watch_file(*document, jobs_of(*document)) || changed;
  return changed;
}

void App::take_news() {
  for (const auto& document : state_.documents) {
    DocumentJobs& jobs = jobs_of(*document);
    take_loaded(*document, jobs);
    take_result(*document, jobs);
    take_link(*document, jobs);
    take_layers(*document, jobs);
  }
  watch_files();
}

void App::animate() {
  Document* document = state_.document();
  if (!state_.animate) return;
  if (document == nullptr || !document->header || document->header->planes < 2) {
    state_.animate = false;
    return;
  }
  if (document->loading || state_.now - last_plane_at_ < 1 / state_.planes_per_second) return;
  last_plane_at_ = state_.now;
  OpenOptions next = document->open;
  next.hdu = document->header->hdu;
  next.plane = (document->header->plane + 1) % document->header->planes;
  show_plane(*document, next);
}

}  // namespace reber::gui
