// SPDX-License-Identifier: BSD-3-Clause
// The running viewer: frames, input, and what the rest of the program may ask for.
#include "gui/app/app.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/io/path_fence.hpp"
#include "gui/app/actions.hpp"
#include "gui/app/desktop_window.hpp"
#include "gui/app/keep.hpp"
#include "gui/app/served_window.hpp"
#include "gui/app/welcome.hpp"
#include "gui/model/folder_listing.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/region_copies.hpp"
#include "gui/model/settings.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/inspector.hpp"

namespace reber::gui {
namespace {

std::int64_t quarter_of_memory() {
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  return std::max<std::int64_t>(std::int64_t{1} << 28, pages / 4 * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)));
}

/// From asking for the keyboard until a text field has it.
constexpr int kFocusFrames = 4;
/// Frames that only take input follow each other without a picture, for at most so long.
constexpr double kLongestBlind = 0.1;  // seconds

bool is_regions(const std::string& path) { return path.ends_with(".reg") || path.ends_with(".crtf"); }

/// What is neither a session nor a catalogue, and holds no regions.
bool is_image(const std::string& path) {
  const auto ends = [&path](const char* with) { return path.ends_with(with); };
  return !names_session(path) && !is_regions(path) && !ends(".csv") && !ends(".vot") && !ends(".xml") &&
         !ends(".tsv") && !ends(".txt");
}

}  // namespace

App::App(const ViewerOptions& options)
    : options_(options),
      early_(std::make_shared<EarlyBackend>(options.make_backend)),
      started_(std::chrono::steady_clock::now()) {
  if (options_.image_memory == 0) options_.image_memory = quarter_of_memory();
  load_settings(state_, options_.settings);
  state_.workbench = std::make_shared<Workbench>();
  start_autosave();
  // The first image is read while the window opens.
  std::unique_ptr<DocumentStore::Loading> begun;
  if (!options.resume && !options.files.empty() && is_image(options.files.front()))
    begun = DocumentStore::begin(options.files.front(), options_, wake());
  open_window();
  if (window_->software()) state_.software_renderer = window_->renderer();
  overlays_ = std::make_unique<Overlays>();
  painter_ = std::make_unique<CanvasPainter>(options.texture_memory, window_->software());
  painter_->tiles().read_beside(wake());
  runs_ = std::make_unique<LiveRuns>(state_, painter_->tiles(), *overlays_, options_, early_, wake());
  store_ = std::make_unique<DocumentStore>(state_, painter_->tiles(), *runs_, options_, wake());
  panels_ = std::make_unique<Panels>();
  if (!options.resume || !resume()) {
    for (const std::string& file : options.files) {
      if (begun)
        store_->open(file, options.request.open, std::move(begun));
      else
        open(file, options.request.open);
    }
  }
  if (state_.documents.size() > 1) state_.active = 0;
  if (options.welcome) welcome();
}

void App::open_window() {
  if (!options_.browser) {
    window_ = std::make_unique<DesktopWindow>(options_.width, options_.height, options_.scale, state_.user_scale, true);
    return;
  }
  auto served = std::make_unique<ServedWindow>(
      ServedOptions{options_.width, options_.height, options_.scale, options_.browser->port, options_.browser->hosts,
                    options_.browser->folder},
      state_.user_scale);
  state_.served = true;
  // Names of folders that browsers do not see.
  std::erase_if(state_.recent, [](const std::string& path) { return !within_fence(path); });
  if (options_.say) options_.say("The viewer is at " + served->address());
  window_ = std::move(served);
}

void App::welcome() {
  set_open(state_, "welcome", true);
  if (options_.sample.empty()) return;
  const std::vector<std::string> chosen = state_.recent;
  open(options_.sample, {});
  state_.recent = chosen;  // nobody chose the sample
}

bool App::resume() {
  Workbench& workbench = *state_.workbench;
  LeftSession* const mine = own_session(workbench.left);
  state_.card_failure = options_.card_failure;
  if (mine == nullptr) return false;
  Context all = context();
  restore(all, mine->session);
  workbench.session_path = *options_.resume;
  mine->forgotten = true;
  set_open(state_, "session",
           std::ranges::any_of(workbench.left, [](const LeftSession& each) { return !each.forgotten; }));
  return true;
}

void App::start_autosave() {
  if (options_.settings.empty() || default_recovery_folder().empty()) return;
  Workbench& workbench = *state_.workbench;
  workbench.recovery = std::make_unique<Recovery>(default_recovery_folder());
  std::vector<std::string> problems;
  workbench.left = workbench.recovery->left(problems);
  if (!workbench.left.empty()) set_open(state_, "session", true);
  if (!problems.empty()) state_.say(problems.front(), true);
}

