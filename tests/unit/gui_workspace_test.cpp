// SPDX-License-Identifier: BSD-3-Clause
// Sessions, autosave and the parameters' JSON: round trips, damage, files that changed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "gui/model/recovery.hpp"
#include "gui/model/request_json.hpp"
#include "gui/model/workspace.hpp"
#include "tests/support/source_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

class Folder : public testing_files::TemporaryFolder {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
};

template <class Work>
std::string failure(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

Workspace sample(const Folder& folder) {
  Workspace session;
  SavedImage image;
  image.file = identify(folder.write("a image.fits", "pixels"));
  image.hdu = 1;
  image.plane = 3;
  image.view.layer = "S/N";
  image.view.fitted = true;
  image.view.transform = {{100.25, -3}, 2.5, true, false, 33};
  image.view.render.low = -1e-3;
  image.view.render.stretch = Stretch::power;
  image.view.render.colour_map = "viridis";
  image.view.render.blank = {0.5f, 0.25f, 0.125f, 1};
  image.view.render.reduction = Reduction::mean;
  image.told_in = "mJy/beam";
  image.ran = true;
  image.parameters = {{"detect", {{"seed", 5.5}}}};
  image.table = {"SNR > 7 && S_Code == \"C\"",         "SNR", true, {"RA", "DEC"}, {3, 5}, {7},
                 {{1.5, 2, true, true, true, "a jet"}}};
  image.table.marks.size = {"Total_flux", MarkScaling::log, true, 1e-3, 2};
  image.table.marks.colour.column = "SNR";
  image.table.marks.colour_map = "inferno";
  image.table.marks.most = 25;
  image.regions = {"fk5; circle(12:00:00,-30:00:00,10\")", "caf\xC3\xA9"};
  image.bookmarks = {{"12:00:00 -30:00:00", {{3.5, 200}, 8, false, true, 0}}};
  session.images.push_back(image);
  image.file = identify(folder.write("b.fits", "other pixels"));
  image.view = {};
  session.images.push_back(image);
  session.shown = 1;
  session.catalogues.push_back(identify(folder.write("c.csv", "RA,DEC\n")));
  session.catalogue_marks.emplace_back();
  session.catalogue_marks.back().size.column = "Flux";
  session.backend = "cpu";
  RenderSettings look;
  look.low = -2;
  look.limits = "even";
  session.compare = {"blink", 0, "RMS", look, {1, 0, -1}};
  session.panels = {{"table", true}, {"plots", false}};
  session.overlays = {{"grid", true}};
  session.sizes = {{"column", 321.5}};
  session.contours.rule = ContourLevels::Rule::percentile;
  session.contours.percents = {50, 99.5};
  session.contours.smooth_px = 4.5;
  session.contours.negative = false;
  session.contours_of = 1;
  return session;
}

TEST(GuiWorkspace, ComesBackAsItWasSaved) {
  const Folder folder;
  const Workspace session = sample(folder);
  save_session(folder.file("s.json"), session);
  const Workspace again = load_session(folder.file("s.json"));
  EXPECT_EQ(again, session);
  EXPECT_TRUE(file_warnings(again).empty());
  save_session(folder.file("t.json"), again);
  EXPECT_EQ(folder.text("s.json"), folder.text("t.json"));
}

TEST(GuiWorkspace, ADamagedFileSaysWhereAndStaysAsItIs) {
  const Folder folder;
  save_session(folder.file("s.json"), sample(folder));
  const std::string whole = folder.text("s.json");
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    const std::string path = folder.write("cut.json", whole.substr(0, length));
    const std::string message = failure([&] { (void)load_session(path); });
    EXPECT_NE(message.find("cut.json: no valid JSON from line"), std::string::npos) << length << ": " << message;
    EXPECT_EQ(folder.text("cut.json"), whole.substr(0, length));
  }
  const auto message_for = [&](const std::string& text) {
    return failure([&] { (void)load_session(folder.write("bad.json", text)); });
  };
  EXPECT_NE(message_for(R"({"format": "reber session", "version": 99})").find("a later Reber"), std::string::npos);
  EXPECT_NE(message_for(R"({"format": "other"})").find("\"reber session\" was expected"), std::string::npos);
  EXPECT_NE(message_for("[1]").find("object"), std::string::npos);
  EXPECT_NE(
      message_for(R"({"format": "reber session", "version": 1, "images": [{"path": "x", "view": {"zoom": "big"}}]})")
          .find("images[0].view.zoom: a number was expected, not \"big\""),
      std::string::npos);
  EXPECT_NE(message_for(R"({"format": "reber session", "version": 1, "images": [{}]})").find("images[0].path"),
            std::string::npos);
  EXPECT_NE(failure([&] { (void)load_session(folder.file("none.json")); }).find("cannot open"), std::string::npos);
}

