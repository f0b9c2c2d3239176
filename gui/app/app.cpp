// SPDX-License-Identifier: BSD-3-Clause
// The running viewer: frames, input, and what the rest of the program may ask for.
#include "gui/app/app.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "gui/app/actions.hpp"
#include "gui/app/layout.hpp"
#include "gui/model/settings.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

std::int64_t quarter_of_memory() {
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  return std::max<std::int64_t>(std::int64_t{1} << 28, pages / 4 * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

DocumentJobs::DocumentJobs(const std::function<void()>& changed) : loader(changed), layer_slot(changed) {}

App::App(const ViewerOptions& options)
    : options_(options),
      early_(std::make_shared<EarlyBackend>(options.make_backend)),
      backend_(options.backend),
      started_(std::chrono::steady_clock::now()) {
  if (options_.image_memory == 0) options_.image_memory = quarter_of_memory();
  load_settings(state_, options_.settings);
  state_.bench = std::make_shared<Workbench>();
  start_autosave();
  window_ = std::make_unique<Window>(options.width, options.height, options.scale, true);
  renderer_ = std::make_unique<ImageRenderer>(options.texture_memory, window_->software());
  ellipses_ = std::make_unique<EllipseRenderer>();
  if (window_->software()) state_.software_renderer = window_->renderer();
  for (const std::string& file : options.files) open(file, options.request.open);
  if (state_.documents.size() > 1) state_.active = 0;
}

void App::start_autosave() {
  if (options_.settings.empty() || default_autosave_path().empty()) return;
  state_.bench->autosave = std::make_unique<Autosave>(default_autosave_path());
  std::vector<std::string> problems;
  state_.bench->kept = state_.bench->autosave->newest(problems);
  if (state_.bench->kept) set_open(state_, "session", true);
  if (!problems.empty()) state_.say(problems.front(), true);
}

App::~App() {
  if (state_.bench->autosave) state_.bench->autosave->remove();
  state_.bench.reset();
  try {
    save_settings(state_, options_.settings);
  } catch (const Error&) {
    // A settings file that cannot be written must not keep the window from closing.
  }
  jobs_.clear();
  state_.documents.clear();
}

std::function<void()> App::wake() {
  return [] { Window::wake(); };
}

std::unique_ptr<Backend> App::make_backend(const std::string& name) {
  return options_.make_backend(name.empty() ? backend_ : name);
}

void App::use_backend(const std::string& name) {
  if (name == backend_) return;
  backend_ = name;
  for (const auto& document : state_.documents) {
    document->session.reset();
    jobs_of(*document).told_session = nullptr;
    if (document->result) run(*document);
  }
}

void App::copy_text(const std::string& text) {
  window_->set_clipboard(text);
  state_.say("Copied: " + text);
}

std::string App::paste_text() { return window_->clipboard(); }
void App::toggle_full_screen() { window_->toggle_full_screen(); }

void App::take_input() {
  for (const std::string& path : window_->take_drops()) open(path, {});
  const bool typing = ImGui::GetIO().WantTextInput;
  const auto keys = window_->take_keys();
  Context all = context();
  for (const KeyPress& press : keys) {
    const std::string name = key_name(press.key, press.mods);
    if (name.empty()) continue;
    // The palette's own keys.
    if (state_.panel_open["palette"] && (name == "Enter" || name == "Up" || name == "Down")) {
      widgets_.request(name == "Enter" ? "palette.accept" : name == "Up" ? "palette.up" : "palette.down");
      frames_wanted_ = 3;
      continue;
    }
    if (name == "Esc" && ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {  // menus and lists first
      ImGui::ClosePopupToLevel(0, true);
      frames_wanted_ = 3;
      continue;
    }
    if (const Action* action = action_for_key(name, typing); action != nullptr && is_enabled(*action, state_)) {
      action->run(all);
      frames_wanted_ = 3;
    }
  }
}

bool App::frame() {
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const double step = 1.0 / 60 + std::exchange(skip_, 0.0);
  state_.now = fixed_clock_ ? state_.now + step : seconds();
  window_->set_user_scale(state_.user_scale, state_.light_theme);
  take_news();
  animate();
  take_input();
  window_->begin_frame();
  if (fixed_clock_) ImGui::GetIO().DeltaTime = static_cast<float>(step);
  ImGui::NewFrame();
  widgets_.begin_frame();
  renderer_->begin_frame(window_->software() ? 30 : 2);
  draw_interface();
  interface_ms_ = passed();
  passes_.mark("processor");
  window_->end_frame(covered_);
  passes_.mark("window");
  const std::string title = state_.document() == nullptr ? "Reber" : state_.document()->title() + " - Reber";
  if (title != title_) window_->set_title(title_ = title);
  frame_ms_ = passed();
  return !state_.quit && !window_->close_wanted();
}

void App::show_frame() {
  window_->show_frame();
  const Document* document = state_.document();
  if (!options_.open_early || document == nullptr || !document->layer().pixels) return;
  if (early_->open(backend_)) state_.opened_early = true;
}

void App::rest() {
  show_frame();
  rest_for(1e9);
}

void App::rest_for(double seconds_left) {
  const double end = seconds() + seconds_left;
  if (window_->take_activity() || ImGui::IsAnyMouseDown()) frames_wanted_ = 3;
  if (frames_wanted_ > 0) --frames_wanted_;
  // Tiles that a session makes wake the interface when they are there.
  const bool awaited = renderer_->tiles().awaited() && !renderer_->tiles().pending();
  if (frames_wanted_ > 0 || (!pictures_complete_ && !awaited)) {
    window_->wait(0);
    return;
  }
  // Asleep until something happens. Without news the picture stands and nothing is drawn: only files are looked at.
  constexpr double kLook = 0.5;
  const bool moving =
      awaited || state_.animate || state_.compare.kind == Compare::Kind::blink || ImGui::GetIO().WantTextInput;
  while (!window_->close_wanted() && seconds() < end) {
    double sleep = std::min(end - seconds(), window_->minimised() ? 1.0 : kLook);
    if (state_.animate) sleep = std::min(sleep, 1 / state_.planes_per_second);
    if (state_.compare.kind == Compare::Kind::blink) sleep = std::min(sleep, state_.compare.blink_seconds);
    if (ImGui::GetIO().WantTextInput) sleep = 0.25;
    window_->wait(sleep);
    if (window_->take_activity()) frames_wanted_ = 3;
    if (frames_wanted_ > 0 || Window::take_wake() || moving || watch_files()) return;
    if (!state_.notice.text.empty() && seconds() > state_.notice.until) return;
  }
}

double App::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void App::forget_pictures() {
  for (CanvasPicture& picture : pictures_) picture.drawn.clear();
}

std::string App::activity(double& fraction) const {
  for (const auto& document : state_.documents) {
    const DocumentJobs& jobs = *jobs_.at(document->id);
    if (document->loading) {
      fraction = document->load_fraction;
      return "reading " + document->title();
    }
    if (document->session) {
      const LiveStatus status = document->session->status();
      if (status.busy) {
        fraction = status.fraction;
        return status.stage.empty() ? "waiting" : status.stage;
      }
    }
    if (jobs.layer_slot.busy()) {
      fraction = jobs.layer_slot.fraction();
      return "making levels";
    }
  }
  return "";
}

bool App::settled() const {
  double fraction = 0;
  if (!activity(fraction).empty() || !pictures_complete_ || inspector_busy(state_)) return false;
  return std::ranges::all_of(state_.documents, [](const auto& d) {
    return !d->result || d->shown == LayerKind::input || d->layer().generation == d->result->generation;
  });
}

}  // namespace reber::gui
