// SPDX-License-Identifier: BSD-3-Clause
// The program `reber-view`: the viewer, apart from `reber` so that batch work needs no graphics library.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "app/options/begin_anew.hpp"
#include "app/options/command_options.hpp"
#include "app/options/lost_card.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/parse.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/last_words.hpp"
#include "app/terminal/signals.hpp"
#include "core/base/error.hpp"
#include "core/files/io/path_fence.hpp"
#include "core/seam/compute/lost_card.hpp"
#include "gui/model/image/level_cache.hpp"
#include "gui/model/recovery.hpp"
#include "gui/model/settings.hpp"
#include "gui/viewer.hpp"
#include "kernels/backends.hpp"

namespace reber {
namespace {

struct Options {
  gui::ViewerOptions viewer;
  app::ParameterOptions parameters;
  int device = 0, threads = 0, hdu = -1;
  std::int64_t plane = -1, memory_mib = 0;
  bool no_settings = false, bench = false, keys = false;
  std::string share = "auto", maps = "auto", open_backend = "early";
  bool browser = false;
  gui::BrowserOptions served;
  std::vector<std::string> folders;
};

void add_browser_options(app::Command& parser, Options& options) {
  parser
      .add_flag("--browser", options.browser,
                "Serve the viewer to browsers on this machine in place of a window; needs no display")
      ->brief("Serve the viewer to browsers");
  parser
      .add_option("--port", options.served.port,
                  "Port of --browser; 0: 8642, or the first free one of those that follow")
      ->brief("Port of --browser")
      ->check(app::in_range(0, 65535))
      ->capture_default_str();
  parser
      .add_option("--folder", options.folders,
                  "Folder that browsers may open files of and write to, with all below it; may be given several times "
                  "(default: the current one and those of the files)")
      ->type_name("FOLDER")
      ->one_at_a_time();
  parser
      .add_option("--proxy-host", options.served.hosts,
                  "Name of a proxy that passes browsers on, such as a JupyterHub's; may be given several times")
      ->type_name("NAME")
      ->one_at_a_time();
}

void add_options(app::Command& parser, Options& options) {
  gui::ViewerOptions& viewer = options.viewer;
  parser.add_option("files", viewer.files, "FITS images, plain or compressed")->type_name("FILE");
  parser.add_option("--hdu", options.hdu, "HDU to show, 0 for the primary")
      ->brief("HDU to show, 0 for the primary")
      ->check(app::not_negative());
  parser.add_option("--plane", options.plane, "Plane of a cube, 0 for the first")
      ->brief("Plane of a cube, 0 for the first")
      ->check(app::not_negative());
  parser.add_option("--backend", viewer.backend, "auto, cuda, cpu or reference")
      ->brief("auto, cuda, cpu or reference")
      ->capture_default_str();
  parser.add_option("--device", options.device, "Number of the graphics card")->capture_default_str();
  parser.add_option("--threads", options.threads, "Threads of the cpu backend; 0: all")
      ->brief("Threads of the cpu backend; 0: all")
      ->capture_default_str();
  parser.add_option("--width", viewer.width, "Width of the window")
      ->brief("Width of the window")
      ->capture_default_str();
  parser.add_option("--height", viewer.height, "Height of the window")
      ->brief("Height of the window")
      ->capture_default_str();
  parser.add_option("--scale", viewer.scale, "Scale of the interface; 0: the screen's")
      ->brief("Scale of letters; 0: the screen's")
      ->capture_default_str();
  parser
      .add_option(
          "--share", options.share,
          "Maps from the card to the screen without the host: auto (where CUDA and OpenGL are on one card), off")
      ->check(app::one_of({"auto", "off"}))
      ->capture_default_str();
  parser
      .add_option(
          "--maps", options.maps,
          "How maps reach the screen: auto (by the tiles in view where the backend keeps pixels on a card, else "
          "whole), tiles (from every backend), whole")
      ->check(app::one_of({"auto", "tiles", "whole"}))
      ->capture_default_str();
  parser
      .add_option("--open-backend", options.open_backend,
                  "When the backend opens the card: early (once the first pixels are shown), asked (when work is first "
                  "asked for: until then no memory of the card is taken)")
      ->check(app::one_of({"early", "asked"}))
      ->capture_default_str();
  parser
      .add_option("--image-memory", options.memory_mib,
                  "MiB that the pixels of an image may take; larger ones stay in their file (0: a quarter of the "
                  "machine's memory)")
      ->brief("MiB of pixels held in memory")
      ->check(app::not_negative());
  parser
      .add_option("--cache", viewer.cache_folder,
                  "Folder in which reduced levels of images larger than that are kept (default: reber in the user's "
                  "cache folder); off: none")
      ->brief("Folder for levels of large images")
      ->type_name("FOLDER");
  add_browser_options(parser, options);
  parser.add_option("--script", viewer.script, "Play these steps on the window; exit code 1 where a check fails")
      ->brief("Play these steps on the window")
      ->check(app::existing_file());
  parser.add_flag("--bench", options.bench, "Print how long first pixels, frames and idling take, as JSON")
      ->brief("Print how long pixels and frames take");
  parser.add_option("--bench-part", viewer.bench_part, "What --bench measures: all, frames, layers")
      ->check(app::one_of({"all", "frames", "layers"}))
      ->capture_default_str();
  parser.add_flag("--keys", options.keys, "Print the table of keys and end")->brief("Print the table of keys and end");
  parser.add_option("--settings", viewer.settings, "File of settings, in place of the usual one")->type_name("FILE");
  parser.add_flag("--no-settings", options.no_settings, "Neither read nor write the settings file")
      ->brief("Neither read nor write settings");
  parser.add_help_row("Options");
  // The pipeline panel begins with these: the same options, and the same defaults, as in batch work.
  using Group = app::ParameterOptions::Group;
  for (const Group group : {Group::convolution, Group::background, Group::detection})
    options.parameters.add(parser, group);
}

/// The sample image in share/reber beside the program's folder, links followed; empty: it is not there.
std::string sample_field() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return fs::canonical(program.parent_path() / "../share/reber/galactic_plane_150mhz.fits", error).string();
}

/// The files of a process keep to the folders that browsers may see, and to those of its settings and its sample.
void keep_to_folders(Options& options) {
  namespace fs = std::filesystem;
  gui::ViewerOptions& viewer = options.viewer;
  for (std::string& file : viewer.files) file = fs::absolute(file).string();
  if (options.folders.empty()) {
    options.folders.push_back(fs::current_path().string());
    for (const std::string& file : viewer.files) options.folders.push_back(fs::path(file).parent_path().string());
  }
  std::vector<std::string> all = options.folders;
  for (const std::string& own : {fs::path(viewer.settings).parent_path().string(), gui::default_recovery_folder(),
                                 fs::path(viewer.sample).parent_path().string(), viewer.cache_folder}) {
    std::error_code error;
    if (own.empty() || (fs::create_directories(own, error), error)) continue;
    all.push_back(own);
  }
  if (!viewer.script.empty()) {
    viewer.script = fs::absolute(viewer.script).string();
    all.push_back(fs::path(viewer.script).parent_path().string());
  }
  fence_paths(all);
  if (viewer.browser) viewer.browser->folder = fs::absolute(options.folders.front()).string();
  // Where nothing is said the dialogs begin in the current folder.
  if (!within_fence(".")) fs::current_path(options.folders.front());
}

std::string lost_words() {
  const char* const words = app::card_lost_before();
  return words == nullptr ? "" : words;
}

/// Without the card where the driver kept the process before this one.
std::unique_ptr<Backend> backend_of_window(const std::string& name, BackendOptions wanted) {
  const std::string lost = lost_words();
  if (lost.empty() || (name != "auto" && name != "cuda")) return make_backend(name, wanted, LogSink());
  if (name == "cuda") throw DeviceError(lost);
  wanted.in_place_of = "the card, which failed: " + lost;
  return make_backend("cpu", wanted, LogSink());
}

void finish(Options& options, char** arguments) {
  gui::ViewerOptions& viewer = options.viewer;
  Request& request = viewer.request;
  if (options.hdu >= 0) request.open.hdu = options.hdu;
  if (options.plane >= 0) request.open.plane = options.plane;
  options.parameters.apply(request);
  viewer.share = options.share == "auto";
  viewer.open_early = options.open_backend == "early";
  viewer.show_maps = options.maps == "tiles"   ? ShowMaps::tiles
                     : options.maps == "whole" ? ShowMaps::whole
                                               : ShowMaps::automatic;
  viewer.program = std::string("reber ") + REBER_VERSION;
  viewer.backends.emplace_back("auto");
  for (const BackendEntry& entry : backend_table()) viewer.backends.emplace_back(entry.name);
  const BackendOptions wanted{options.device, options.threads};
  viewer.make_backend = [wanted](const std::string& name) { return backend_of_window(name, wanted); };
  viewer.take_over = [wanted](const std::string& failure) {
    BackendOptions other = wanted;
    other.in_place_of = "the card, which failed: " + failure;
    return make_backend("cpu", other, LogSink());
  };
  viewer.say = [](const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  };
  const bool usual = viewer.settings.empty();
  if (options.no_settings || (usual && (options.bench || !viewer.script.empty())))
    viewer.settings.clear();
  else if (usual)
    viewer.settings = gui::default_settings_path();
  if (viewer.cache_folder.empty())
    viewer.cache_folder = gui::default_cache_folder();
  else if (viewer.cache_folder == "off")
    viewer.cache_folder.clear();
  viewer.image_memory = options.memory_mib << 20;
  viewer.stop = &app::stop_flag();
  viewer.resume = app::viewer_begun_anew();
  viewer.card_failure = lost_words();
  viewer.begin_anew = [arguments](const std::string& session) { app::begin_viewer_anew(arguments, session); };
  // A script would be played again; without settings no session is kept.
  if (viewer.script.empty() && !options.bench && !viewer.settings.empty()) app::install_lost_card(arguments);
  viewer.sample = sample_field();
  if (options.browser) {
    viewer.browser = options.served;
    keep_to_folders(options);
  }
  viewer.welcome = viewer.files.empty() && viewer.script.empty() && !options.bench && !viewer.resume;
}

int run(int argc, char** argv) {
  Options options;
  app::Command viewer("reber view", "Looks at images, finds their sources while you watch.");
  add_options(viewer, options);
  const app::Parsed parsed = app::parse(viewer, argc, argv);
  if (parsed.asked != app::Parsed::Asked::work || !parsed.wrong.empty()) {
    app::Terminal terminal;
    return app::explain(parsed, terminal);
  }
  if (options.keys) return std::fputs(gui::key_table().c_str(), stdout) < 0 ? app::kDataError : app::kDone;
  finish(options, argv);
  app::install_signal_handlers();
  if (!options.bench) return gui::run_viewer(options.viewer);
  std::printf("%s\n", gui::bench_viewer(options.viewer).c_str());
  return app::kDone;
}

}  // namespace
}  // namespace reber

namespace {

int failed(const std::exception& failure, int exit_code) {
  std::fprintf(stderr, "reber: %s\n", failure.what());
  return exit_code;
}

/// The thread that computes is kept by the driver and cannot be ended.
void end_without_card(const char* words) noexcept {
  std::fprintf(stderr, "reber: error: %s; the next start offers what was open\n", words);
  ::_exit(reber::app::kDeviceError);
}

}  // namespace

int main(int argc, char** argv) {
  reber::app::install_last_words();
  reber::on_lost_card(end_without_card);
  try {
    return reber::run(argc, argv);
  } catch (const std::bad_alloc&) {
    reber::app::say_no_memory();
    return reber::app::kDeviceError;
  } catch (const reber::InputError& failure) {
    return failed(failure, reber::app::kInputError);
  } catch (const reber::DataError& failure) {
    return failed(failure, reber::app::kDataError);
  } catch (const reber::DeviceError& failure) {
    return failed(failure, reber::app::kDeviceError);
  } catch (const std::exception& failure) {
    return failed(failure, reber::app::kInternalError);
  }
}