TEST(GuiWorkspace, AFailedSaveLeavesNothingBehind) {
  const Folder folder;
  const Workspace session = sample(folder);
  const auto entries = folder.entries();
  EXPECT_NE(failure([&] { save_session(folder.file("no folder/s.json"), session); }), "no failure");
  EXPECT_EQ(folder.entries(), entries);
}

TEST(GuiWorkspace, KnowsWhenAFileIsAnotherOne) {
  const Folder folder;
  const Workspace session = sample(folder);
  folder.write("b.fits", "OTHER pixels");
  fs::remove(folder.file("c.csv"));
  const auto warnings = file_warnings(session);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("b.fits has changed"), std::string::npos);
  EXPECT_NE(warnings[1].find("c.csv is not there any more"), std::string::npos);
  folder.write("a image.fits", "pixels");
  EXPECT_EQ(compare_with_disk(session.images[0].file), FileState::same) << "written again, the same bytes";
}

TEST(GuiWorkspace, TheHashSeesLargeFilesChangeAtBothEnds) {
  const Folder folder;
  std::string bytes(std::size_t{20} << 20, 'x');
  const FileIdentity before = identify(folder.write("large", bytes));
  for (const std::size_t at : {std::size_t{0}, bytes.size() - 1, bytes.size() / 255 + 100}) {
    std::string other = bytes;
    other[at] = 'y';
    EXPECT_NE(identify(folder.write("large", other)).hash, before.hash) << at;
  }
  EXPECT_EQ(identify(folder.write("large", bytes)).hash, before.hash);
  EXPECT_NE(identify(folder.write("empty", "")).hash, before.hash);
}

TEST(GuiRecovery, FindsWhatProcessesThatAreGoneLeftAndNothingElse) {
  const Folder folder;
  Workspace session;
  session.backend = "cpu";
  std::vector<std::string> problems;
  const std::string place = folder.file("state");
  auto gone = std::make_unique<Recovery>(place);
  gone->autosave().write(session, 0);
  Recovery now(place);
  EXPECT_TRUE(now.left(problems).empty()) << "the first one still runs";
  now.autosave().write(session, 0);
  gone->leave({});
  gone.reset();
  {
    const auto left = now.left(problems);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].session, session);
    EXPECT_TRUE(Recovery(place).left(problems).empty()) << "a third one does not offer what the second offers";
    now.end(left);
  }
  // Not brought back and not forgotten: an orderly end of another leaves it.
  Recovery later(place);
  auto left = later.left(problems);
  ASSERT_EQ(left.size(), 1U);
  left[0].forgotten = true;
  later.end(left);
  left.clear();
  EXPECT_TRUE(Recovery(place).left(problems).empty());
  EXPECT_TRUE(problems.empty());
}

TEST(GuiAutosave, KeepsThreeCopiesAndPassesOverADamagedOne) {
  const Folder folder;
  Workspace session = sample(folder);
  Autosave autosave(folder.file("auto"), 30);
  EXPECT_TRUE(autosave.offer(session, 0));
  EXPECT_FALSE(autosave.offer(session, 31)) << "nothing has changed";
  session.shown = 0;
  EXPECT_FALSE(autosave.offer(session, 60)) << "too soon";
  EXPECT_TRUE(autosave.offer(session, 62));
  session.compare.kind = "difference";
  EXPECT_TRUE(autosave.offer(session, 93));
  std::vector<std::string> problems;
  EXPECT_EQ(autosave.newest(problems), session);
  EXPECT_TRUE(problems.empty());
  folder.write("auto.1", folder.text("auto.1").substr(0, 50));
  const auto older = autosave.newest(problems);
  ASSERT_TRUE(older.has_value());
  EXPECT_EQ(older->compare.kind, "blink");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("auto.1: no valid JSON"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder.file("auto.3")));
  autosave.remove();
  problems.clear();
  EXPECT_FALSE(autosave.newest(problems).has_value());
}

Request full_request() {
  Request request;
  request.beam = Beam{0.01, 0.005, 33};
  request.convolve = ConvolveRequest{};
  request.convolve->kernel = parse_kernel("gaussian:5,3,20");
  request.convolve->algorithm = Algorithm::fft;
  request.convolve->boundary = Boundary::reflect;
  request.convolve->nan = NanRule::fill;
  request.convolve->normalise = Normalise::peak;
  request.convolve->min_weight = 0.25;
  request.convolve->keep_blanks = true;
  request.background = BackgroundRequest{};
  request.background->method = BackgroundRequest::Method::clip;
  request.background->box = 100;
  request.background->mesh.clip.kappa = 2.5;
  request.background->mesh.filter = 5;
  request.background->rms_path = "rms.fits";
  request.detect = DetectOptions{};
  request.detect->seed = 6.25;
  request.detect->connectivity = Connectivity::four;
  request.deblend.prominence = 3;
  request.fit.method = FitRequest::Method::gaussian;
  request.negative_too = true;
  request.background->passes = 3;
  request.background->adaptive = true;
  request.scales.fwhm = {0, 2.5};
  request.fdr = 0.01;
  request.calibration.flux_error = 0.05;
  return request;
}

