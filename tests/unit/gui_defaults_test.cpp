// SPDX-License-Identifier: BSD-3-Clause
// What the pipeline panel begins with is what the command line does without options.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/options/stage_options.hpp"
#include "core/base/error.hpp"
#include "core/pipeline/scale_list.hpp"
#include "gui/model/request_json.hpp"

namespace reber {
namespace {

/// As `reber run IMAGE` makes it.
Request of_command_line(std::vector<std::string> arguments) {
  CLI::App parser;
  app::ConvolveOptions convolve;
  app::BackgroundOptions background;
  app::FindOptions find;
  app::add_convolve_options(parser, convolve);
  app::add_background_options(parser, background, "--background", true);
  app::add_find_options(parser, find);
  std::ranges::reverse(arguments);
  parser.parse(arguments);
  Request request;
  request.convolve = app::convolve_request(convolve);
  request.background = app::background_request(background);
  app::apply(find, request);
  return request;
}

TEST(GuiDefaults, AStageThatThePanelSwitchesOnIsTheCommandLines) {
  const Request line = of_command_line({});
  EXPECT_FALSE(line.convolve.has_value());
  EXPECT_EQ(*line.background, BackgroundRequest{});
  EXPECT_EQ(*line.detect, DetectOptions{});
  EXPECT_EQ(line.scales, ScaleRequest{});
  EXPECT_EQ(line.deblend, DeblendOptions{});
  EXPECT_EQ(line.calibration, Calibration{});
  EXPECT_EQ(line.fdr, 0);
  EXPECT_EQ(line.fit.method, FitRequest::Method::automatic);
  EXPECT_FALSE(line.negative_too);
  EXPECT_FALSE(line.reliability);
  ConvolveRequest kernel;
  kernel.kernel = parse_kernel("gaussian:5");
  EXPECT_EQ(*of_command_line({"--kernel", "gaussian:5"}).convolve, kernel);
}

TEST(GuiDefaults, SessionFilesHoldAllThatTheCommandLineCanAskFor) {
  const Request asked = of_command_line({"--kernel",
                                         "mexican-hat:3",
                                         "--boundary",
                                         "mirror",
                                         "--background",
                                         "grid",
                                         "--box",
                                         "90",
                                         "--step",
                                         "30",
                                         "--passes",
                                         "3",
                                         "--adaptive",
                                         "--kappa",
                                         "2.5",
                                         "--filter",
                                         "3",
                                         "--min-valid",
                                         "0.25",
                                         "--threshold",
                                         "4.5",
                                         "--flood",
                                         "2.5",
                                         "--min-area",
                                         "4",
                                         "--connectivity",
                                         "4",
                                         "--scales",
                                         "0b,1.5b",
                                         "--wavelets",
                                         "2",
                                         "--contrast",
                                         "0.01",
                                         "--prominence",
                                         "1",
                                         "--keep-noise-peaks",
                                         "--fit",
                                         "gaussian",
                                         "--negative",
                                         "--reliability",
                                         "--clean-bias",
                                         "1e-4",
                                         "--calibration-error",
                                         "0.05",
                                         "--position-error",
                                         "0.5"});
  const gui::Json json = gui::to_json(asked);
  Request again;
  gui::apply_json(gui::JsonObject(json, "s.json"), again);
  EXPECT_EQ(again.convolve, asked.convolve);
  EXPECT_EQ(again.background, asked.background);
  EXPECT_EQ(again.detect, asked.detect);
  EXPECT_EQ(again.scales, asked.scales);
  EXPECT_EQ(again.deblend, asked.deblend);
  EXPECT_EQ(again.fit, asked.fit);
  EXPECT_EQ(again.calibration, asked.calibration);
  EXPECT_EQ(again.negative_too, asked.negative_too);
  EXPECT_EQ(again.reliability, asked.reliability);
}

TEST(ScaleList, ReadsWhatItWrites) {
  for (const char* text : {"", "0", "0,3,6", "0b,1.5b"}) EXPECT_EQ(scales_text(parse_scales(text)), text);
  EXPECT_EQ(scales_text(parse_scales("0, 3")), "0,3");
  for (const char* wrong : {",", "3,", "-1", "1001", "three", "0,1b", "nan", "1e"})
    EXPECT_THROW((void)parse_scales(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace reber
