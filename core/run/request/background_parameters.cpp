// SPDX-License-Identifier: BSD-3-Clause
// How background and noise are measured, or taken from maps.
#include "core/run/request/background_parameters.hpp"

#include "core/run/request/parameter_looks.hpp"

namespace reber {
namespace {

using namespace looks;

using Method = BackgroundRequest::Method;

bool boxes(const Request& request) { return part(request.background).method != Method::clip; }
bool sliding(const Request& request) { return part(request.background).method == Method::grid; }
bool is_adaptive(const Request& request) { return boxes(request) && part(request.background).adaptive; }

constexpr Parameter kRows[] = {
    {.name = "background.method",
     .option = "--background",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).method; }),
     .title = "Method",
     .help = "mesh: background and noise vary, measured in cells; grid: in overlapping boxes; clip: one value each for "
             "the whole image",
     .look = kChoice},
    {.name = "background.box",
     .option = "--box",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).box; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Box",
     .help = "Side of the cells or boxes in pixels; 0: cells of 12 beams, and at least 64 px, where the image is large "
             "enough, boxes of twice that",
     .look = slider(0, 512, "%d px", "from the beam"),
     .applies = boxes},
    {.name = "background.step",
     .option = "--step",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).step; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Step",
     .help = "From one box of the grid to the next, in pixels; 0: half a box",
     .look = slider(0, 256, "%d px", "half a box"),
     .applies = sliding},
    {.name = "background.passes",
     .option = "--passes",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).passes; }),
     .range = from_to(1, 10),
     .title = "Passes",
     .help = "Measurements in a row; each after the first leaves out the sources found with the one before",
     .look = more(slider(1, 10, "%d")),
     .applies = boxes},
    {.name = "background.adaptive",
     .option = "--adaptive",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).adaptive; }),
     .title = "Smaller near bright sources",
     .help = "Smaller boxes near bright sources, for noise that rises around them; sidelobes are looked for around the "
             "same sources, in place of those above 500 sigma",
     .look = more(kCheck),
     .applies = boxes},
    {.name = "background.bright_box",
     .option = "--bright-box",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).bright_box; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Box near bright sources",
     .help = "Side of the smaller boxes, in pixels; 0: a third of the others', and at least 10 beams",
     .look = more(slider(0, 256, "%d px", "a third")),
     .applies = is_adaptive},
    {.name = "background.bright_step",
     .option = "--bright-step",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).bright_step; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Step near bright sources",
     .help = "From one smaller box of the grid to the next, in pixels; 0: the same part of a box as elsewhere",
     .look = more(slider(0, 128, "%d px", "as elsewhere")),
     .applies = [](const Request& r) { return is_adaptive(r) && sliding(r); }},
    {.name = "background.bright_sigma",
     .option = "--adaptive-threshold",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).bright_sigma; }),
     .range = {.low = 0, .above = true},
     .unit = {"sigma"},
     .title = "Bright",
     .help = "Sources above this many sigma have smaller boxes around them",
     .look = more(slider(10, 500, "%.0f sigma")),
     .applies = is_adaptive},
    {.name = "background.kappa",
     .option = "--kappa",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.clip.kappa; }),
     .range = {.low = 0, .above = true},
     .unit = {"sigma"},
     .title = "Clip",
     .help = "Pixels further than this many sigma from the median are clipped",
     .look = more(slider(1.5, 6, "%.1f sigma"))},
    {.name = "background.max_rounds",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.clip.max_rounds; }),
     .range = from_to(1, 100000),
     .title = "Rounds of the clip",
     .help = "The clip ends after this many rounds, settled or not"},
    {.name = "background.filter",
     .option = "--filter",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.filter; }),
     .range = {.low = 1, .high = 999, .odd = true},
     .unit = {"cells"},
     .title = "Filter",
     .help = "Side of the median filter over the cells; 1 for none",
     .look = more(slider(1, 9, "%d x %d")),
     .applies = boxes},
    {.name = "background.min_valid",
     .option = "--min-valid",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.min_valid; }),
     .range = from_to(0, 1),
     .unit = {"part"},
     .title = "Least filled",
     .help = "A cell with fewer known pixels than this part takes its neighbours' values",
     .look = more(slider(0, 1, "%.2f")),
     .applies = boxes},
    {.name = "background.centre",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.centre; }),
     .range = from_to(0, 100),
     .title = "Centre of a cell",
     .help = "A cell's background is this x median - (this - 1) x mean of the pixels that the clip keeps"},
    {.name = "background.mean_path",
     .option = "--use-mean",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mean_path; }),
     .unit = {"FITS"},
     .title = "Mean map",
     .help = "Take the background from this FITS map, of the image's size and sky; for an inverted image, from the "
             "inverted map. Or zero, const (one value: the clipped median), or a number in the image's unit",
     .look = more(text("FITS file"))},
    {.name = "background.rms_path",
     .option = "--use-rms",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).rms_path; }),
     .unit = {"FITS"},
     .title = "Noise map",
     .help = "Take the noise from this FITS map, of the image's size and sky; pixels that are blank, zero or negative "
             "in it "
             "hold no source. Or const (one value: the clipped standard deviation), or a number above 0 in the image's "
             "unit",
     .look = more(text("FITS file"))},
};

}  // namespace

std::span<const Parameter> background_parameters() { return kRows; }

}  // namespace reber