App::~App() {
  if (const auto& recovery = state_.workbench->recovery; recovery && (stopped() || state_.begin_anew))
    recovery->leave(state_.workbench->left);
  else if (recovery)
    recovery->end(state_.workbench->left);
  state_.workbench.reset();
  try {
    save_settings(state_, options_.settings);
  } catch (const Error&) {
    // A settings file that cannot be written must not keep the window from closing.
  }
  // What runs wakes the window, and what stands on the card goes with it.
  panels_.reset();
  store_.reset();
  runs_.reset();
  state_.documents.clear();
}

std::function<void()> App::wake() {
  return [] { Window::wake(); };
}

std::unique_ptr<Backend> App::make_backend(const std::string& name) {
  return options_.make_backend(name.empty() ? backend() : name);
}

void App::open(const std::string& path, const OpenOptions& options) {
  Context all = context();
  if (names_session(path))
    open_session(all, path);
  else if (is_regions(path))
    waiting_regions_.push_back(path);
  else if (is_image(path))
    store_->open(path, options);
  else
    open_catalogue_file(state_, path);
}

void App::take_regions() {
  Document* const document = state_.document();
  if (waiting_regions_.empty() || (document != nullptr && document->loading && !document->header)) return;
  for (const std::string& path : std::exchange(waiting_regions_, {})) {
    try {
      if (document == nullptr || !document->header)
        throw InputError(fmt::format("{}: open the image first that its regions are drawn on", path));
      read_regions(state_, *document, path);
    } catch (const Error& error) {
      state_.say(error.what(), true);
    }
  }
}

void App::take_card_back() {
  if (state_.card_whole) {
    runs_->open_card_again();
    state_.say("The card is opened again");
    return;
  }
  Context all = context();
  keep_copy(all);
  if (!state_.workbench->recovery) {
    state_.say(
        "the session is not kept, so the viewer cannot begin anew by itself: save it, and start the viewer again",
        true);
    return;
  }
  state_.begin_anew = state_.quit = true;
}

void App::cancel(Document& document) {
  store_->cancel(document);
  runs_->cancel(document);
  stop_laying(state_);
  state_.say("Stopped");
}

bool App::show_layer(Document& document, LayerKind kind) {
  if (!layer_possible(document, kind)) return false;
  document.shown = kind;
  return true;
}

void App::make_picture(Document& document, const PictureOrder& order) {
  Context all = context();
  painter_->order(all, document, order);
}

void App::copy_text(const std::string& text) {
  window_->set_clipboard(text);
  state_.say("Copied: " + text);
}

const PanelRow* App::open_dialog() const {
  for (const PanelRow& row : panel_rows())
    if (row.place == Place::dialog && is_open(state_, row) && (row.enabled == nullptr || row.enabled(state_)))
      return &row;
  return nullptr;
}

bool App::press(const std::string& key, bool typing) {
  frames_wanted_ = 3;
  // The palette's own keys.
  const bool palette = state_.panel_open["palette"];
  if (palette && (key == "Enter" || key == "Up" || key == "Down")) {
    widgets_.request(key == "Enter" ? "palette.accept" : key == "Up" ? "palette.up" : "palette.down");
    return true;
  }
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {  // menus and lists first
    if (key == "Esc") ImGui::ClosePopupToLevel(0, true);
    return key == "Esc";
  }
  const PanelRow* dialog = open_dialog();
  const bool taken = palette || dialog != nullptr;
  const PanelRow* front = front_window(state_);
  const bool in_window = front != nullptr && has_keyboard(*front);
  if (typing && !taken && !in_window && key == "Esc") return false;  // it leaves the text field
  const Action* action = action_for_key(key, typing);
  if (action == nullptr || !is_enabled(*action, state_)) return false;
  const bool own = dialog != nullptr && action->name == std::string("panel.") + dialog->name;
  if (taken && !own && action->name != "window.leave" && action->name != "program.quit") return false;
  Context all = context();
  action->run(all);
  // What was typed behind the key belongs to the field that it opened.
  if (open_dialog() != dialog || state_.panel_open["palette"] != palette || state_.focus_filter)
    window_->hold_input(kFocusFrames);
  return true;
}

void App::take_input() {
  for (const std::string& path : window_->take_drops()) open(path, {});
  const bool typing = ImGui::GetIO().WantTextInput;
  window_->take_input([&](const KeyPress& pressed) {
    const std::string name = key_name(pressed.key, pressed.mods);
    return !name.empty() && press(name, typing);
  });
}

void App::take_news() {
  store_->take_loaded();
  take_regions();
  runs_->take_news(canvas_);
  store_->watch(seconds());
  Context all = context();
  for (const auto& entry : panels_->all()) entry.panel->update(all);
}