TEST(GuiRequestJson, ComesBackAsItWas) {
  for (const Request& request : {full_request(), Request()}) {
    const Json json = Json::parse(to_json(request).dump());
    Request again = full_request();
    apply_json(JsonObject(json, "s.json"), again);
    EXPECT_EQ(to_json(again).dump(), json.dump());
  }
}

TEST(GuiRequestJson, EveryWayOfMeasuringComesBackAndTheOldWordForItIsUnderstood) {
  using Method = FitRequest::Method;
  for (const Method method : {Method::moments, Method::gaussian, Method::automatic}) {
    Request request = full_request();
    request.fit.method = method;
    request.reliability = method == Method::moments;
    const Json json = to_json(request);
    Request again;
    apply_json(JsonObject(json, "s.json"), again);
    EXPECT_EQ(again.fit.method, method);
    EXPECT_EQ(again.reliability, request.reliability);
  }
  for (const bool fit : {false, true}) {
    Json json = to_json(full_request());
    json["detect"].erase("measure");
    json["detect"]["fit"] = fit;
    Request again;
    apply_json(JsonObject(json, "s.json"), again);
    EXPECT_EQ(again.fit.method, fit ? Method::gaussian : Method::moments);
  }
}

TEST(GuiRequestJson, AWrongMemberChangesNothing) {
  Request request = full_request();
  const std::string before = to_json(request).dump();
  const auto message_for = [&](const std::string& text) {
    const Json json = Json::parse(text);
    return failure([&] { apply_json(JsonObject(json, "s.json"), request); });
  };
  EXPECT_EQ(
      message_for(R"({"convolve": {"boundary": "round"}})"),
      "s.json: convolve.boundary: one of zero, reflect, mirror, nearest, wrap, blank was expected, not \"round\"");
  EXPECT_NE(message_for(R"({"convolve": {"kernel": "gauss:5"}})"), "no failure");
  EXPECT_EQ(message_for(R"({"detect": {"seed": "five"}})"), "s.json: detect.seed: a number was expected, not \"five\"");
  EXPECT_EQ(message_for(R"({"detect": {"connectivity": 6}})"),
            "s.json: detect.connectivity: 4 or 8 was expected, not 6");
  EXPECT_EQ(to_json(request).dump(), before);
}

TEST(GuiRecovery, AProcessThatBeginsAnewFindsWhatItLeft) {
  const testing_files::TemporaryFolder folder;
  const std::string place = folder.file("state");
  Workspace session;
  session.backend = "cpu";
  std::vector<std::string> problems;
  {
    Recovery before(place);
    before.autosave().write(session, 0);
    before.leave({});
  }
  {
    Recovery now(place);
    auto left = now.left(problems);
    LeftSession* const mine = own_session(left);
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(mine->session, session);
    mine->forgotten = true;
    session.backend = "auto";
    now.autosave().write(session, 0);
    now.leave(left);  // and again
  }
  auto left = Recovery(place).left(problems);
  ASSERT_EQ(left.size(), 1U) << "what was taken up is gone";
  EXPECT_EQ(left[0].session.backend, "auto");
  left[0].stem = folder.file("session-1");
  EXPECT_EQ(own_session(left), nullptr) << "of another process";
}

TEST(GuiWorkspace, ReadsTheSessionsOfEarlierVersions) {
  int read = 0;
  for (const fs::directory_entry& version : fs::directory_iterator(reber::testing::source_file("tests/compat"))) {
    const fs::path file = version.path() / "session.reber.json";
    if (!fs::exists(file)) continue;
    const Workspace session = load_session(file.string());
    ASSERT_EQ(session.images.size(), 1u) << file;
    EXPECT_EQ(fs::path(session.images[0].file.path).filename(), "field.fits");
    EXPECT_TRUE(session.images[0].ran);
    EXPECT_EQ(session.images[0].view.layer, "Input");
    EXPECT_EQ(session.images[0].parameters.at("detect").at("seed"), 5);
    ++read;
  }
  EXPECT_GE(read, 1);
}

}  // namespace
}  // namespace reber::gui
