// SPDX-License-Identifier: BSD-3-Clause
// The pages of the tour, and how they follow each other.
#include "gui/script/tour.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>

#include "gui/model/workbench.hpp"

namespace reber::gui {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a page stays behind its last step.
constexpr std::chrono::seconds kRead(7);

struct Page {
  const char *title, *text, *steps;
};

constexpr std::array kPages{
    Page{"Look",
         "The wheel zooms about the pointer, a drag moves the image, Ctrl+0 shows all of it. Position and value below "
         "the pointer stand at the bottom.",
         R"(action window.detect
action view.upright
key Ctrl+0
settle
pause 0.5
move image 540 560
pause 0.5
wheel 2 image 540 560
pause 0.3
wheel 2 image 540 560
pause 0.3
wheel 2 image 540 560
settle
pause 0.3
drag canvas 0.6 0.5 to canvas 0.45 0.45
settle)"},
    Page{"Colours",
         "A right-drag is bias and contrast, as in DS9. y is the next colour map, s the next stretch, i inverts, a "
         "finds the limits anew. Ctrl+z takes back whatever it was.",
         R"(drag canvas 0.5 0.5 to canvas 0.58 0.42 right
pause 0.5
key y
pause 0.5
key i
pause 0.5
key Ctrl+z
pause 0.3
key Ctrl+z
settle)"},
    Page{"Inspect: F2",
         "Statistics with limits to drag, a magnifier, profiles through the pointer. A click sets the crosshair, "
         "arrows move it by a pixel, f freezes the readout.",
         R"(key F2
settle
pause 0.3
click panel.profiles
pause 0.3
click canvas 0.5 0.5
pause 0.3
move canvas 0.52 0.48
settle)"},
    Page{"Find sources: F3, Enter",
         "Background, noise, islands and sources, measured by moments at once and fitted while you look on. The layers "
         "above the image show each stage.",
         R"(key F3
key Ctrl+0
settle
pause 0.3
click pipeline.run
wait 3
settle)"},
    Page{
        "Live",
        "With Live every change of a parameter runs at once, and only what it touches. Ctrl and the wheel on the image "
        "move the threshold: the sources follow.",
        R"(click pipeline.live
pause 0.3
wheel 20 canvas 0.6 0.6 ctrl
pause 1.5
wheel -20 canvas 0.6 0.6 ctrl
pause 1.5
click pipeline.live
wait 3)"},
    Page{"The table",
         "A click on a head sorts, one on a row selects, a double click goes there. n and p walk through the rows, x "
         "flags one for review. A click on an ellipse selects its row.",
         R"(click panel.sources
pause 0.3
click sources.head.Peak_flux
pause 0.3
click sources.head.Peak_flux
pause 0.5
double sources.row.1
settle
pause 0.5
key n
settle)"},
    Page{"Filter: /",
         "Any expression in the columns' names. What is filtered out of the table leaves the image as well. Export "
         "writes the rows shown, in every kind of catalogue.",
         R"(key Ctrl+0
key /
pause 0.3
keys SNR > 20 && S_Code == "S"
settle
pause 0.3
click canvas 0.05 0.95
settle)"},
    Page{"Plots",
         "A histogram and one column against another, linked with table and image: a box selects, the wheel zooms, a "
         "click picks the nearest point.",
         R"(click panel.plots
pause 0.3
drag plots.scatter 0.45 0.1 to plots.scatter 0.9 0.7
settle)"},
    Page{"Regions",
         "Ellipse, box, circle, polygon or line: their flux with its error stands in the panel, and place, size and "
         "angle can be typed. Files are DS9's and CASA's.",
         R"(key F2
wait 3
click panel.regions
pause 0.3
click regions.tool.Ellipse
pause 0.3
drag canvas 0.55 0.4 to canvas 0.62 0.5
settle
key r
wait 3)"},
    Page{"Compare and keep",
         "Here the image left of the line and its background right of it. b blinks, d is the difference, t shows all "
         "images. Ctrl+e writes the view, Ctrl+s keeps all of this as a session; F1 lists every key.",
         R"(key F4
wait 3
key Shift+s
settle
drag canvas 0.5 0.9 to canvas 0.6 0.9
settle)"},
};

}  // namespace

void Tour::begin(App& app) {
  ViewerState& state = app.state();
  const std::string sample = app.sample();
  const auto found = std::ranges::find(state.documents, sample, [](const auto& each) { return each->path; });
  if (sample.empty()) {
    state.say("The tour needs the sample field, which is not installed", true);
    set_open(state, "tour", false);
    return;
  }
  kept_ = {state.panel_open, state.overlay_on, state.sizes, state.hide_interface, state.compare};
  set_open(state, "welcome", false);
  state.compare.kind = Compare::Kind::off;
  if (found == state.documents.end())
    app.open(sample, {});
  else
    state.active = found - state.documents.begin();
  show_page(app, 1);
}

void Tour::show_page(App& app, int page) {
  const Page& shown = kPages.at(static_cast<std::size_t>(page - 1));
  TourWork& work = app.state().workbench->tour;
  work = {.page = page, .pages = static_cast<int>(kPages.size()), .title = shown.title, .text = shown.text};
  std::istringstream steps(std::string("settle\n") + shown.steps);
  player_ = std::make_unique<Player>(steps, "");
}

void Tour::play(App& app) {
  if (player_->step(app)) return;
  TourWork& work = app.state().workbench->tour;
  if (!player_->failure().empty()) {
    app.state().say("The tour cannot go on: " + player_->failure(), true);
    return end(app);
  }
  player_.reset();
  app.window().release_mouse();
  work.resting = true;
  read_until_ = work.page == work.pages ? Clock::time_point::max() : Clock::now() + kRead;
}

void Tour::end(App& app) {
  ViewerState& state = app.state();
  state.panel_open = kept_->panels;
  set_open(state, "tour", false);
  state.overlay_on = kept_->overlays;
  state.sizes = kept_->sizes;
  state.hide_interface = kept_->hide_interface;
  state.compare = kept_->compare;
  kept_.reset();
  player_.reset();
  state.workbench->tour = {};
  app.window().release_mouse();
}

bool Tour::step(App& app) {
  ViewerState& state = app.state();
  const bool open = state.panel_open["tour"], hand = app.window().take_hand();
  if (!kept_) {
    if (open) begin(app);
    return kept_.has_value();
  }
  const TourWork& work = state.workbench->tour;
  if (!open || hand || (work.resting && work.next && work.page == work.pages)) {
    end(app);
    return false;
  }
  if (player_)
    play(app);
  else if (work.next || Clock::now() > read_until_)
    show_page(app, work.page + 1);
  return true;
}

}  // namespace reber::gui