void App::draw_interface() {
  Context all = context();
  update_inspector(all);
  double fraction = 0;
  const std::string doing = activity(fraction);
  canvas_ = layout_.draw_parts(all, window_->scale(), doing, fraction);
  keep_frame(all);
  if (state_.document() == nullptr)
    draw_welcome(all, canvas_);
  else
    canvas_ = painter_->draw(all, canvas_, window_->scale());
  layout_.draw_floating(all, window_->scale());
  if (const ImGuiWindow* tip = ImGui::FindWindowByName("##Tooltip_00"); tip != nullptr && tip->Active)
    widgets_.area("tooltip", {tip->Pos.x, tip->Pos.y, tip->Size.x, tip->Size.y});
  painter_->step_off_screen(all);
}

bool App::stopped() const { return options_.stop != nullptr && options_.stop->load(); }

bool App::frame() {
  if (stopped()) {
    Context all = context();
    keep_copy(all);
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const double step = 1.0 / 60 + std::exchange(skip_, 0.0);
  state_.now = fixed_clock_ ? state_.now + step : seconds();
  window_->set_user_scale(state_.user_scale, state_.light_theme);
  take_news();
  store_->animate();
  take_input();
  window_->begin_frame();
  if (fixed_clock_) ImGui::GetIO().DeltaTime = static_cast<float>(step);
  ImGui::NewFrame();
  widgets_.begin_frame();
  painter_->begin_frame();
  draw_interface();
  interface_ms_ = passed();
  passes().mark("processor");
  drawn_ = fixed_clock_ || !window_->input_waits() || seconds() - drawn_at_ > kLongestBlind;
  if (!drawn_) {
    window_->skip_frame();
    return !state_.quit && !window_->close_wanted();
  }
  drawn_at_ = seconds();
  window_->end_frame(painter_->covered());
  passes().mark("window");
  const std::string title = state_.document() == nullptr ? "Reber" : state_.document()->title() + " - Reber";
  if (title != title_) window_->set_title(title_ = title);
  return !state_.quit && !window_->close_wanted();
}

void App::show_frame() {
  if (!drawn_) return;
  window_->show_frame();
  const Document* document = state_.document();
  if (!options_.open_early || document == nullptr || !document->layer().pixels) return;
  if (early_->open(backend())) state_.opened_early = true;
}

void App::rest_for(double seconds_left) {
  const double end = seconds() + seconds_left;
  if (window_->take_activity() || window_->input_waits() || ImGui::IsAnyMouseDown()) frames_wanted_ = 3;
  if (frames_wanted_ > 0) --frames_wanted_;
  // Tiles that a live run makes wake the interface when they are there.
  const bool awaited = painter_->tiles().awaited() && !painter_->tiles().pending();
  if (frames_wanted_ > 0 || (!painter_->complete() && !awaited)) {
    window_->wait(0);
    return;
  }
  // Asleep until something happens. Without news the picture stands and nothing is drawn: only files are looked at.
  constexpr double kLook = 0.5;
  const bool moving =
      awaited || state_.animate || state_.compare.kind == Compare::Kind::blink || ImGui::GetIO().WantTextInput;
  while (!window_->close_wanted() && !stopped() && seconds() < end) {
    double sleep = std::min(end - seconds(), window_->minimised() ? 1.0 : kLook);
    if (state_.animate) sleep = std::min(sleep, 1 / state_.planes_per_second);
    if (state_.compare.kind == Compare::Kind::blink) sleep = std::min(sleep, state_.compare.blink_seconds);
    if (ImGui::GetIO().WantTextInput) sleep = 0.25;
    window_->wait(sleep);
    if (window_->take_activity()) frames_wanted_ = 3;
    // A table lays its columns out in the frame after the one that fills it.
    if (Window::take_wake()) frames_wanted_ = std::max(frames_wanted_, 2);
    if (frames_wanted_ > 0 || moving || store_->watch(App::seconds())) return;
    if (!state_.notice.text.empty() && seconds() > state_.notice.until) return;
  }
}

double App::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::string App::activity(double& fraction) const {
  for (const auto& document : state_.documents) {
    if (document->loading) {
      fraction = document->load_fraction;
      return "reading " + document->title();
    }
    if (std::string doing = runs_->activity(*document, fraction); !doing.empty()) return doing;
  }
  if (laying_on_grid(state_, &fraction)) return "laying an image on the grid";
  return "";
}

bool App::settled() const {
  double fraction = 0;
  if (!activity(fraction).empty() || !painter_->complete() || inspector_busy(state_)) return false;
  if (std::ranges::any_of(panels_->all(), [](const auto& each) { return each.panel->busy(); })) return false;
  return std::ranges::all_of(state_.documents, [](const auto& d) {
    if (d->sources.edits.asked() && d->live_run && failure_of(*d).empty()) return false;
    return !d->result || d->shown == LayerKind::input || d->layer().generation == d->result->generation ||
           !failure_of(*d).empty();
  });
}

}  // namespace reber::gui
