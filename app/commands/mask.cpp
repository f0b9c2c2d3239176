// SPDX-License-Identifier: BSD-3-Clause
// reber mask: clean masks, made of images, masks and regions by breizorro's operations in its order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/commands/command.hpp"
#include "app/commands/mask_work.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"

namespace reber::app {
namespace {

void add_sources(Command& command, MaskOptions& options) {
  command.add_option("input", options.input, "FITS image, with --threshold, --islands or --coverage; else a FITS mask")
      ->brief("FITS image or mask")
      ->type_name("IN")
      ->group("Input");
  command
      .add_option("-r,--restored-image", options.restored,
                  "The input is this FITS image; where no other way to a mask is given, by --threshold 6.5")
      ->type_name("IN")
      ->group("Input");
  command.add_option("-m,--mask-image", options.mask, "The input is this FITS mask")->type_name("IN")->group("Input");
  command
      .add_option("-t,--threshold", options.threshold,
                  "Mask the pixels of an image above so many times the noise that the least values of boxes tell; "
                  "breizorro's own is 6.5")
      ->check(within("mask.threshold"))
      ->type_name("SIGMA")
      ->brief("Mask above so many times the noise")
      ->group("Mask");
  command.add_option("-b,--boxsize", options.box, "Side of these boxes in pixels")
      ->check(within("mask.boxsize"))
      ->type_name("PX")
      ->capture_default_str()
      ->group("Mask");
  command.add_option("--savenoise", options.noise, "Write that noise")->type_name("FITS")->group("Mask");
  command
      .add_option("--islands", options.islands,
                  "Mask an image's islands as 'reber find' has them by these thresholds of seed and flood: 5,3")
      ->type_name("SEED,FLOOD")
      ->brief("Mask the islands that find would see")
      ->group("Mask");
  command.add_flag("--coverage", options.coverage, "Mask every pixel of an image that is not blank")
      ->brief("Mask all that is not blank")
      ->group("Mask");
}

void add_operations(Command& command, MaskOptions& options) {
  const auto files = [&](const char* name, std::vector<std::string>& paths, const char* text, const char* brief) {
    command.add_option(name, paths, text)->type_name("FILE")->brief(brief)->group("Mask");
  };
  const auto flag = [&](const char* name, bool& value, const char* text) {
    command.add_flag(name, value, text)->group("Mask");
  };
  files("--merge", options.merged, "Inside as well where one of these FITS masks or region files is",
        "Inside as well where one of these is");
  files("--subtract", options.subtracted, "Outside where one of these is", "Outside where one of these is");
  files("--inside", options.kept, "Outside where one of these is not: cuts to a polygon",
        "Outside where one of these is not");
  flag("--number-islands", options.number, "Number the islands from 1, joined at the sides of pixels");
  const auto islands = [&](const char* name, std::vector<std::string>& which, const char* text) {
    command.add_option(name, which, text)->delimiter(',')->type_name("LIST")->group("Mask");
  };
  islands("--remove-islands", options.removed,
          "Islands to drop, by number or place: 3,17 or 12h13m14s:-45d or 83.6:22");
  islands("--extract-islands", options.extracted, "Islands to keep, by number or place; all others are dropped");
  command.add_option("--minimum-size", options.least, "Drop islands of fewer pixels")
      ->check(within("mask.minimum_size"))
      ->type_name("PX")
      ->brief("Drop islands of fewer pixels")
      ->group("Mask");
  flag("--make-binary", options.binary, "1 in place of numbers");
  flag("--invert", options.inverted, "Inside and outside change places");
  command.add_option("--dilate", options.dilated, "Grow by a disc of this radius")
      ->check(within("mask.dilate"))
      ->type_name("PX")
      ->brief("Grow by a disc of this radius")
      ->group("Mask");
  command.add_option("--erode", options.eroded, "Shrink so many times by a cross of five pixels")
      ->check(within("mask.erode"))
      ->type_name("N")
      ->brief("Shrink so many times")
      ->group("Mask");
  flag("--fill-holes", options.filled, "Fill what is surrounded");
  command
      .add_option("--sum-peak", options.sum_peak,
                  "Write the image in place of the mask, with islands set to 0 whose sum over peak is above this")
      ->check(within("mask.sum_peak"))
      ->type_name("RATIO")
      ->group("Mask");
}

void add_outputs(Command& command, MaskOptions& options) {
  command.add_option("-o,--output,--outfile", options.output, "FITS mask to write")
      ->type_name("FITS")
      ->brief("FITS mask to write")
      ->group("Output");
  command.add_option("--outregion,--save-regions", options.region, "Write the outlines as DS9 polygons")
      ->type_name("REG")
      ->brief("Write the outlines as DS9 polygons")
      ->group("Output");
  command
      .add_option("--moc", options.moc, "Write the sky that the mask covers as a multi-order coverage map (MOC 2.0)")
      ->type_name("FITS")
      ->brief("Write the sky that is covered")
      ->group("Output");
  command
      .add_option("--moc-order", options.moc_order,
                  "Order of its smallest cells, 0 to 29; -1: cells of a 256th of the image's longer side")
      ->check(within("mask.moc_order"))
      ->type_name("N")
      ->capture_default_str()
      ->group("Output");
  command
      .add_option("--onto", options.onto,
                  "Write the mask at the pixels of this FITS image: a mosaic's mask for one beam, by the nearest pixel")
      ->type_name("FITS")
      ->brief("Write it at this image's pixels")
      ->group("Output");
  add_choice(command, "--axes", options.axes,
             "Axes of the mask: those of the input, which it is repeated over; two; or four, as PyBDSF writes")
      ->group("Output");
  add_overwrite_option(command, options.common);
}

}  // namespace

void add_mask(Command& root, Action& action) {
  auto options = std::make_shared<MaskOptions>();
  Command* command = root.add_subcommand("mask", "Make and change clean masks");
  add_sources(*command, *options);
  add_operations(*command, *options);
  add_outputs(*command, *options);
  add_common_options(*command, options->common);
  command->footer(
      "What is asked for is done in the order of this page: mask, merge, subtract, cut, number, remove, extract,\n"
      "minimum size, binary, invert, dilate, erode, fill, sum over peak.\n"
      "\n"
      "Examples:\n"
      "  reber mask image.fits --threshold 6.5 --dilate 3 -o mask.fits\n"
      "  reber mask image.fits --islands 5,3 --axes four -o image.island_mask.fits\n"
      "  reber mask mask.fits --merge sources.reg --subtract artefacts.reg --fill-holes -o new.fits\n"
      "  reber mask mask.fits --number-islands --extract-islands 1,5 -o two.fits --outregion two.reg\n"
      "  reber mask image.fits --coverage --moc coverage.fits\n"
      "  reber mask mosaic_mask.fits --onto beam03.fits -o beam03_mask.fits");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) { return make_mask(*options, terminal); };
  });
}

}  // namespace reber::app
